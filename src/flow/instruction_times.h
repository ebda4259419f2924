// The effect of an instruction is known only with the next one of its lane, which ends its time and
// shows where control went. So each instruction waits until then to be counted (flow/pc_counts.h).
#ifndef TRAWL_FLOW_INSTRUCTION_TIMES_H
#define TRAWL_FLOW_INSTRUCTION_TIMES_H

#include "flow/pc_counts.h"

// An instruction whose next one in its lane is not known yet.
struct last_instruction {
    uint64_t pc; // with Thumb bit
    uint64_t time, position;
    bool is_there, is_executed;
    bool is_counted;     // it is in the range that counts
    bool is_interrupted; // an exception came after it
};

// The first and last instruction of a part of a lane; those between are counted.
struct instruction_ends {
    struct last_instruction first, last;
    bool is_interrupted_before; // an exception came before the first
};

// The count of an instruction whose time ended then.
static inline struct pc_count instruction_count(const struct last_instruction *last,
                                                uint64_t end_time)
{
    return (struct pc_count){
        .pc = last->pc & ~UINT64_C(1),
        .executed = last->is_executed,
        .skipped = !last->is_executed,
        .ticks = end_time > last->time ? end_time - last->time : 0,
        .position = last->position,
    };
}

// The same for one that was followed by another.
static inline struct pc_count instruction_followed(const struct last_instruction *last,
                                                   const struct last_instruction *next)
{
    struct pc_count one = instruction_count(last, next->is_counted ? next->time : 0);
    uint64_t distance = (next->pc & ~UINT64_C(1)) - one.pc;
    bool is_followed = last->is_executed && !last->is_interrupted;
    one.followed_by_2 = is_followed & (distance == 2);
    one.followed_by_4 = is_followed & (distance == 4);
    one.went = is_followed & (distance != 2) & (distance != 4);
    return one;
}

// Counts the last instruction of a lane so far, using the part that follows, and continues with the
// last one of that part. False: no memory.
static inline bool instruction_ends_join(struct last_instruction *last,
                                         const struct instruction_ends *next,
                                         struct pc_counts *counts)
{
    last->is_interrupted |= next->is_interrupted_before;
    if (!next->first.is_there)
        return true;
    if (last->is_there && last->is_counted) {
        const struct pc_count one = instruction_followed(last, &next->first);
        if (!pc_counts_add(counts, &one))
            return false;
    }
    *last = next->last;
    return true;
}

// Counts the last instruction of a lane, whose time ends with the lane. False: no memory.
static inline bool instruction_end(const struct last_instruction *last, uint64_t end_time,
                                   struct pc_counts *counts)
{
    const struct pc_count one = instruction_count(last, end_time);
    return !last->is_there || !last->is_counted || pc_counts_add(counts, &one);
}

#endif
