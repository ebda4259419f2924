// The calls that are active at a point, innermost first; those that never returned, too.
#ifndef TRAWL_BROWSE_FRAMES_H
#define TRAWL_BROWSE_FRAMES_H

#include "browse/source.h"

// A frame: where it is, and the call that it made.
struct frame {
    uint64_t pc;
    uint64_t function; // its beginning, if it has no PC; 0: unknown
    bool has_pc;
    bool has_call;           // there is a frame inside of it
    bool is_open;            // the call never returned
    uint32_t how;            // that call began: enum trawl_call_how
    struct trawl_call first; // that call, or the one that it replaced
    bool has_tail_calls;     // which have replaced it
    uint64_t site;           // the event that called
    uint64_t lane;
};

// Walks the frames from the innermost one outward. Fields are for frames.c.
struct frame_walk {
    struct browse_source *source;
    struct timeline *timeline;
    uint64_t lane;
    bool is_first, has_call;
    uint64_t event; // of the pane
    struct trawl_call call, around;
    struct trawl_call first; // of the calls that replaced each other
    bool is_inside;          // of `around`
    uint64_t site;           // the event after the calling one; 0: none
};

// Begins at the point after an event, or before the first one (TRAWL_START).
void frames_begin(struct frame_walk *walk, struct browse_source *source, struct timeline *timeline,
                  uint64_t event);

// Names a value of a register or of memory after an event (browse_address_name): the address to
// which an active call returns by that call (browse_return_name). *is_return: it is one; NULL: not
// asked for, so calls are only searched where that matters.
bool frames_value_name(struct browse_source *source, struct timeline *timeline, uint64_t event,
                       uint64_t value, char text[BROWSE_NAME_BYTES], bool *is_return);

// The next frame outward. False: there are no more.
bool frames_next(struct frame_walk *walk, struct frame *frame);

#endif
