// The frames of a flame graph that are drawn only when it is zoomed, as data for its script: the
// text of an invisible element with the id "hidden".
//
//     <metadata id="hidden" data-unit="ticks" data-total="TICKS">
//                       data-total only if the graph compares two runs: the time of the later one
//     COLOUR NAME       each name, in order of its first use
//                       an empty line
//     +N                the next N boxes, in preorder, are drawn
//     DEPTH,NAME,START,WIDTH,TOTAL,SELF,COUNT,ADDRESS
//                       a box that is not drawn; if the graph compares two runs, followed by
//                       ,CLASS,TOTAL BEFORE,SELF BEFORE (report/flame_text.h)
//     </metadata>
//
// NAME is a number, counted from 0; empty for a frame that is shown as its address. START is
// relative to the start of the previous box, drawn or not. TOTAL is empty if it equals WIDTH; other
// fields are empty if they are 0. ADDRESS is hexadecimal, all others are decimal.
#ifndef TRAWL_REPORT_FLAME_HIDDEN_H
#define TRAWL_REPORT_FLAME_HIDDEN_H

#include "report/flame_layout.h"
#include "report/flame_text.h"
#include "report/out.h"

struct flame_hidden {
    const struct flame_layout *layout;
    const struct flame_frame *frames;
    const char **names;     // by their numbers
    uint32_t *name_numbers; // one for each box that is not drawn
    uint32_t name_count;
    size_t box_count;
    const struct flame_before *before; // as in the graph (report/flame_svg.h), set by the caller
    uint64_t change_most;
};

// Numbers the names of boxes that are not drawn. Names are distinguished by their addresses in
// memory.
enum status flame_hidden_make(struct flame_hidden *hidden, const struct flame_layout *layout,
                              const struct flame_frame *frames, struct error *err);

// Writes nothing if all boxes are drawn.
void flame_hidden_write(const struct flame_hidden *hidden, struct out *out, const char *unit);

void flame_hidden_free(struct flame_hidden *hidden);

#endif
