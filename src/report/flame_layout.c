#include "report/flame_svg.h"

#include "base/limits.h"

#include <stdlib.h>

// For each depth: where the next child of the open frame begins, and where the last must end.
struct flame_row {
    uint64_t next, end;
};

struct flame_walk {
    const struct flame_frame *frames;
    size_t frame_count, boxes_max;
    struct flame_row *rows; // one for each depth that has a box
    struct flame_box *boxes;
    size_t box_count;
    bool skipping; // frames deeper than skip_depth are skipped
    uint32_t skip_depth;
    struct flame_left_out *skip_for; // counts the skipped frames
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

// Assigns the frame its place in its parent. Returns its start, and in *width how much of it fits.
static uint64_t take_place(struct flame_walk *walk, const struct flame_frame *frame,
                           uint64_t *width)
{
    struct flame_row *row = &walk->rows[frame->depth - 1];
    uint64_t start = row->next;
    *width = u64_min(frame->total, row->end - start);
    row->next += *width;
    return start;
}

static void add_box(struct flame_walk *walk, size_t frame, uint64_t start, uint64_t width)
{
    uint32_t depth = walk->frames[frame].depth;
    walk->rows[depth] = (struct flame_row){.next = start, .end = start + width};
    walk->boxes[walk->box_count++] = (struct flame_box){frame, start, width};
}

// Tries the given bounds. False: there are too many boxes.
static bool try_bounds(struct flame_walk *walk, struct flame_bounds *bounds)
{
    walk->box_count = 0;
    walk->skipping = false;
    bounds->narrow = bounds->deep = (struct flame_left_out){0};
    add_box(walk, 0, 0, walk->frames[0].total);
    for (size_t i = 1; i < walk->frame_count; i++) {
        const struct flame_frame *frame = &walk->frames[i];
        ASSERT(frame->depth > 0 && frame->depth - 1 <= walk->frames[i - 1].depth);
        if (walk->skipping && frame->depth > walk->skip_depth) {
            walk->skip_for->frame_count++;
            continue;
        }
        walk->skipping = false;
        uint64_t width;
        uint64_t start = take_place(walk, frame, &width);
        if (width < bounds->width_min) {
            leave_out(walk, frame, width, &bounds->narrow);
        } else if (frame->depth >= bounds->levels_max) {
            leave_out(walk, frame, width, &bounds->deep);
        } else {
            if (walk->box_count == walk->boxes_max)
                return false;
            add_box(walk, i, start, width);
        }
    }
    return true;
}

static unsigned __int128 area_of(const struct flame_walk *walk)
{
    unsigned __int128 area = 0;
    for (size_t i = 0; i < walk->box_count; i++)
        area += walk->boxes[i].width;
    return area;
}

// Gives boxes to the frames within the bounds, after making these tighter until there are at most
// `boxes_max` boxes.
static void give_boxes(struct flame_walk *walk, struct flame_bounds *bounds, size_t boxes_max)
{
    walk->boxes_max = boxes_max;
    if (!try_bounds(walk, bounds)) {
        // Many stacks of similar width would all be lost to a higher bound on the width. Many
        // narrow stacks on a few broad functions would be cut to those functions by a lower bound
        // on the depth. So this tries both, and keeps the larger area.
        struct flame_bounds lower = *bounds;
        while (!try_bounds(walk, &lower)) // without the deepest
            lower.levels_max -= lower.levels_max / 8 + 1;
        unsigned __int128 area = area_of(walk);

        while (!try_bounds(walk, bounds)) // without the narrowest
            bounds->width_min += bounds->width_min / 2 + 1;
        if (area_of(walk) < area) {
            *bounds = lower;
            bool fits = try_bounds(walk, bounds);
            ASSERT(fits);
        }
    }
}

static void note_level(uint32_t *level_count, uint32_t depth)
{
    *level_count = depth >= *level_count ? depth + 1 : *level_count;
}

bool flame_is_drawn(const struct flame_layout *layout, const struct flame_frame *frames,
                    const struct flame_box *box)
{
    return !box->frame || (box->width >= layout->drawn.width_min &&
                           frames[box->frame].depth < layout->drawn.levels_max);
}

enum status flame_layout_make(struct flame_layout *layout, const struct flame_frame *frames,
                              size_t frame_count, uint64_t finest, struct error *err)
{
    ASSERT(frame_count > 0 && frames[0].depth == 0 && finest > 0);
    size_t room = frame_count < LIMIT_FLAME_BOXES ? frame_count : LIMIT_FLAME_BOXES;
    struct flame_walk walk = {.frames = frames, .frame_count = frame_count};
    *layout = (struct flame_layout){.total = frames[0].total};
    layout->boxes = walk.boxes = malloc(room * sizeof *walk.boxes);
    walk.rows = malloc(room * sizeof *walk.rows); // a deep box has one row for each frame around it
    if (walk.boxes && walk.rows) {
        // A frame without width is never drawn, even if all frames are tiny.
        layout->drawn.width_min = u64_max(layout->total / finest, 1);
        layout->drawn.levels_max = LIMIT_FLAME_LEVELS;
        give_boxes(&walk, &layout->drawn, LIMIT_FLAME_DRAWN);
        layout->level_count = 0;
        for (size_t i = 0; i < walk.box_count; i++)
            note_level(&layout->level_count, walk.frames[walk.boxes[i].frame].depth);

        layout->known.width_min = 1;
        layout->known.levels_max = 0;
        for (size_t i = 0; i < walk.frame_count; i++)
            note_level(&layout->known.levels_max, walk.frames[i].depth);
        give_boxes(&walk, &layout->known, LIMIT_FLAME_BOXES);
        layout->box_count = walk.box_count;
    }
    free(walk.rows);
    if (layout->box_count)
        return STATUS_OK;
    flame_layout_free(layout);
    return error_set(err, STATUS_MEMORY, "flame graph: no memory");
}

void flame_layout_free(struct flame_layout *layout)
{
    free(layout->boxes);
    *layout = (struct flame_layout){0};
}
