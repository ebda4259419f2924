#include "trace/tfile/frame.h"

#include "base/thread.h"

#include <stdlib.h>

const uint8_t *tfile_frame_registers(const struct tfile *file, const struct tfile_frame *frame)
{
    struct tfile_cursor cursor = tfile_blocks(file, frame);
    struct tfile_block block;
    while (tfile_next(file, &cursor, &block)) {
        if (block.kind == TFILE_REGISTERS)
            return block.bytes;
    }
    return NULL;
}

// Copies the bytes that a block contains and no earlier block contained.
static size_t fill(const struct tfile_block *block, uint64_t address, size_t size_bytes,
                   uint8_t *values, bool *known)
{
    size_t filled = 0;
    uint64_t ahead = address - block->address; // wraps if the block begins after it
    size_t first = ahead < block->size_bytes ? 0 : (size_t)u64_min(0 - ahead, size_bytes);
    for (size_t i = first; i < size_bytes && ahead + i < block->size_bytes; i++) {
        if (known[i])
            continue;
        values[i] = block->bytes[ahead + i];
        known[i] = true;
        filled++;
    }
    return filled;
}

size_t tfile_frame_memory(const struct tfile *file, const struct tfile_frame *frame,
                          uint64_t address, size_t size_bytes, uint8_t *values, bool *known)
{
    struct tfile_cursor cursor = tfile_blocks(file, frame);
    struct tfile_block block;
    size_t filled = 0;
    memset(known, 0, size_bytes);
    while (filled < size_bytes && tfile_next(file, &cursor, &block)) {
        if (block.kind == TFILE_MEMORY)
            filled += fill(&block, address, size_bytes, values, known);
    }
    return filled;
}

bool tfile_frame_load(const struct tfile *file, const struct tfile_frame *frame, uint64_t address,
                      size_t size_bytes, uint64_t *value)
{
    uint8_t bytes[8];
    bool known[8];
    ASSERT(size_bytes <= sizeof bytes);
    if (tfile_frame_memory(file, frame, address, size_bytes, bytes, known) < size_bytes)
        return false;
    *value = tfile_number(file, bytes, size_bytes);
    return true;
}

bool tfile_frame_variable(const struct tfile *file, const struct tfile_frame *frame, int32_t number,
                          int64_t *value)
{
    struct tfile_cursor cursor = tfile_blocks(file, frame);
    struct tfile_block block;
    bool is_there = false;
    while (tfile_next(file, &cursor, &block)) {
        if (block.kind == TFILE_VARIABLE && block.variable == number) {
            *value = block.value;
            is_there = true;
        }
    }
    return is_there;
}

bool tfile_frame_pc(const struct tfile *file, const struct tfile_frame *frame, uint64_t *pc)
{
    const uint8_t *registers = tfile_frame_registers(file, frame);
    if (registers && file->registers.pc != TFILE_NO_REGISTER) {
        *pc = tfile_register_value(file, registers, file->registers.pc);
        return true;
    }
    size_t count;
    const struct tfile_location *location = tfile_locations_of(file, frame->number, &count);
    if (count != 1 || !location->is_defined || location->steps)
        return false;
    *pc = location->address;
    return true;
}

// --- Faults --------------------------------------------------------------------------------------

bool tfile_frame_is_whole(const struct tfile *file, const struct tfile_frame *frame)
{
    struct tfile_cursor cursor = tfile_blocks(file, frame);
    struct tfile_block block = {.kind = TFILE_REGISTERS};
    while (tfile_next(file, &cursor, &block))
        ;
    return block.kind < TFILE_UNKNOWN_BLOCK;
}

bool tfile_frame_is_short(const struct tfile *file, const struct tfile_frame *frame)
{
    size_t count;
    const struct tfile_location *location = tfile_locations_of(file, frame->number, &count);
    struct tfile_cursor cursor = tfile_blocks(file, frame);
    struct tfile_block block;
    bool has_registers = false;
    uint32_t blocks = 0;
    if (!location || file->status.stop != TFILE_STOP_FULL)
        return false;
    // A frame does not specify whether it belongs to a hit or to a step.
    bool has_steps = location->steps > 0;
    bool takes_registers =
        location->hits_take_registers && (!has_steps || location->steps_take_registers);
    uint64_t wanted =
        has_steps ? u64_min(location->hit_blocks, location->step_blocks) : location->hit_blocks;
    while (tfile_next(file, &cursor, &block)) {
        has_registers |= block.kind == TFILE_REGISTERS;
        blocks += block.kind == TFILE_MEMORY;
    }
    return (takes_registers && !has_registers) || blocks < wanted;
}

static bool is_zero(const uint8_t *bytes, uint64_t size_bytes)
{
    return size_bytes == 0 ||
           (bytes[0] == 0 && memcmp(bytes, bytes + 1, (size_t)size_bytes - 1) == 0);
}

// A frame that is cut at the end of the file has already been reported.
static void check(const struct tfile *file, const struct tfile_frame *frame,
                  struct trace_damage *damage)
{
    struct tfile_cursor cursor = tfile_blocks(file, frame);
    struct tfile_block block = {.kind = TFILE_REGISTERS};
    while (tfile_next(file, &cursor, &block))
        ;
    if (block.kind < TFILE_UNKNOWN_BLOCK ||
        (block.kind == TFILE_CUT_BLOCK && frame->marks & TFILE_CUT))
        return;
    enum tfile_fault_kind kind =
        block.kind == TFILE_CUT_BLOCK ? TFILE_FAULT_BLOCK_CUT : TFILE_FAULT_BLOCK;
    if (block.size_bytes == frame->size_bytes && is_zero(block.bytes, block.size_bytes))
        kind = TFILE_FAULT_EMPTY;
    trace_damage_add(damage, &(struct trace_fault){
                                 .kind = kind,
                                 .value = *block.bytes,
                                 .offset = (uint64_t)(block.bytes - file->data),
                                 .size_bytes = block.size_bytes,
                             });
}

enum { FRAMES_AT_ONCE = 4096 };

struct checker {
    const struct tfile *file;
    struct trace_damage *found; // of each worker
};

static bool check_some(void *self, unsigned worker, uint64_t item)
{
    struct checker *checker = self;
    const struct tfile *file = checker->file;
    uint64_t end = u64_min((item + 1) * FRAMES_AT_ONCE, file->frames.count);
    for (uint64_t i = item * FRAMES_AT_ONCE; i < end; i++)
        check(file, &file->frames.items[i], &checker->found[worker]);
    return true;
}

bool tfile_check_frames(const struct tfile *file, unsigned threads, struct trace_damage *damage)
{
    uint64_t items = (file->frames.count + FRAMES_AT_ONCE - 1) / FRAMES_AT_ONCE;
    struct checker checker = {file, calloc(threads, sizeof *checker.found)};
    if (!checker.found)
        return false;
    parallel_run(threads, items, &checker, check_some);
    for (unsigned i = 0; i < threads; i++)
        trace_damage_merge(damage, &checker.found[i]);
    free(checker.found);
    return true;
}
