// Stores ended calls in bounded memory: for each call its row in a table and its length, for
// further passes over the same calls that need nothing else.
#ifndef TRAWL_TRACE_XRAY_CALL_TAPE_H
#define TRAWL_TRACE_XRAY_CALL_TAPE_H

#include "base/base.h"
#include "base/limits.h"

#include <stdlib.h>

// A call is one number: its row in the upper bits, its ticks in the lower ones.
#define CALL_TAPE_TICK_BITS 44
#define CALL_TAPE_BLOCK_CALLS (UINT64_C(1) << 18)
#define CALL_TAPE_BLOCKS (LIMIT_XRAY_TAPE_BYTES / sizeof(uint64_t) / CALL_TAPE_BLOCK_CALLS)

// All zero: empty, with room for as much as one tape can have.
struct call_tape {
    uint64_t *blocks[CALL_TAPE_BLOCKS];
    uint64_t *next, *end; // of the last block
    size_t block_count;
    unsigned shared_by; // number of tapes that share that room, if more than one
    bool is_torn;       // a call did not fit, or there is no memory: it has no contents
};

// Private to call_tape_add: makes room for a call, or marks the tape as torn.
bool call_tape_grow(struct call_tape *tape);
void call_tape_tear(struct call_tape *tape);

static ALWAYS_INLINE void call_tape_add(struct call_tape *tape, size_t row, uint64_t ticks)
{
    if (UNLIKELY(tape->next == tape->end) && !call_tape_grow(tape))
        return;
    if (UNLIKELY(ticks >> CALL_TAPE_TICK_BITS || row >> (64 - CALL_TAPE_TICK_BITS))) {
        call_tape_tear(tape);
        return;
    }
    *tape->next++ = (uint64_t)row << CALL_TAPE_TICK_BITS | ticks;
}

// The number of calls in block `number`.
static inline size_t call_tape_block_calls(const struct call_tape *tape, size_t number)
{
    return number + 1 < tape->block_count ? CALL_TAPE_BLOCK_CALLS
                                          : (size_t)(tape->next - tape->blocks[number]);
}

static ALWAYS_INLINE size_t call_tape_row(uint64_t call)
{
    return (size_t)(call >> CALL_TAPE_TICK_BITS);
}

static ALWAYS_INLINE uint64_t call_tape_ticks(uint64_t call)
{
    return call & ((UINT64_C(1) << CALL_TAPE_TICK_BITS) - 1);
}

// The tape is empty afterwards.
void call_tape_free(struct call_tape *tape);

#endif
