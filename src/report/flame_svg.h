// Writes a flame graph as one self-contained SVG file. Without scripts it is a complete picture;
// with scripts it can be zoomed and searched.
#ifndef TRAWL_REPORT_FLAME_SVG_H
#define TRAWL_REPORT_FLAME_SVG_H

#include "report/flame_layout.h"
#include "report/flame_text.h"
#include "report/out.h"

// Of two runs, whose times are the widths.
enum flame_run { FLAME_LATER, FLAME_EARLIER, FLAME_BOTH };

struct flame_graph {
    const struct flame_frame *frames; // in preorder, the root first; at least one
    size_t frame_count;
    const char *title;
    const char *trace_name;
    const char *unit; // of self and total, in the plural: "ticks"
    // If the graph compares two runs: the earlier trace, the figures of each frame in it, and the
    // largest change of self time.
    const char *before_name;
    const struct flame_before *before; // NULL: it does not compare
    uint64_t change_most;
    enum flame_run widths;
    // What has no width because that run has no time there; no stacks: nothing.
    struct flame_absent {
        uint64_t stacks, ticks;
        bool has_calls; // some were called in that run, but took no time
    } absent;
};

// Writes the picture. The same graph always gives the same bytes. Fails only if there is no memory;
// out_close reports failed writes.
enum status flame_svg_write(struct out *out, const struct flame_graph *graph, struct error *err);

#endif
