// Buffered output to a file descriptor or to memory. What goes to a terminal is made inert on its
// way, whoever wrote it: nothing that we write has a byte that a terminal obeys. The first failed
// write is remembered and what follows is thrown away, so that a report is written without checks
// and checked once, at the end.
#ifndef TRAWL_REPORT_OUT_H
#define TRAWL_REPORT_OUT_H

#include "base/atomic_file.h"
#include "base/base.h"
#include "base/error.h"

// The most that out_room gives at once.
#define OUT_ROOM_BYTES_MAX ((size_t)4096)

// Fields are for out.c and the inline functions below.
struct out {
    char *buffer;
    size_t used_bytes, capacity_bytes;
    uint64_t flushed_bytes;
    uint64_t skip_bytes;      // of what comes next, that are not written
    int fd;                   // OUT_MEMORY when the text stays in the buffer
    int error_number;         // errno of the first failure, 0 while all is well
    const bool *lacks_memory; // of who makes the text, see out_depend; NULL: none
    bool owns_fd;             // a file that is written as it stands
    bool is_terminal;         // which only gets text that is inert, except for newlines and tabs
    struct packer *packer;    // what packs it on its way; NULL: nothing does
    char *name;               // for messages
    struct atomic_file atomic_file; // for a named file until it is whole
};

#define OUT_MEMORY (-2)

// Opens `path` for writing. A regular file gets its name, and takes the place of an older one, only
// in out_close, when it is whole; anything else (a pipe, /dev/null) is written as it stands.
enum status out_open(struct out *out, const char *path, struct error *err);

// Writes to `fd`, which stays open after out_close. `name` is for messages: "standard output".
enum status out_open_fd(struct out *out, int fd, const char *name, struct error *err);

// Keeps everything in memory.
enum status out_open_memory(struct out *out, struct error *err);

// What was written to a memory target, with a NUL after it; valid until the next call.
const char *out_memory_text(struct out *out);

// Takes all text out of a memory target, whose buffer stays.
static inline void out_clear(struct out *out)
{
    out->used_bytes = 0;
}

// From now on nothing is written that was made after *lacks_memory became true, and out_close
// fails: for those whose texts have no other way to say that they are not what they should be. Set
// before the text is written to `out`.
static inline void out_depend(struct out *out, const bool *lacks_memory)
{
    out->lacks_memory = lacks_memory;
}

// Hands over what is in the buffer; only needed where a reader waits for it.
void out_flush(struct out *out);

// Flushes, gives a named file its name, and frees everything. Reports the first failure since the
// output was opened; a named file is then as it was before.
enum status out_close(struct out *out, struct error *err);

// What somebody who reads the output may have got by now: nothing of a file that is not whole.
uint64_t out_shown_bytes(const struct out *out);

// From now on all is packed by gzip. Right after opening a file. STATUS_INPUT: this program cannot.
enum status out_pack(struct out *out, struct error *err);

// Leaves the next `count` bytes out, as their reader has them from an earlier try. Right after
// opening.
void out_skip(struct out *out, uint64_t count);

// Frees everything without publishing a named file: for a job that failed half-way.
void out_abandon(struct out *out);

// True once a write failed: the rest of a long report may be skipped. out_close still reports it.
static inline bool out_failed(const struct out *out)
{
    return UNLIKELY(out->error_number != 0);
}

// Bytes written so far, those in the buffer included.
static inline uint64_t out_position(const struct out *out)
{
    return out->flushed_bytes + out->used_bytes;
}

// Makes `wanted_bytes` (at most OUT_ROOM_BYTES_MAX) free in the buffer. Use out_room.
void out_make_room(struct out *out, size_t wanted_bytes);

// A place for up to `wanted_bytes` (at most OUT_ROOM_BYTES_MAX) bytes, never NULL; out_commit tells
// how many of them were written. For callers that format in place.
static ALWAYS_INLINE char *out_room(struct out *out, size_t wanted_bytes)
{
    if (UNLIKELY(out->capacity_bytes - out->used_bytes < wanted_bytes))
        out_make_room(out, wanted_bytes);
    return out->buffer + out->used_bytes;
}

static ALWAYS_INLINE void out_commit(struct out *out, size_t written_bytes)
{
    out->used_bytes += written_bytes;
}

static ALWAYS_INLINE void out_byte(struct out *out, char byte)
{
    *out_room(out, 1) = byte;
    out_commit(out, 1);
}

// A byte of text as XML and HTML have it: &, < and > as entities.
void out_markup(struct out *out, char byte);

// Any number of bytes.
void out_bytes(struct out *out, const void *bytes, size_t length);

// A string up to its NUL.
static ALWAYS_INLINE void out_text(struct out *out, const char *text)
{
    out_bytes(out, text, strlen(text));
}

// Any number of blanks.
void out_pad(struct out *out, size_t count);

// Decimal; returns the number of digits.
unsigned out_u64(struct out *out, uint64_t value);

// Lower-case hexadecimal without prefix, at least `digits_min` digits (0 counts as 1, at most 16);
// returns the number of digits.
unsigned out_hex(struct out *out, uint64_t value, unsigned digits_min);

// A ratio as decimal with `decimals` (0 to 9) digits after the point, rounded half up:
// 1, 3, 4 gives 0.3333. A zero `whole` counts as nothing: 0.0000. Returns the number of bytes.
unsigned out_ratio(struct out *out, uint64_t part, uint64_t whole, unsigned decimals);

// 100 * part / whole in the same way, without a sign: 1, 8, 1 gives 12.5.
unsigned out_percent(struct out *out, uint64_t part, uint64_t whole, unsigned decimals);

#endif
