// A plot as SVG: panels above each other, one a series, over a common axis of whole numbers.
//
// Of any number of points each panel shows, for each column of pixels, the range that they span, so
// that the picture has a bounded size.
#ifndef TRAWL_REPORT_PLOT_SVG_H
#define TRAWL_REPORT_PLOT_SVG_H

#include "report/out.h"

#define PLOT_SVG_COLUMNS 800

// Fields are for plot_svg.c.
struct plot_svg {
    struct out *out;
    size_t panels, panel; // panel: the number of the one that is open
    const char *axis, *name;
    uint64_t start, end; // of the axis
    bool has_points;
    double low, high;
    struct {
        bool has_points;
        double first, last, low, high;
    } columns[PLOT_SVG_COLUMNS];
};

// Begins a picture of so many panels, over `axis` from `start` to `end`, that excluded.
void plot_svg_begin(struct plot_svg *plot, struct out *out, size_t panels, const char *axis,
                    uint64_t start, uint64_t end);

// Begins a panel.
void plot_svg_panel(struct plot_svg *plot, const char *name);

// A point; x does not fall. What is no finite number is left out.
void plot_svg_point(struct plot_svg *plot, uint64_t x, double y);

void plot_svg_panel_end(struct plot_svg *plot);
void plot_svg_end(struct plot_svg *plot);

#endif
