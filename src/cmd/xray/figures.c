#include "cmd/xray/figures.h"

#include "report/out.h"

int xray_graph_figures_take(struct xray_graph_figures *figures, struct options_parser *parser,
                            int number, const struct option_match *match)
{
    static const char *const names[] = {"none", "count", "min", "med", "90p",
                                        "99p",  "max",   "sum", NULL};
    unsigned *const chosen[] = {&figures->edge_label, &figures->vertex_label, &figures->edge_colour,
                                &figures->vertex_colour};
    return options_choice(parser, match, names, "none, count, min, med, 90p, 99p, max or sum",
                          chosen[number]);
}

static bool is_percentile(unsigned figure)
{
    return figure >= XRAY_FIGURE_MEDIAN && figure <= XRAY_FIGURE_P99;
}

bool xray_graph_figures_need_percentiles(const struct xray_graph_figures *figures)
{
    return is_percentile(figures->edge_label) || is_percentile(figures->vertex_label) ||
           is_percentile(figures->edge_colour) || is_percentile(figures->vertex_colour);
}

double xray_figure_of(const struct xray_log *log, const struct latency *row, unsigned figure)
{
    uint64_t frequency_hz = log->header.frequency_hz;
    double ticks_a_second = frequency_hz ? (double)frequency_hz : 1;
    if (!row || !row->count)
        return 0;
    switch (figure) {
    case XRAY_FIGURE_COUNT:
        return (double)row->count;
    case XRAY_FIGURE_MIN:
        return (double)row->min / ticks_a_second;
    case XRAY_FIGURE_MEDIAN:
    case XRAY_FIGURE_P90:
    case XRAY_FIGURE_P99:
        return (double)row->percentiles[figure - XRAY_FIGURE_MEDIAN] / ticks_a_second;
    case XRAY_FIGURE_MAX:
        return (double)row->max / ticks_a_second;
    case XRAY_FIGURE_SUM:
        return (double)row->sum / ticks_a_second;
    default:
        return 0;
    }
}

void xray_put_label(struct out *out, const char *name, uint64_t length_max)
{
    uint64_t length = strlen(name);
    bool is_cut = length_max && length > length_max;
    for (const char *end = name + (is_cut ? length_max : length); name < end;) {
        unsigned bytes = utf8_printable(name, (size_t)(end - name));
        if (bytes > 1)
            out_bytes(out, name, bytes);
        else if (bytes && (*name == '"' || *name == '\\'))
            out_byte(out, '\\'), out_markup(out, *name);
        else
            out_markup(out, bytes ? *name : '?');
        name += bytes ? bytes : 1;
    }
    if (is_cut)
        out_text(out, "...");
}
