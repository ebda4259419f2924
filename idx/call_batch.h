// Groups of calls on their way into an index: packed many at a time, by several threads.
#ifndef TRAWL_IDX_CALL_BATCH_H
#define TRAWL_IDX_CALL_BATCH_H

#include "idx/call_group.h"

// How many groups are packed at once at most, for each thread.
#define BATCH_GROUPS 8

struct packed_calls {
    struct call_group group;
    struct parts_writer parts; // what it is packed into
};

// All zero is empty, for one thread.
struct call_batch {
    struct packed_calls **groups; // each is made when it is first used
    size_t group_count;           // that were made
    size_t used_count;            // that have calls
    unsigned threads;             // 0: one
    enum simd simd;
};

// Where the next call goes, which is group->count of it; NULL: the batch is full and has to be
// packed and emptied, or (*has_memory is false) there is no memory.
struct call_group *call_batch_next(struct call_batch *batch, bool *has_memory);

// Packs the groups that have calls. False: no memory.
bool call_batch_pack(struct call_batch *batch);

// Forgets the calls.
void call_batch_empty(struct call_batch *batch);

// How many calls it has.
uint64_t call_batch_count(const struct call_batch *batch);

void call_batch_free(struct call_batch *batch);

#endif
