// The chain of copies back from a value: moves between registers, loads and stores, until the
// instruction that computed it, or another beginning.
//
// A value may be put together from parts: the bytes of a pointer over one of which a string ran.
// Then the chain divides, and each part is followed.
#ifndef TRAWL_DATAFLOW_CHAIN_H
#define TRAWL_DATAFLOW_CHAIN_H

#include "base/vec.h"
#include "dataflow/origin.h"

enum chain_kind {
    CHAIN_MOVE,     // between registers
    CHAIN_LOAD,     // from memory
    CHAIN_STORE,    // to memory
    CHAIN_COMPUTED, // made here from other values
    CHAIN_END,      // `end` says why
};

enum { CHAIN_CELLS = 40 };

struct chain_step {
    uint64_t event;     // TRAWL_NONE: before the trace
    uint64_t since;     // of DATA_OUTSIDE
    uint64_t at;        // where its value is read: the event, or that of the point
    uint32_t needed_by; // number of the step that moves it on; UINT32_MAX: the value itself
    uint8_t kind;       // enum chain_kind
    uint8_t end;        // enum data_end
    uint8_t space;      // of what was written: registers, flags, memory
    uint32_t lane;
    uint64_t offset, size_bytes; // from its first to its last byte; of flags a mask
    uint64_t to_place;           // of memory: what is added to addresses for places
};

// Bytes of which it is known where they come from, and which wait to be followed from there.
struct chain_part {
    struct data_origin origin;
    uint64_t before;    // the event that needs them
    uint32_t needed_by; // its step
    size_t count;
    struct dataflow_bytes bytes[CHAIN_CELLS];
};

struct chain {
    struct dataflow *flow;
    uint64_t limit; // of steps
    VEC(, struct chain_step) steps;
    bool is_cut;

    VEC(, struct chain_part) waiting; // the next to be followed is the last
};

enum status chain_find(struct chain *chain, uint64_t event, const struct dataflow_bytes *targets,
                       size_t count, struct error *err);
void chain_free(struct chain *chain);

#endif
