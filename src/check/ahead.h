// Events with their accesses and the numbers of their instructions' texts, in blocks, read ahead by
// other threads while the checker looks at earlier ones. Checking goes through events in their
// order, but decoding does not: each thread has its own reader of the index and takes every n-th
// segment, of which it keeps some blocks at most until the checker has seen them. Without threads,
// the checker reads each block when it comes to it, by the same code. What a block has depends on
// nothing but the segment, so the findings are the same for any number of threads.
//
// Of an event of hash-a64, reading takes 40 % of the instructions, and so little more than two
// threads can be of use.
#ifndef TRAWL_CHECK_AHEAD_H
#define TRAWL_CHECK_AHEAD_H

#include "dataflow/dataflow.h"

enum { AHEAD_EVENTS = 1024 };

struct access {
    uint64_t address, place, size_bytes;
    bool is_store;
};

// Rows of consecutive events.
struct ahead_block {
    uint64_t first;
    size_t count;
    uint64_t lane[AHEAD_EVENTS], in_lane[AHEAD_EVENTS], position[AHEAD_EVENTS], pc[AHEAD_EVENTS],
        flags[AHEAD_EVENTS], text[AHEAD_EVENTS];
    // Those of event i are accesses.items[starts[i]] up to starts[i + 1], loads first. The place is
    // the address: where these differ, only the checker's own index may tell, which counts what it
    // is not sure of. The checker may change them.
    VEC(, struct access) accesses;
    size_t starts[AHEAD_EVENTS + 1];
    enum status status; // of reading it
    struct error err;
};

struct ahead;

// Begins with the first event. Uses `flow` itself without threads; `threads`: the caller's
// included. *made has to be closed also after a failure.
enum status ahead_open(struct ahead **made, struct dataflow *flow, unsigned threads,
                       struct error *err);
void ahead_close(struct ahead *ahead);

// The next block, valid until the next call. *block NULL: there are no more events.
enum status ahead_next(struct ahead *ahead, struct ahead_block **block, struct error *err);

#endif
