// Calls before they are written to an index: several threads store and pack many at a time.
#ifndef TRAWL_IDX_CALL_BATCH_H
#define TRAWL_IDX_CALL_BATCH_H

#include "idx/index_format.h"
#include "idx/parts.h"

// A group of calls of an index, in preorder, as columns.
struct call_group {
    size_t count;
    uint64_t columns[PART_CALL_LAST + 1][CALL_GROUP]; // by enum call_part
};

// Packs a group that is not empty. False: no memory.
bool call_group_pack(const struct call_group *group, struct parts_writer *parts);

// The greatest last event of the calls of a group.
uint64_t call_group_exit_max(const struct call_group *group);

// The largest number of groups that are packed at once, for each thread.
#define BATCH_GROUPS 8

struct packed_calls {
    struct call_group group;
    struct parts_writer parts; // the packed bytes
};

// All zero is an empty batch for one thread.
struct call_batch {
    struct packed_calls **groups; // allocated when first used
    size_t group_count;           // allocated
    uint64_t count;               // calls that have a place
    unsigned threads;             // 0: one
    enum simd simd;
};

// One call. Calls of a lane are in preorder; lanes follow one after the other.
struct index_call {
    uint64_t entry, exit; // first and last event, counted in the lane
    uint64_t pc;          // of the entry
    uint64_t depth;       // 1: not inside another call
    uint64_t parent;      // its distance from the parent, in calls; 0: no parent
    bool is_open;
    uint32_t how;    // enum trawl_call_how
    uint64_t before; // the number of events from its begin to this entry, if it continues
};

// Reserves places for the next `count` calls, at most CALL_GROUP. False: no memory.
bool call_batch_reserve(struct call_batch *batch, uint64_t count);

// Stores a call in its place. Any thread may do so, in any order.
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

// Packs groups after all their calls were stored. Packs only full groups if the batch is full,
// otherwise all. Returns their number; SIZE_MAX: no memory.
size_t call_batch_pack(struct call_batch *batch);

// Removes the groups that were packed, so that the remaining calls begin at place 0.
void call_batch_shift(struct call_batch *batch, size_t packed_count);

void call_batch_free(struct call_batch *batch);

#endif
