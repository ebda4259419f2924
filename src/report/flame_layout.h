// The place of each frame of a flame graph, and whether it is drawn when the graph is opened, only
// when it is zoomed, or not at all. Independent of the picture.
#ifndef TRAWL_REPORT_FLAME_LAYOUT_H
#define TRAWL_REPORT_FLAME_LAYOUT_H

#include "base/base.h"
#include "base/error.h"

struct flame_frame {
    const char *name; // NULL: shown as its address, in grey
    uint32_t depth;   // 0 for the root only, at most one more than the frame before
    uint64_t self, total;
    uint64_t count;   // of calls; 0 is not shown
    uint64_t address; // 0 is not shown
};

// A frame with a place. It spans [start, start + width) of the root's [0, total).
struct flame_box {
    size_t frame; // place in the array of frames
    uint64_t start, width;
};

struct flame_left_out {
    size_t frame_count;
    uint64_t total; // what they account for, counted once where they nest
};

// What a set of boxes is bounded by, and what that leaves out.
struct flame_bounds {
    uint64_t width_min;  // narrower frames are left out
    uint32_t levels_max; // frames of this depth and deeper are left out
    struct flame_left_out narrow, deep;
};

struct flame_layout {
    struct flame_box *boxes; // in preorder; the first is the root
    size_t box_count;
    uint64_t total;
    uint32_t level_count;             // that have boxes which are drawn
    struct flame_bounds drawn, known; // drawn when opened; with a box at all
};

// Lays out `frames`, which are in preorder with the only one of depth 0 first. Children stand side
// by side from their parent's left edge in the order given; where they claim more than the parent
// has, the last ones are cut. Drawn are not frames narrower than one in `finest` and those past
// LIMIT_FLAME_LEVELS, and as many more as LIMIT_FLAME_DRAWN demands: the narrow ones or the deep
// ones, whichever leaves the fuller picture. Without a box are those of no width, and as many more
// as LIMIT_FLAME_BOXES demands.
enum status flame_layout_make(struct flame_layout *layout, const struct flame_frame *frames,
                              size_t frame_count, uint64_t finest, struct error *err);

// Whether the frame of this box is drawn when the picture is opened.
bool flame_is_drawn(const struct flame_layout *layout, const struct flame_frame *frames,
                    const struct flame_box *box);

void flame_layout_free(struct flame_layout *layout);

#endif
