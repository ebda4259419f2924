// How stacks are unwound, as --unwind has it.
#ifndef TRAWL_CMD_UNWIND_METHOD_H
#define TRAWL_CMD_UNWIND_METHOD_H

#include "base/base.h"

enum unwind_method {
    UNWIND_AS_USUAL,
    UNWIND_BY_AUTO, // each way where it can
    UNWIND_BY_SFRAME,
    UNWIND_BY_CALLS,
    UNWIND_BY_FP, // frame pointers
};

// Reads what --unwind may be: "auto", "sframe", "calls" or "fp". False: it is none of them.
bool unwind_method_named(const char *name, enum unwind_method *method);

#endif
