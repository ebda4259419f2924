// A flame graph as one SVG file without any dependencies: a complete picture without scripts, and
// one that can be zoomed and searched with scripts.
#ifndef TRAWL_REPORT_FLAME_SVG_H
#define TRAWL_REPORT_FLAME_SVG_H

#include "report/flame_change.h"
#include "report/flame_layout.h"
#include "report/out.h"

struct flame_graph {
    const struct flame_frame *frames; // in preorder, the root first; at least one
    size_t frame_count;
    const char *title;
    const char *trace_name;
    const char *unit; // of self and total, in the plural: "ticks"
    // Of a graph that compares: the trace that is compared with, what each frame had in it, and the
    // greatest change of self.
    const char *before_name;
    const struct flame_before *before; // NULL: it does not compare
    uint64_t change_most;
};

// Writes the picture. The same graph gives the same bytes. Fails only when there is no memory;
// failed writes are reported by out_close.
enum status flame_svg_write(struct out *out, const struct flame_graph *graph, struct error *err);

#endif
