// Decides the place of each frame of a flame graph, and whether it is drawn when the graph is
// opened, only when it is zoomed, or never. Independent of how it is drawn.
#ifndef TRAWL_REPORT_FLAME_LAYOUT_H
#define TRAWL_REPORT_FLAME_LAYOUT_H

#include "base/base.h"
#include "base/error.h"

struct flame_frame {
    const char *name;     // NULL: shown as its address, in grey
    uint32_t depth;       // 0 only for the root; at most one more than that of the previous frame
    uint64_t self, total; // `total` is the width
    uint64_t count;       // of calls; 0 is not shown
    uint64_t address;     // 0 is not shown
};

// A frame and its place: it covers [start, start + width) of the root's [0, total).
struct flame_box {
    size_t frame; // index in the array of frames
    uint64_t start, width;
};

struct flame_left_out {
    size_t frame_count;
    uint64_t total; // of these frames; nested ones count once
};

// The bounds of a set of boxes, and what they leave out.
struct flame_bounds {
    uint64_t width_min;  // narrower frames are left out
    uint32_t levels_max; // frames of this depth and deeper are left out
    struct flame_left_out narrow, deep;
};

struct flame_layout {
    struct flame_box *boxes; // in preorder; the first is the root
    size_t box_count;
    uint64_t total;
    uint32_t level_count;             // levels with boxes that are drawn
    struct flame_bounds drawn, known; // `drawn`: when the graph is opened; `known`: all that have a
                                      // box
};

// Lays out `frames`, which are in preorder; only the first has depth 0. Children are placed next to
// each other from their parent's left edge, in the given order. If they claim more than their
// parent has, the last ones are cut.
//
// Frames narrower than 1 / `finest` of the root, and frames deeper than LIMIT_FLAME_LEVELS, are not
// drawn. If more than LIMIT_FLAME_DRAWN are left, either narrow or deep ones are removed, whichever
// leaves the larger area. Frames without width get no box. Likewise, more are left without a box to
// keep to LIMIT_FLAME_BOXES.
enum status flame_layout_make(struct flame_layout *layout, const struct flame_frame *frames,
                              size_t frame_count, uint64_t finest, struct error *err);

// Whether the frame of this box is drawn when the graph is opened.
bool flame_is_drawn(const struct flame_layout *layout, const struct flame_frame *frames,
                    const struct flame_box *box);

void flame_layout_free(struct flame_layout *layout);

#endif
