// What a kind of trace answers in a way of its own, for the commands that ask all kinds. Where a
// row has nothing, the command's own answer, which knows no kinds, will do.
#ifndef TRAWL_CMD_KIND_REPORTS_H
#define TRAWL_CMD_KIND_REPORTS_H

#include "cmd/contexts.h"
#include "cmd/query.h"

// How stacks are unwound, as --unwind has it.
enum unwind_method {
    UNWIND_AS_USUAL,
    UNWIND_BY_AUTO, // each way where it can
    UNWIND_BY_SFRAME,
    UNWIND_BY_CALLS,
    UNWIND_BY_FP, // frame pointers
};

// Reads what --unwind may be: "auto", "sframe", "calls" or "fp". False: it is none of them.
bool unwind_method_named(const char *name, enum unwind_method *method);

// Which writes are asked for.
struct writes_wanted {
    bool is_back;   // those at or before the point, the last first; else those behind it
    bool is_all;    // of the whole trace, whatever the point
    uint64_t count; // at most
};

struct kind_reports {
    const struct trace_kind *kind;
    // Each takes the whole command over, whose trace is known but not open, and returns the status
    // to end with.
    enum exit_status (*info)(struct trace_command *command, bool lists_functions, bool lists_sizes);
    enum exit_status (*stack)(struct query *query, enum unwind_method how);
    enum exit_status (*state)(struct query *query, const char *const *memory, size_t count);
    enum exit_status (*writes)(struct query *query, const char *what,
                               const struct writes_wanted *wanted);
    // Contexts of the stacks of all events that are wanted, each as one tick, or as many as the
    // variable `weight` (NULL: none) has in it. False: reported, *status is what to end with; freed
    // by contexts_free either way.
    bool (*contexts)(struct contexts *contexts, struct trace_command *command,
                     enum unwind_method how, const char *weight, enum exit_status *status);
};

// Of the trace, which is known; with nothing in it for kinds without.
const struct kind_reports *kind_reports_of(const struct trace_command *command);

#endif
