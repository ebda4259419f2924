// How stacks are unwound (--unwind).
#ifndef TRAWL_CMD_UNWIND_METHOD_H
#define TRAWL_CMD_UNWIND_METHOD_H

#include "base/base.h"

// The method is tried first; for frames that it cannot unwind, the ones after it continue.
enum unwind_method {
    UNWIND_AS_USUAL,
    UNWIND_BY_AUTO, // all methods, if an image has rules of any kind
    UNWIND_BY_SFRAME,
    UNWIND_BY_DWARF,
    UNWIND_BY_EXIDX, // Arm's exception tables
    UNWIND_BY_FP,    // frame pointers
    UNWIND_BY_CALLS,
};

// The values of --unwind, for messages.
#define UNWIND_METHODS "auto, sframe, dwarf, exidx, fp or calls"

// Reads one of them. False: another value.
bool unwind_method_named(const char *name, enum unwind_method *method);

#endif
