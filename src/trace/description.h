// How a kind describes a trace, for `info`.
#ifndef TRAWL_TRACE_DESCRIPTION_H
#define TRAWL_TRACE_DESCRIPTION_H

#include "trace/trace.h"

struct items;

// Returns names of functions.
struct trace_namer {
    void *self;
    const char *(*name)(void *self, uint64_t pc); // NULL: no name
};

// Part of a kind's row. Used for an open trace, after a pass over its calls if it has any.
struct trace_description {
    const char *noun, *event_noun; // for comparing its index with it: "log", "record"
    // Writes labelled values about the whole trace.
    void (*put)(struct trace *trace, const struct pass_result *result, struct items *items);
    // Writes the options of its index that only this kind has. NULL: none.
    void (*put_index)(const struct trawl_info *about, struct items *items);
    // Writes tables: first the lanes, then others. Fails only if there is no memory.
    enum status (*put_tables)(struct trace *trace, const struct pass_result *result,
                              const struct trace_namer *namer, struct items *items,
                              struct error *err);
};

#endif
