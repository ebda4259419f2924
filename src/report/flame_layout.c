#include "report/flame_layout.h"

#include "base/limits.h"

#include <stdlib.h>

// How far the children of the open frame of one depth have come, and where they must end.
struct flame_row {
    uint64_t next, end;
};

struct flame_walk {
    struct flame_row rows[LIMIT_FLAME_LEVELS];
    bool skipping; // what is deeper than skip_depth
    uint32_t skip_depth;
    struct flame_left_out *skip_for; // counts them
};

static void leave_out(struct flame_walk *walk, const struct flame_frame *frame, uint64_t width,
                      struct flame_left_out *left_out)
{
    left_out->frame_count++;
    left_out->total += width;
    walk->skipping = true;
    walk->skip_depth = frame->depth;
    walk->skip_for = left_out;
}

// Takes the frame's place in its parent; returns its start and, in *width, what fits.
static uint64_t take_place(struct flame_walk *walk, const struct flame_frame *frame,
                           uint64_t *width)
{
    struct flame_row *row = &walk->rows[frame->depth - 1];
    uint64_t start = row->next;
    *width = u64_min(frame->total, row->end - start);
    row->next += *width;
    return start;
}

static void add_box(struct flame_layout *layout, struct flame_walk *walk, size_t frame,
                    uint32_t depth, uint64_t start, uint64_t width)
{
    walk->rows[depth] = (struct flame_row){.next = start, .end = start + width};
    layout->boxes[layout->box_count++] = (struct flame_box){frame, start, width};
    if (layout->level_count <= depth)
        layout->level_count = depth + 1;
}

// One attempt with layout->width_min and layout->levels_max. False when the boxes are too many.
static bool try_layout(struct flame_layout *layout, const struct flame_frame *frames,
                       size_t frame_count)
{
    struct flame_walk walk = {0};
    layout->box_count = 0;
    layout->level_count = 0;
    layout->narrow = layout->deep = (struct flame_left_out){0};
    add_box(layout, &walk, 0, 0, 0, layout->total);
    for (size_t i = 1; i < frame_count; i++) {
        const struct flame_frame *frame = &frames[i];
        ASSERT(frame->depth > 0 && frame->depth - 1 <= frames[i - 1].depth);
        if (walk.skipping && frame->depth > walk.skip_depth) {
            walk.skip_for->frame_count++;
            continue;
        }
        walk.skipping = false;
        uint64_t width;
        uint64_t start = take_place(&walk, frame, &width);
        if (width < layout->width_min) {
            leave_out(&walk, frame, width, &layout->narrow);
        } else if (frame->depth >= layout->levels_max) {
            leave_out(&walk, frame, width, &layout->deep);
        } else {
            if (layout->box_count == LIMIT_FLAME_BOXES)
                return false;
            add_box(layout, &walk, i, frame->depth, start, width);
        }
    }
    return true;
}

static unsigned __int128 drawn_area(const struct flame_layout *layout)
{
    unsigned __int128 area = 0;
    for (size_t i = 0; i < layout->box_count; i++)
        area += layout->boxes[i].width;
    return area;
}

static void drop_narrow(struct flame_layout *layout, const struct flame_frame *frames,
                        size_t frame_count)
{
    while (!try_layout(layout, frames, frame_count))
        layout->width_min += layout->width_min / 2 + 1;
}

static void drop_deep(struct flame_layout *layout, const struct flame_frame *frames,
                      size_t frame_count)
{
    while (!try_layout(layout, frames, frame_count))
        layout->levels_max -= layout->levels_max / 8 + 1;
}

// Many stacks of much the same width would all fall to a higher bound on the width; a forest of
// needles on a few broad functions would be cut to its trunks by a lower bound on the depth.
static void drop_either(struct flame_layout *layout, const struct flame_frame *frames,
                        size_t frame_count)
{
    uint64_t width_min = layout->width_min;
    drop_deep(layout, frames, frame_count);
    uint32_t levels_max = layout->levels_max;
    unsigned __int128 area = drawn_area(layout);

    layout->levels_max = LIMIT_FLAME_LEVELS;
    drop_narrow(layout, frames, frame_count);
    if (drawn_area(layout) >= area)
        return;
    layout->width_min = width_min;
    layout->levels_max = levels_max;
    bool fits = try_layout(layout, frames, frame_count);
    ASSERT(fits);
}

enum status flame_layout_make(struct flame_layout *layout, const struct flame_frame *frames,
                              size_t frame_count, uint64_t finest, struct error *err)
{
    ASSERT(frame_count > 0 && frames[0].depth == 0 && finest > 0);
    *layout = (struct flame_layout){.total = frames[0].total, .levels_max = LIMIT_FLAME_LEVELS};
    size_t room = frame_count < LIMIT_FLAME_BOXES ? frame_count : LIMIT_FLAME_BOXES;
    layout->boxes = malloc(room * sizeof *layout->boxes);
    if (!layout->boxes)
        return error_set(err, STATUS_MEMORY, "flame graph: no memory");
    // Also where everything is tiny, a frame of no width is never drawn.
    layout->width_min = u64_max(layout->total / finest, 1);
    if (!try_layout(layout, frames, frame_count))
        drop_either(layout, frames, frame_count);
    return STATUS_OK;
}

void flame_layout_free(struct flame_layout *layout)
{
    free(layout->boxes);
    *layout = (struct flame_layout){0};
}
