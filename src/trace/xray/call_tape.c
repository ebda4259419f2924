#include "trace/xray/call_tape.h"

#include <sys/mman.h>

#define BLOCK_BYTES (CALL_TAPE_BLOCK_CALLS * sizeof(uint64_t))

// Allocating memory takes longer than writing to it. So blocks have the size of huge pages, and all
// but the first request one.
static uint64_t *new_block(const struct call_tape *tape)
{
    uint64_t *block = aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);
#ifdef MADV_HUGEPAGE
    if (block && tape->block_count)
        madvise(block, BLOCK_BYTES, MADV_HUGEPAGE);
#endif
    return block;
}

static void free_blocks(struct call_tape *tape)
{
    for (size_t i = 0; i < tape->block_count; i++)
        free(tape->blocks[i]);
    *tape = (struct call_tape){.is_torn = tape->is_torn, .shared_by = tape->shared_by};
}

void call_tape_tear(struct call_tape *tape)
{
    tape->is_torn = true;
    free_blocks(tape);
}

bool call_tape_grow(struct call_tape *tape)
{
    uint64_t sharing = u64_max(tape->shared_by, 1);
    bool has_room = !tape->is_torn && tape->block_count < CALL_TAPE_BLOCKS / sharing;
    uint64_t *block = has_room ? new_block(tape) : NULL;
    if (!block) {
        call_tape_tear(tape);
        return false;
    }
    tape->blocks[tape->block_count++] = block;
    tape->next = block;
    tape->end = block + CALL_TAPE_BLOCK_CALLS;
    return true;
}

void call_tape_free(struct call_tape *tape)
{
    free_blocks(tape);
    tape->is_torn = false;
}
