// How stacks are unwound (--unwind).
#ifndef TRAWL_CMD_UNWIND_METHOD_H
#define TRAWL_CMD_UNWIND_METHOD_H

#include "base/base.h"

// Each is tried first, and where it knows nothing of a frame the ones after it continue from there.
enum unwind_method {
    UNWIND_AS_USUAL,
    UNWIND_BY_AUTO, // all, where an image has rules of any kind
    UNWIND_BY_SFRAME,
    UNWIND_BY_DWARF,
    UNWIND_BY_EXIDX, // Arm's exception tables
    UNWIND_BY_FP,    // frame pointers
    UNWIND_BY_CALLS,
};

// What --unwind may be, for messages.
#define UNWIND_METHODS "auto, sframe, dwarf, exidx, fp or calls"

// Reads one of them. False: it is none.
bool unwind_method_named(const char *name, enum unwind_method *method);

#endif
