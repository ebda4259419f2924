// Draws a plot as SVG: one panel for each series, above each other, over a common axis of whole
// numbers.
//
// For any number of points, a panel shows only the range of values in each column of pixels, so
// that the size of the picture is bounded.
#ifndef TRAWL_REPORT_PLOT_SVG_H
#define TRAWL_REPORT_PLOT_SVG_H

#include "report/out.h"

#define PLOT_SVG_COLUMNS 800

// Fields are for plot_svg.c.
struct plot_svg {
    struct out *out;
    size_t panels, panel; // panel: the number of the open one
    const char *axis, *name;
    uint64_t start, end; // of the axis
    bool has_points;
    double low, high;
    struct {
        bool has_points;
        double first, last, low, high;
    } columns[PLOT_SVG_COLUMNS];
};

// Begins a picture of `panels` panels, over `axis` from `start` to `end` (exclusive).
void plot_svg_begin(struct plot_svg *plot, struct out *out, size_t panels, const char *axis,
                    uint64_t start, uint64_t end);

// Begins a panel.
void plot_svg_panel(struct plot_svg *plot, const char *name);

// Adds a point; `x` must not decrease. A `y` that is not finite is left out.
void plot_svg_point(struct plot_svg *plot, uint64_t x, double y);

void plot_svg_panel_end(struct plot_svg *plot);
void plot_svg_end(struct plot_svg *plot);

#endif
