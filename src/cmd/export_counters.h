// Counters of an export: values of registers and memory over time, from an index of the trace.
#ifndef TRAWL_CMD_EXPORT_COUNTERS_H
#define TRAWL_CMD_EXPORT_COUNTERS_H

#include "cmd/query.h"

// Receives values of counters, in the order of writes: a new track, then its values. Functions
// return whether to continue.
struct counter_sink {
    void *self;
    bool (*track)(void *self, const char *name);
    bool (*value)(void *self, uint64_t time, uint64_t value, bool is_signed);
};

// Counters as typed.
VEC(counter_texts, const char *);

// Opens the index from which counters are read, before a pass over the trace. False: reported.
bool export_counters_open(struct command *query, const struct counter_texts *counters);

// Gives all their values in the range of --time and --events; each register for every lane that
// --lane lets through. False: reported, or the sink stopped.
bool export_counters_give(struct command *query, const struct counter_texts *counters,
                          const struct counter_sink *sink);

#endif
