// The calls that are active at a point, innermost first; those that never returned, too.
#ifndef TRAWL_BROWSE_FRAMES_H
#define TRAWL_BROWSE_FRAMES_H

#include "browse/source.h"

// A frame: where it is, and the call that it made.
struct frame {
    uint64_t pc;
    uint64_t function; // where it begins, if it has no PC; 0: not known
    bool has_pc;
    bool has_call;       // there is a frame inside of it
    bool is_open;        // which never returned
    uint32_t how;        // that call began: enum trawl_call_how
    bool has_tail_calls; // which took its place since
    uint64_t site;       // the event that called
    uint64_t lane;
};

// Goes through the frames from the innermost one. Fields are for frames.c.
struct frame_walk {
    struct browse_source *source;
    struct timeline *timeline;
    uint64_t lane;
    bool is_first, has_call;
    uint64_t event; // of the pane
    struct trawl_call call, around;
    struct trawl_call first; // of those that took each other's place
    bool is_inside;          // of `around`
    uint64_t site;           // the event after the one that the call was made by; 0: none
};

// Begins with where the trace is after an event, or before the first one (TRAWL_START).
void frames_begin(struct frame_walk *walk, struct browse_source *source, struct timeline *timeline,
                  uint64_t event);

// The next frame outwards. False: there are no more.
bool frames_next(struct frame_walk *walk, struct frame *frame);

#endif
