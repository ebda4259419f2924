#include "base/utf8.h"
#include "cmd/tfile/commands.h"
#include "report/look.h"

#include <stdio.h>

// In pixels.
#define MARGIN 10
#define LABEL_WIDTH 150 // to the left of the panels
#define PANEL_HEIGHT 100
#define PANEL_GAP 30 // above each panel, for its name
#define LINE_HEIGHT 12

static void put_text(struct out *out, double x, double y, const char *anchor, const char *text)
{
    char start[96];
    snprintf(start, sizeof start, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    out_text(out, start);
    for (const char *end = text + strlen(text); text < end;) {
        unsigned bytes = utf8_printable(text, (size_t)(end - text));
        if (*text == '<')
            out_text(out, "&lt;");
        else if (*text == '&')
            out_text(out, "&amp;");
        else
            out_bytes(out, bytes ? text : "?", bytes ? bytes : 1);
        text += bytes ? bytes : 1;
    }
    out_text(out, "</text>\n");
}

static double panel_top(const struct plot_svg *plot)
{
    return MARGIN + PANEL_GAP + (double)plot->panel * (PANEL_HEIGHT + PANEL_GAP);
}

void plot_svg_begin(struct plot_svg *plot, struct out *out, size_t panels, const char *axis,
                    uint64_t start, uint64_t end)
{
    char text[256];
    *plot =
        (struct plot_svg){.out = out, .panels = panels, .axis = axis, .start = start, .end = end};
    size_t height = 3 * MARGIN + LINE_HEIGHT + panels * (PANEL_HEIGHT + PANEL_GAP) + PANEL_GAP;
    int width = LABEL_WIDTH + PLOT_SVG_COLUMNS + 2 * MARGIN;
    snprintf(text, sizeof text,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
             "viewBox=\"0 0 %d %zu\">\n",
             width, height, width, height);
    out_text(out, text);
    out_text(out, "<style>" LOOK_CSS ".back { fill: var(--back) } .panel { fill: var(--bar) }\n"
                  ".line { stroke: var(--accent) }\n"
                  "text { fill: var(--front); font: 12px var(--sans) }</style>\n"
                  "<rect class=\"back\" width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
}

void plot_svg_panel(struct plot_svg *plot, const char *name)
{
    plot->name = name;
    plot->has_points = plot->is_gap = false;
    memset(plot->columns, 0, sizeof plot->columns);
}

void plot_svg_gap(struct plot_svg *plot)
{
    plot->is_gap = true;
}

void plot_svg_point(struct plot_svg *plot, uint64_t x, double y)
{
    if (!(y - y == 0))
        plot->is_gap = true;
    if (!(y - y == 0) || x < plot->start || x >= plot->end)
        return;
    double width = (double)PLOT_SVG_COLUMNS / (double)(plot->end - plot->start);
    size_t at = (size_t)((double)(x - plot->start) * width);
    at = at < PLOT_SVG_COLUMNS ? at : PLOT_SVG_COLUMNS - 1;
    if (!plot->has_points)
        plot->low = plot->high = y;
    plot->has_points = true;
    plot->low = y < plot->low ? y : plot->low;
    plot->high = y > plot->high ? y : plot->high;
    if (!plot->columns[at].has_points) {
        plot->columns[at].first = plot->columns[at].low = plot->columns[at].high = y;
        plot->columns[at].is_after_gap = plot->is_gap;
    }
    plot->columns[at].has_points = true;
    plot->is_gap = false; // a gap within a column is too small to be seen
    plot->columns[at].last = y;
    plot->columns[at].end = (double)(x - plot->start + 1) * width;
    plot->columns[at].low = y < plot->columns[at].low ? y : plot->columns[at].low;
    plot->columns[at].high = y > plot->columns[at].high ? y : plot->columns[at].high;
}

// Halves keep the differences finite.
static double height_of(const struct plot_svg *plot, double y)
{
    double span = plot->high / 2 - plot->low / 2;
    double part = span > 0 ? (y / 2 - plot->low / 2) / span : 0.5;
    return panel_top(plot) + PANEL_HEIGHT * (1 - part);
}

static void put_step(struct plot_svg *plot, char letter, double value)
{
    char text[48];
    snprintf(text, sizeof text, "%c%.2f", letter, value);
    out_text(plot->out, text);
}

// Draws the first, lowest, highest and last value of each column, in this order, and each last
// value up to the next column with values, or to its own end before a gap.
static void put_line(struct plot_svg *plot)
{
    const double left = LABEL_WIDTH + MARGIN;
    double end = 0; // of the line so far; 0: there is none
    out_text(plot->out, "<path class=\"line\" fill=\"none\" stroke=\"black\" d=\"");
    for (size_t i = 0; i < PLOT_SVG_COLUMNS; i++) {
        if (!plot->columns[i].has_points)
            continue;
        double x = left + (double)i, first = height_of(plot, plot->columns[i].first);
        bool goes_on = end > 0 && !plot->columns[i].is_after_gap;
        if (end > 0 && !goes_on)
            put_step(plot, 'H', end);
        put_step(plot, goes_on ? 'H' : 'M', x);
        put_step(plot, goes_on ? 'V' : ' ', first);
        if (plot->columns[i].low < plot->columns[i].high) {
            put_step(plot, 'V', height_of(plot, plot->columns[i].low));
            put_step(plot, 'V', height_of(plot, plot->columns[i].high));
            put_step(plot, 'V', height_of(plot, plot->columns[i].last));
        }
        end = left + plot->columns[i].end;
        end = end > x + 1 ? end : x + 1;
    }
    put_step(plot, 'H', end);
    out_text(plot->out, "\"/>\n");
}

void plot_svg_panel_end(struct plot_svg *plot, const char *low, const char *high)
{
    char text[160];
    double top = panel_top(plot), left = LABEL_WIDTH + MARGIN;
    snprintf(text, sizeof text,
             "<rect class=\"panel\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" "
             "fill=\"none\"/>\n",
             left, top, PLOT_SVG_COLUMNS, PANEL_HEIGHT);
    out_text(plot->out, text);
    put_text(plot->out, left, top - LINE_HEIGHT / 2.0, "start", plot->name);
    if (plot->has_points) {
        put_text(plot->out, left - MARGIN, top + LINE_HEIGHT, "end", high);
        put_text(plot->out, left - MARGIN, top + PANEL_HEIGHT, "end", low);
        put_line(plot);
    }
    plot->panel++;
}

void plot_svg_end(struct plot_svg *plot)
{
    char text[32];
    double bottom = panel_top(plot), left = LABEL_WIDTH + MARGIN;
    snprintf(text, sizeof text, "%llu", (unsigned long long)plot->start);
    put_text(plot->out, left, bottom, "start", text);
    put_text(plot->out, left + PLOT_SVG_COLUMNS / 2.0, bottom, "middle", plot->axis);
    snprintf(text, sizeof text, "%llu", (unsigned long long)(plot->end ? plot->end - 1 : 0));
    put_text(plot->out, left + PLOT_SVG_COLUMNS, bottom, "end", text);
    out_text(plot->out, "</svg>\n");
}
