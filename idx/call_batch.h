// Calls on their way into an index: many at a time, stored and packed by several threads.
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
    uint64_t count;               // calls that have a place
    unsigned threads;             // 0: one
    enum simd simd;
};

// One call; those of a lane in preorder, and lanes one after the other.
struct index_call {
    uint64_t entry, exit; // first and last event, counted in the lane
    uint64_t pc;          // of the entry
    uint64_t depth;       // 1: outside of every other
    uint64_t parent;      // how many calls before; 0: none
    bool is_open;
    uint32_t how;    // enum trawl_call_how
    uint64_t before; // how many events before its entry it began, if it continues
};

// Makes places for the next `count` calls, at most CALL_GROUP. False: no memory.
bool call_batch_reserve(struct call_batch *batch, uint64_t count);

// Stores a call in its place, in any order and by any thread.
static inline void call_batch_store(const struct call_batch *batch, uint64_t place,
                                    const struct index_call *call)
{
    struct call_group *calls = &batch->groups[place / CALL_GROUP]->group;
    size_t row = place % CALL_GROUP;
    calls->columns[PART_CALL_ENTRIES][row] = call->entry;
    calls->columns[PART_CALL_LENGTHS][row] = call->exit - call->entry;
    calls->columns[PART_CALL_DEPTHS][row] = call->depth;
    calls->columns[PART_CALL_PARENTS][row] = call->parent;
    calls->columns[PART_CALL_PCS][row] = call->pc;
    calls->columns[PART_CALL_OPEN][row] = call->is_open;
    calls->columns[PART_CALL_HOW][row] = call->how;
    calls->columns[PART_CALL_BEGAN][row] = call->before;
}

// Whether it has as many groups as are packed at once.
bool call_batch_is_full(const struct call_batch *batch);

// Packs its groups, when all calls are stored, and returns how many: of a batch that is full those
// that are full themselves, or all. SIZE_MAX: no memory.
size_t call_batch_pack(struct call_batch *batch);

// Forgets the groups that were packed, so that what is left begins at place 0.
void call_batch_shift(struct call_batch *batch, size_t packed_count);

void call_batch_free(struct call_batch *batch);

#endif
