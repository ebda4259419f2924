// The figures of calls for labels and colours of call graphs.
#ifndef TRAWL_CMD_XRAY_FIGURES_H
#define TRAWL_CMD_XRAY_FIGURES_H

#include "cmd/xray/command.h"

enum xray_figure {
    XRAY_FIGURE_NONE,
    XRAY_FIGURE_COUNT,
    XRAY_FIGURE_MIN,
    XRAY_FIGURE_MEDIAN,
    XRAY_FIGURE_P90,
    XRAY_FIGURE_P99,
    XRAY_FIGURE_MAX,
    XRAY_FIGURE_SUM,
};

// Their names on the command line, and the message if another is given.
extern const char *const xray_figure_names[];
#define XRAY_FIGURES_EXPECTED "none, count, min, med, 90p, 99p, max or sum"

static inline bool xray_figure_is_percentile(unsigned figure)
{
    return figure >= XRAY_FIGURE_MEDIAN && figure <= XRAY_FIGURE_P99;
}

// A figure of a row, or without calls (NULL): times in seconds, or in ticks if the log does not
// have the frequency.
double xray_figure_of(const struct xray_log *log, const struct latency *row, unsigned figure);

// Writes text of a quoted label: truncated to `length_max` bytes with "..." if `length_max` is not
// 0, with the special characters of Graphviz escaped.
void xray_put_label(struct out *out, const char *name, uint64_t length_max);

#endif
