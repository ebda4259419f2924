// The description of a trace by its kind, for `info`.
#ifndef TRAWL_TRACE_DESCRIPTION_H
#define TRAWL_TRACE_DESCRIPTION_H

#include "trace/trace.h"

struct items;

// Who says what functions are called.
struct trace_namer {
    void *self;
    const char *(*name)(void *self, uint64_t pc); // NULL: nothing
};

// A row of the kind. Of a trace that is open, after a pass over its calls if it has any.
struct trace_description {
    const char *noun, *event_noun; // of what its index is compared with: "log", "record"
    // Labelled values of the trace as a whole.
    void (*put)(struct trace *trace, const struct pass_result *result, struct items *items);
    // Options of an index of it that are its own. NULL: there are none.
    void (*put_index)(const struct trawl_info *about, struct items *items);
    // Tables: lanes first, and what there is besides. Fails only for lack of memory.
    enum status (*put_tables)(struct trace *trace, const struct pass_result *result,
                              const struct trace_namer *namer, struct items *items,
                              struct error *err);
};

#endif
