// The slice of a value: every event that it was computed from, back to where values begin.
//
// Events are taken from the latest to the earliest, as in a pass back over the trace that stops
// only where something is wanted: what an event needs is looked up once, and waits in a heap for
// the event that wrote it. Of what waits, each byte is there once: an event between the two that
// needs it as well finds it in a table. So there are as many searches as there are values, and not
// uses; memory is 16 bytes an event, and 48 for each cell of registers and memory that is wanted at
// the same time. (The trial of this took sets of bytes and a pass over all events: 20 times as long
// where a slice is one event of a hundred.)
#ifndef TRAWL_DATAFLOW_SLICE_H
#define TRAWL_DATAFLOW_SLICE_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "dataflow/origin.h"

// What an event does for the slice, from what it computes to what it only moves.
enum slice_work { SLICE_MOVES, SLICE_COMPUTES };

struct slice_event {
    uint64_t event;
    uint16_t ends;        // a bit for each enum data_end that its inputs, or itself, are
    uint8_t work;         // enum slice_work
    uint8_t loads_stores; // 1: it reads memory for the slice, 2: it writes it
    // Of what a value reaches: where the program goes on; which memory is accessed.
    bool decides, addresses;
};

// `to` needs what `from` wrote.
struct slice_edge {
    uint64_t from, to; // events; `to` TRAWL_NONE: the value itself
    uint8_t role;      // enum effect_role
    uint8_t space;     // enum dataflow_space
};

struct slice_wanted {
    struct dataflow_bytes bytes;
    uint64_t event; // that wrote them; TRAWL_NONE: none is to be followed
    uint8_t end;    // enum data_end
};

struct slice_heap_item {
    uint64_t event;
    uint32_t wanted;
};

// All zero except for the options, before slice_find.
struct slice {
    struct dataflow *flow;
    bool with_addresses; // also follows what computed the addresses of loads and stores
    bool with_edges;
    uint64_t limit;                   // of events
    VEC(, struct slice_event) events; // the latest first
    VEC(, struct slice_edge) edges;
    uint64_t end_counts[DATA_ENDS]; // uses of values that begin there
    uint64_t waiting;               // with `limit` reached: cells whose origin was not followed
    bool is_cut;

    VEC(, struct slice_wanted) wanted;
    VEC(, uint32_t) free_wanted;
    struct hash_index by_cell;
    VEC(, struct slice_heap_item) heap;
    VEC(, struct dataflow_bytes) inputs; // of one event
    VEC(, uint8_t) roles;                // of each
    VEC(, struct dataflow_bytes) outputs;
};

// Finds the slice of some bytes before event `event` (with `at_event`: after it).
enum status slice_find(struct slice *slice, uint64_t event, bool at_event,
                       const struct dataflow_bytes *targets, size_t count, struct error *err);
void slice_free(struct slice *slice);

#endif
