// Where each frame of a flame graph stands, and which are left out. Knows nothing of pictures.
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

// A frame that is drawn. It spans [start, start + width) of the root's [0, total).
struct flame_box {
    size_t frame; // place in the array of frames
    uint64_t start, width;
};

struct flame_left_out {
    size_t frame_count;
    uint64_t total; // what they account for, counted once where they nest
};

struct flame_layout {
    struct flame_box *boxes; // in preorder; the first is the root
    size_t box_count;
    uint64_t total;
    uint64_t width_min;   // narrower frames are left out
    uint32_t levels_max;  // frames of this depth and deeper are left out
    uint32_t level_count; // that have boxes
    struct flame_left_out narrow, deep;
};

// Lays out `frames`, which are in preorder with the only one of depth 0 first. Children stand side
// by side from their parent's left edge in the order given; where they claim more than the parent
// has, the last ones are cut. Frames narrower than one in `finest` and those past
// LIMIT_FLAME_LEVELS are left out, then as many more as LIMIT_FLAME_BOXES demands: the narrow ones
// or the deep ones, whichever leaves the fuller picture.
enum status flame_layout_make(struct flame_layout *layout, const struct flame_frame *frames,
                              size_t frame_count, uint64_t finest, struct error *err);

void flame_layout_free(struct flame_layout *layout);

#endif
