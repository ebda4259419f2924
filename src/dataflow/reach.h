// What a value reaches: every event that computes or moves something from it, in the order of the
// trace, and what still has it in the end.
// Having the value is a property that spreads (spread.h).
#ifndef TRAWL_DATAFLOW_REACH_H
#define TRAWL_DATAFLOW_REACH_H

#include "base/vec.h"
#include "dataflow/slice.h"

enum { REACH_PLACES = 16 };

struct reach {
    struct dataflow *flow;
    bool with_addresses; // also of what is loaded from or stored to an address that has the value
    uint64_t limit;      // of events
    VEC(, struct slice_event) events; // in order
    bool is_cut;
    uint64_t unknown; // instructions of which it is not known what they do
    // What has it in the end: the first of these cells, of how many.
    struct dataflow_bytes left[REACH_PLACES];
    uint64_t left_count;
};

// Follows some bytes as they are after event `event`. The index must have its loads.
enum status reach_find(struct reach *reach, uint64_t event, const struct dataflow_bytes *targets,
                       size_t count, struct error *err);
void reach_free(struct reach *reach);

#endif
