// The contents of a frame of a trace file, block by block, and queries of it. As in GDB, the first
// block of registers counts, for each byte the first block of memory that covers it, and the last
// value of a variable. No function allocates memory, and each can run in any thread.
#ifndef TRAWL_TRACE_TFILE_FRAME_H
#define TRAWL_TRACE_TFILE_FRAME_H

#include "base/base.h"
#include "trace/tfile/file.h"

enum tfile_block_kind {
    TFILE_REGISTERS = 'R',
    TFILE_MEMORY = 'M',
    TFILE_VARIABLE = 'V',
    TFILE_STATIC = 'S',        // text of a static tracepoint
    TFILE_UNKNOWN_BLOCK = 256, // including the rest of the frame
    TFILE_CUT_BLOCK,           // including the rest of the frame
};

struct tfile_block {
    enum tfile_block_kind kind;
    const uint8_t *bytes; // registers, memory or text; an unreadable block from its kind on
    uint32_t size_bytes;
    int32_t variable;
    union {
        uint64_t address; // of memory
        int64_t value;    // of a variable
    };
};

// The rest of a frame.
struct tfile_cursor {
    const uint8_t *at, *end;
};

static ALWAYS_INLINE struct tfile_cursor tfile_blocks(const struct tfile *file,
                                                      const struct tfile_frame *frame)
{
    const uint8_t *at = file->data + frame->offset;
    return (struct tfile_cursor){at, at + frame->size_bytes};
}

// The length of a block of memory or text follows its address or its kind.
static ALWAYS_INLINE bool tfile_take_sized(const struct tfile *file, struct tfile_cursor *cursor,
                                           struct tfile_block *block, uint32_t head_bytes)
{
    if ((uint64_t)(cursor->end - cursor->at) < head_bytes)
        return false;
    uint32_t size = load_u16(cursor->at + head_bytes - 2, file->is_big_endian);
    if ((uint64_t)(cursor->end - cursor->at) - head_bytes < size)
        return false;
    block->bytes = cursor->at + head_bytes;
    block->size_bytes = size;
    cursor->at += head_bytes + size;
    return true;
}

static ALWAYS_INLINE bool tfile_take(const struct tfile *file, struct tfile_cursor *cursor,
                                     struct tfile_block *block)
{
    enum { REGISTERS_HEAD = 1, MEMORY_HEAD = 11, VARIABLE_BYTES = 13, STATIC_HEAD = 3 };
    const uint8_t *at = cursor->at;
    uint64_t left = (uint64_t)(cursor->end - at);
    switch (block->kind) {
    case TFILE_REGISTERS:
        if (!file->register_bytes || left - REGISTERS_HEAD < file->register_bytes)
            return false;
        block->bytes = at + REGISTERS_HEAD;
        block->size_bytes = file->register_bytes;
        cursor->at += REGISTERS_HEAD + file->register_bytes;
        return true;
    case TFILE_MEMORY:
        if (left < MEMORY_HEAD)
            return false;
        block->address = load_u64(at + 1, file->is_big_endian) & file->address_mask;
        return tfile_take_sized(file, cursor, block, MEMORY_HEAD);
    case TFILE_VARIABLE:
        if (left < VARIABLE_BYTES)
            return false;
        block->variable = (int32_t)load_u32(at + 1, file->is_big_endian);
        block->value = (int64_t)load_u64(at + 5, file->is_big_endian);
        cursor->at += VARIABLE_BYTES;
        return true;
    default:
        return tfile_take_sized(file, cursor, block, STATIC_HEAD);
    }
}

static inline bool tfile_block_is_known(uint8_t kind)
{
    return kind == TFILE_REGISTERS || kind == TFILE_MEMORY || kind == TFILE_VARIABLE ||
           kind == TFILE_STATIC;
}

// Reads the next block. What cannot be read is returned as the last block. False: end of the frame.
static ALWAYS_INLINE bool tfile_next(const struct tfile *file, struct tfile_cursor *cursor,
                                     struct tfile_block *block)
{
    if (cursor->at == cursor->end)
        return false;
    uint8_t kind = *cursor->at;
    block->kind = (enum tfile_block_kind)kind;
    bool is_known = tfile_block_is_known(kind);
    if (LIKELY(is_known) && LIKELY(tfile_take(file, cursor, block)))
        return true;
    block->kind = is_known ? TFILE_CUT_BLOCK : TFILE_UNKNOWN_BLOCK;
    block->bytes = cursor->at;
    block->size_bytes = (uint32_t)(cursor->end - cursor->at);
    cursor->at = cursor->end;
    return true;
}

// Its registers, file->register_bytes bytes; NULL: none were collected.
const uint8_t *tfile_frame_registers(const struct tfile *file, const struct tfile_frame *frame);

// Copies the memory at `address` that was collected; known[i] says whether byte i was. Returns the
// number of bytes that were.
size_t tfile_frame_memory(const struct tfile *file, const struct tfile_frame *frame,
                          uint64_t address, size_t size_bytes, uint8_t *values, bool *known);

// A number of 1 to 8 bytes in memory. False: not all bytes were collected.
bool tfile_frame_load(const struct tfile *file, const struct tfile_frame *frame, uint64_t address,
                      size_t size_bytes, uint64_t *value);

// False: its value was not collected.
bool tfile_frame_variable(const struct tfile *file, const struct tfile_frame *frame, int32_t number,
                          int64_t *value);

// A number of up to 8 bytes in the byte order of the target. Nearly all need only one load.
static ALWAYS_INLINE uint64_t tfile_number(const struct tfile *file, const uint8_t *bytes,
                                           size_t size_bytes)
{
    uint64_t value = 0;
    if (LIKELY(size_bytes == 8))
        return load_u64(bytes, file->is_big_endian);
    if (LIKELY(size_bytes == 4))
        return load_u32(bytes, file->is_big_endian);
    for (size_t i = 0; i < size_bytes; i++)
        value = value << 8 | bytes[file->is_big_endian ? i : size_bytes - 1 - i];
    return value;
}

// A register of at most 8 bytes as a number; `registers` as returned by tfile_frame_registers.
static ALWAYS_INLINE uint64_t tfile_register_value(const struct tfile *file,
                                                   const uint8_t *registers,
                                                   uint32_t register_number)
{
    const struct tfile_register *wanted = &file->registers.items.items[register_number];
    return tfile_number(file, registers + wanted->offset, (size_t)u64_min(wanted->size_bytes, 8));
}

// The PC of the target, from its registers; without registers the address of the tracepoint, if
// that has only one location and makes no steps. False: unknown.
bool tfile_frame_pc(const struct tfile *file, const struct tfile_frame *frame, uint64_t *pc);

// Whether all its blocks can be read.
bool tfile_frame_is_whole(const struct tfile *file, const struct tfile_frame *frame);

// Whether it lacks something that each frame of its tracepoint has: when a buffer is nearly full,
// the target stores the blocks that still fit, without saying so.
bool tfile_frame_is_short(const struct tfile *file, const struct tfile_frame *frame);

// Checks the contents of all frames, with up to this many threads, and records damage inside them.
// False: no memory.
bool tfile_check_frames(const struct tfile *file, unsigned threads, struct trace_damage *damage);

#endif
