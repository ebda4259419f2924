// The writes to a register or to memory, or the reads of memory, or both, one after the other.
#ifndef TRAWL_QUERY_WRITES_H
#define TRAWL_QUERY_WRITES_H

#include "trace/index_view.h"

enum write_kind {
    WRITE_REGISTER,
    WRITE_STORE,
    WRITE_STORE_UNKNOWN,
    WRITE_HOST,
    WRITE_OUTSIDE,
    WRITE_NONE, // a read
    WRITE_BOTH, // the event reads and writes
};

// What to walk over. Reads need session.asks_loads.
enum write_wish { WISH_WRITES, WISH_READS, WISH_ACCESSES };

// The target: bytes of the register space, or of memory.
struct write_target {
    bool is_register;
    uint64_t lane; // whose registers, or which lane wrote memory; TRAWL_ANY_LANE
    uint64_t start, size_bytes;
    enum write_wish wish; // of memory
};

struct write_found {
    uint64_t event;
    uint64_t lane; // of the registers; for memory, see the event
    enum write_kind kind;
    uint64_t start, size_bytes; // for memory, from the first to the last byte written
    uint64_t since; // of WRITE_OUTSIDE: the last event at which memory had the earlier value
};

// Writes to memory that are found at once.
#define WRITES_AT_ONCE 1024

// A walk over the writes, continuing from a point or back.
struct write_walk {
    const struct index_view *view;
    struct write_target target;
    bool is_back;
    uint64_t event; // the current point
    uint64_t first; // the point at which it began, where addresses of memory are looked up
    // For memory: found, but not yet returned.
    struct write_found found[WRITES_AT_ONCE];
    size_t at, count;
    size_t wanted; // how many to find next time
};

// Begins a walk over the writes after `event`, or with `is_back` over those up to and including
// it, the last first.
void writes_begin(struct write_walk *walk, const struct index_view *view,
                  const struct write_target *target, uint64_t event, bool is_back);

// The next write. STATUS_NOT_FOUND: there is none.
enum status writes_next(struct write_walk *walk, struct write_found *found, struct error *err);

#endif
