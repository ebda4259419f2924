// Draws a plot as SVG: one panel for each series, above each other, over a common axis of whole
// numbers, in light and dark.
//
// A value lasts from its number to the next one, so lines are steps, and the last one ends at the
// edge. A line ends where a value is missing.
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
    uint64_t start, end;     // of the axis
    bool has_points, is_gap; // is_gap: a value is missing since the last point
    double low, high;
    struct {
        bool has_points, is_after_gap;
        double first, last, low, high;
        double end; // of the last value, in columns
    } columns[PLOT_SVG_COLUMNS];
};

// Begins a picture of `panels` panels, over `axis` from `start` to `end` (exclusive).
void plot_svg_begin(struct plot_svg *plot, struct out *out, size_t panels, const char *axis,
                    uint64_t start, uint64_t end);

// Begins a panel.
void plot_svg_panel(struct plot_svg *plot, const char *name);

// Adds a point; `x` must not decrease. A `y` that is not finite is missing.
void plot_svg_point(struct plot_svg *plot, uint64_t x, double y);

// Adds a place without a value.
void plot_svg_gap(struct plot_svg *plot);

// Ends a panel, with the texts of its lowest and its highest value.
void plot_svg_panel_end(struct plot_svg *plot, const char *low, const char *high);
void plot_svg_end(struct plot_svg *plot);

#endif
