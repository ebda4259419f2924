// The unwinder of a command: opened according to --unwind; its faults and missing tables are
// reported, and stacks that end early are counted.
#ifndef TRAWL_CMD_UNWINDING_H
#define TRAWL_CMD_UNWINDING_H

#include "base/base.h"
#include "cmd/query.h"
#include "unwind/unwind_trace.h"

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

struct unwinding {
    struct command *command;
    struct unwind_trace trace;
    struct unwind_stack stack; // the last one
    uint64_t stack_count, early_count, doubtful_count;
};

// Opens the unwinder for the images and the index of the query. STATUS_NOT_FOUND: no image has the
// requested rules. Freed by unwinding_free in any case.
enum status unwinding_open(struct unwinding *unwinding, struct command *command,
                           enum unwind_method method, struct error *err);
void unwinding_free(struct unwinding *unwinding);

// Whether any image has rules of any kind.
bool unwinding_has_rules(struct unwinding *unwinding);

// Unwinds the stack of a lane after one of its events, and counts it if there is one.
enum status unwinding_at(struct unwinding *unwinding, const struct trawl_event *at,
                         struct error *err);

// "3 of 17 stacks end before the outermost frame", if any does; likewise for those that differ from
// the calls of the trace.
void unwinding_warn(const struct unwinding *unwinding);

#endif
