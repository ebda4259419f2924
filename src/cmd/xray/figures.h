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

// Which figures label and colour a graph; in the order of the options that choose them.
struct xray_graph_figures {
    unsigned edge_label, vertex_label, edge_colour, vertex_colour; // enum xray_figure
};

// Takes such an option, number 0 to 3. OPTION_END; OPTION_STOP: another word, which was reported.
int xray_graph_figures_take(struct xray_graph_figures *figures, struct options_parser *parser,
                            int number, const struct option_match *match);

// Whether any of them is a percentile, which costs time.
bool xray_graph_figures_need_percentiles(const struct xray_graph_figures *figures);

// A figure of a row, or without calls (NULL): times in seconds, or in ticks if the log does not
// have the frequency.
double xray_figure_of(const struct xray_log *log, const struct latency *row, unsigned figure);

// Writes text of a quoted label: truncated to `length_max` bytes with "..." if `length_max` is not
// 0, with the special characters of Graphviz escaped.
void xray_put_label(struct out *out, const char *name, uint64_t length_max);

#endif
