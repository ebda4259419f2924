// The index of Arm's Tarmac Trace Utilities, format 17: sizes, places and flags, and how numbers
// are written. All integers are big-endian and packed.
//
// Trees are binary search trees, whose nodes begin with the offsets of both children (0: none), a
// height (leaf 1) and a number of references (0).
#ifndef TRAWL_COMPAT_TTU_FORMAT_H
#define TRAWL_COMPAT_TTU_FORMAT_H

#include "idx/file_role.h"

#include "base/base.h"

#define TTU_MAGIC TTU_INDEX_START "0017"

enum {
    TTU_MAGIC_BYTES = 16,
    TTU_HEADER_BYTES = 40,
    TTU_NODE_BYTES = 24, // the beginning of every node
    TTU_EVENT_BYTES = 88,
    TTU_VISIT_BYTES = 37,
    TTU_ITEM_BYTES = 58,
    TTU_PIECE_BYTES = 49,
    TTU_CELL_BYTES = 8,
    TTU_DEPTH_BYTES = 28, // an entry of a depth array
};

enum ttu_flag {
    TTU_BIG_ENDIAN = 1,
    TTU_AARCH64 = 2, // there are AArch64 instructions
    TTU_COMPLETE = 4,
    TTU_IMPLICIT_THUMB = 8,
    TTU_VECTOR_SHIFT = 4, // bits of the largest vector / 128 - 1
};

// The depth in the last entry of a depth array.
#define TTU_DEPTH_END UINT32_C(0xfffffffe)

// Lines, and counts of lines, have 32 bits, and so have depths of calls.
#define TTU_LINES_END UINT32_C(0xffffffff)

// Where the instruction-set state and the byte order are in the register space.
enum {
    TTU_STATE_OFFSET = 0x2314,
    TTU_STATE_BYTES = 4,
    TTU_STATE_AARCH64 = 1,
    TTU_STATE_BIG_ENDIAN = 2,
};

// The spaces of a memory tree, in sorting order.
enum ttu_space { TTU_MEMORY, TTU_REGISTERS };

static ALWAYS_INLINE uint8_t *put_u32(uint8_t *out, uint32_t value)
{
    value = __builtin_bswap32(value);
    memcpy(out, &value, sizeof value);
    return out + sizeof value;
}

static ALWAYS_INLINE uint8_t *put_u64(uint8_t *out, uint64_t value)
{
    value = __builtin_bswap64(value);
    memcpy(out, &value, sizeof value);
    return out + sizeof value;
}

// Writes the beginning of every node.
static ALWAYS_INLINE uint8_t *put_node(uint8_t *out, uint64_t left, uint64_t right, uint32_t height)
{
    out = put_u64(out, left);
    out = put_u64(out, right);
    out = put_u32(out, height);
    return put_u32(out, 0);
}

#endif
