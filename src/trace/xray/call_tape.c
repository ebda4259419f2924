#include "trace/xray/call_tape.h"

#define BLOCK_BYTES (CALL_TAPE_BLOCK_CALLS * sizeof(uint64_t))

static void free_blocks(struct call_tape *tape)
{
    for (size_t i = 0; i < tape->block_count; i++)
        free(tape->blocks[i]);
    *tape = (struct call_tape){.is_torn = tape->is_torn};
}

void call_tape_tear(struct call_tape *tape)
{
    tape->is_torn = true;
    free_blocks(tape);
}

bool call_tape_grow(struct call_tape *tape)
{
    bool has_room = !tape->is_torn && tape->block_count < CALL_TAPE_BLOCKS;
    uint64_t *block = has_room ? malloc(BLOCK_BYTES) : NULL;
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
