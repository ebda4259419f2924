// The file being written: several streams of records, each with its own place in it. It gets its
// name when it is complete (base/atomic_file.h).
//
// Writing does not report errors: the first failure is stored, later bytes are discarded, and
// ttu_file_publish reports it.
#ifndef TRAWL_COMPAT_TTU_FILE_H
#define TRAWL_COMPAT_TTU_FILE_H

#include "base/atomic_file.h"
#include "base/base.h"
#include "idx/file_role.h"

#include <pthread.h>
#include <stdatomic.h>

// --- file.c --------------------------------------------------------------------------------------

// Records are collected in blocks. At most TTU_BLOCKS_WAITING of them wait for a thread that writes
// them.
#define TTU_BLOCK_BYTES ((size_t)256 << 10)
#define TTU_BLOCKS_WAITING 32

struct ttu_block {
    uint8_t *bytes;
    size_t used;
    uint64_t offset;
};

struct ttu_file {
    struct atomic_file file;
    atomic_int failure; // errno of the first; 0: none
    pthread_mutex_t lock;
    struct ttu_block waiting[TTU_BLOCKS_WAITING];
    size_t waiting_count;
    uint8_t *spare[TTU_BLOCKS_WAITING];
    size_t spare_count;
};

// A stream, to which one thread appends.
struct ttu_stream {
    struct ttu_file *file;
    struct ttu_block block;
    bool defers; // leaves its blocks to ttu_file_write_waiting
};

// Begins the file, with the permissions of the open file `like` (base/atomic_file.h).
enum status ttu_file_open(struct ttu_file *file, const char *path, int like, struct error *err);

// Frees it; a file that was not published disappears.
void ttu_file_free(struct ttu_file *file);

static inline bool ttu_file_failed(struct ttu_file *file)
{
    return atomic_load_explicit(&file->failure, memory_order_relaxed) != 0;
}

// Writes the waiting blocks of deferring streams. Any thread may call it.
void ttu_file_write_waiting(struct ttu_file *file);

// Writes bytes at a given offset.
void ttu_file_patch(struct ttu_file *file, uint64_t offset, const void *bytes, size_t size_bytes);

// Gives the file its name, after all streams have ended; `path` is for messages. Its time is not
// before that of the open file `like`, which readers compare. With `sync` it is on the disk when
// this returns.
enum status ttu_file_publish(struct ttu_file *file, const char *path, int like, bool sync,
                             struct error *err);

// Begins a stream at an offset. False: no memory.
bool ttu_stream_begin(struct ttu_stream *stream, struct ttu_file *file, uint64_t offset);
// Writes the rest.
void ttu_stream_end(struct ttu_stream *stream);
void ttu_stream_free(struct ttu_stream *stream);

// The offset of the next byte.
static ALWAYS_INLINE uint64_t ttu_stream_position(const struct ttu_stream *stream)
{
    return stream->block.offset + stream->block.used;
}

// Passes the full block on, and begins another.
void ttu_stream_turn(struct ttu_stream *stream);

// Adds a record of `size_bytes`, much smaller than a block, and returns where to write it.
static ALWAYS_INLINE uint8_t *ttu_stream_add(struct ttu_stream *stream, size_t size_bytes)
{
    if (UNLIKELY(stream->block.used + size_bytes > TTU_BLOCK_BYTES))
        ttu_stream_turn(stream);
    uint8_t *out = stream->block.bytes + stream->block.used;
    stream->block.used += size_bytes;
    return out;
}

// The contents of registers and memory, as bytes in the file. Records share them: a recently
// written value is not written again.

#define TTU_CONTENTS_BITS 16

struct ttu_content {
    uint64_t value;
    uint64_t place; // offset << 4 | bytes; 0: none
};

struct ttu_contents {
    struct ttu_content *recent;
};

// False: no memory.
bool ttu_contents_begin(struct ttu_contents *contents);
void ttu_contents_free(struct ttu_contents *contents);

static ALWAYS_INLINE struct ttu_content *ttu_content_of(const struct ttu_contents *contents,
                                                        uint64_t value, unsigned size_bytes)
{
    uint64_t hash = (value ^ value >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ size_bytes) * UINT64_C(0xd6e8feb86659fd93);
    return &contents->recent[hash >> (64 - TTU_CONTENTS_BITS)];
}

// A value is put soon: most are far from all others in memory.
static ALWAYS_INLINE void ttu_contents_prefetch(const struct ttu_contents *contents, uint64_t value,
                                                unsigned size_bytes)
{
    __builtin_prefetch(ttu_content_of(contents, value, size_bytes));
}

// The offset in the file of the lowest `size_bytes` (1 to 8) of `value`, lowest first. Its other
// bytes are 0.
static ALWAYS_INLINE uint64_t ttu_contents_put(struct ttu_contents *contents,
                                               struct ttu_stream *stream, uint64_t value,
                                               unsigned size_bytes)
{
    struct ttu_content *recent = ttu_content_of(contents, value, size_bytes);
    if (LIKELY(recent->value == value && (recent->place & 15) == size_bytes))
        return recent->place >> 4;
    uint8_t *out = ttu_stream_add(stream, size_bytes);
    uint64_t offset = ttu_stream_position(stream) - size_bytes;
    for (unsigned i = 0; i < size_bytes; i++)
        out[i] = (uint8_t)(value >> 8 * i);
    *recent = (struct ttu_content){value, offset << 4 | size_bytes};
    return offset;
}

// --- How numbers are stored ----------------------------------------------------------------------

// The index of Arm's Tarmac Trace Utilities, format 17: sizes, places and flags, and how numbers
// are written. All integers are big-endian and packed.
//
// Trees are binary search trees, whose nodes begin with the offsets of both children (0: none), a
// height (leaf 1) and a number of references (0).

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
