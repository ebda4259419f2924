// Buffered output to a file descriptor or to memory. All text that goes to a terminal is made
// inert, regardless of where it comes from, because no output of ours needs bytes that control a
// terminal. The first failed write is recorded and further output is discarded, so that a report
// can be written without checks, and checked once at the end.
#ifndef TRAWL_REPORT_OUT_H
#define TRAWL_REPORT_OUT_H

#include "base/atomic_file.h"
#include "base/base.h"
#include "base/error.h"
#include "base/utf8.h"

#include <endian.h>

// --- Decimal digits ------------------------------------------------------------------------------

// Numbers as decimal digits.

// The bytes that decimal_put may write: up to 20 digits, and a few bytes after them.
#define DECIMAL_ROOM_BYTES 24

// The eight decimal digits of a value below 100000000, the most significant in the lowest byte. The
// value is split into halves, then pairs, then digits. Each step splits all of them at once, by
// multiplication with reciprocals that are exact for so few digits.
static ALWAYS_INLINE uint64_t decimal_eight(uint32_t value)
{
    uint64_t halves = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = halves * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
    uint64_t pairs = hundreds | (halves - hundreds * 100) << 16;
    uint64_t tens = pairs * 103 >> 10 & UINT64_C(0x000f000f000f000f);
    return tens | (pairs - tens * 10) << 8;
}

static ALWAYS_INLINE void decimal_store(char *at, uint64_t digits)
{
    digits = htole64(digits + UINT64_C(0x3030303030303030));
    memcpy(at, &digits, sizeof digits);
}

// Writes the digits without leading zeros. Writes eight bytes, and returns the end of those that
// count.
static ALWAYS_INLINE char *decimal_store_first(char *at, uint32_t value)
{
    uint64_t digits = decimal_eight(value);
    unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    decimal_store(at, digits >> 8 * zeros);
    return at + 8 - zeros;
}

// Returns the end of the digits.
static ALWAYS_INLINE char *decimal_put(char *at, uint64_t value)
{
    const uint64_t eight = 100000000;
    if (LIKELY(value < eight))
        return decimal_store_first(at, (uint32_t)value);
    uint64_t top = value / eight;
    if (LIKELY(top < eight)) {
        at = decimal_store_first(at, (uint32_t)top);
    } else {
        at = decimal_store_first(at, (uint32_t)(top / eight));
        decimal_store(at, decimal_eight((uint32_t)(top % eight)));
        at += 8;
    }
    decimal_store(at, decimal_eight((uint32_t)(value % eight)));
    return at + 8;
}

// --- out.c ---------------------------------------------------------------------------------------

// The most bytes that out_room provides at once.
#define OUT_ROOM_BYTES_MAX ((size_t)4096)

// Fields are for out.c and the inline functions below.
struct out {
    char *buffer;
    size_t used_bytes, capacity_bytes;
    uint64_t flushed_bytes;
    uint64_t skip_bytes;            // further bytes that are not to be written
    int fd;                         // OUT_MEMORY: the text stays in the buffer
    int error_number;               // errno of the first failure; 0: none
    const bool *lacks_memory;       // of the producer of the text, see out_depend; NULL: none
    bool owns_fd;                   // a file that is written in place
    bool is_terminal;               // receives only inert text, with newlines and tabs
    unsigned columns;               // in which tables for people have to fit; 0: any number
    struct packer *packer;          // NULL: the output is not compressed
    char *name;                     // for messages
    struct atomic_file atomic_file; // for a named file until it is complete
};

#define OUT_MEMORY (-2)

// Opens `path` for writing. A regular file gets its name, and replaces an existing one, only in
// out_close, when it is complete. Anything else (a pipe, /dev/null) is written in place.
enum status out_open(struct out *out, const char *path, struct error *err);

// Writes to `fd`, which stays open after out_close. `name` is for messages: "standard output".
enum status out_open_fd(struct out *out, int fd, const char *name, struct error *err);

// Keeps everything in memory.
enum status out_open_memory(struct out *out, struct error *err);

// The text in memory so far, with a NUL after it; valid until the next call.
const char *out_memory_text(struct out *out);

// Removes all text from memory output, and keeps the buffer.
static inline void out_clear(struct out *out)
{
    out->used_bytes = 0;
}

// From now on, nothing is written that was produced after *lacks_memory became true, and out_close
// fails: for producers of text that cannot report otherwise that their text is incomplete. They
// must set it before they write the text to `out`.
static inline void out_depend(struct out *out, const bool *lacks_memory)
{
    out->lacks_memory = lacks_memory;
}

// Writes out the buffer; needed only if a reader is waiting for it.
void out_flush(struct out *out);

// Flushes, gives a named file its name, and frees everything. Reports the first failure since the
// output was opened; a named file is then left as it was before.
enum status out_close(struct out *out, struct error *err);

// How many bytes a reader of the output may have seen by now: none of a file that is not complete.
uint64_t out_shown_bytes(const struct out *out);

// From now on, tables for people fit the terminal, or as many columns as the environment variable
// COLUMNS says, whatever the output is. Without either, as in a pipe, nothing changes.
void out_fit(struct out *out);

// Compresses all further output with gzip. Must be called right after a file was opened.
// STATUS_INPUT: this program was built without it.
enum status out_pack(struct out *out, struct error *err);

// Does not write the next `count` bytes, because the reader has them from an earlier attempt. Must
// be called right after opening.
void out_skip(struct out *out, uint64_t count);

// Frees everything without publishing a named file: for a job that failed halfway.
void out_abandon(struct out *out);

// Whether a write failed, so that the rest of a long report can be skipped. out_close still reports
// it.
static inline bool out_failed(const struct out *out)
{
    return UNLIKELY(out->error_number != 0);
}

// Bytes written so far, including those in the buffer.
static inline uint64_t out_position(const struct out *out)
{
    return out->flushed_bytes + out->used_bytes;
}

// Makes `wanted_bytes` (at most OUT_ROOM_BYTES_MAX) free in the buffer. Use out_room.
void out_make_room(struct out *out, size_t wanted_bytes);

// Returns room for up to `wanted_bytes` (at most OUT_ROOM_BYTES_MAX), never NULL. Call out_commit
// with the number of bytes written. For callers that format in place.
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

// Writes a byte of text for XML and HTML: &, < and > become entities.
void out_markup(struct out *out, char byte);

// Writes a word as a shell reads it: in quotes, if it needs them.
void out_shell_word(struct out *out, const char *word);

void out_bytes(struct out *out, const void *bytes, size_t length);

// Writes a string up to its NUL.
static ALWAYS_INLINE void out_text(struct out *out, const char *text)
{
    out_bytes(out, text, strlen(text));
}

// Writes what printf would: at most 511 bytes of it.
void out_format(struct out *out, const char *format, ...) PRINTF_LIKE(2, 3);

// Writes `count` blanks.
void out_pad(struct out *out, size_t count);

// Writes a decimal number. Returns the number of digits.
unsigned out_u64(struct out *out, uint64_t value);

// Writes lower-case hexadecimal without prefix, with at least `digits_min` digits (at most 16; 0
// counts as 1). Returns the number of digits.
unsigned out_hex(struct out *out, uint64_t value, unsigned digits_min);

// Writes a ratio in decimal with `decimals` (0 to 9) digits after the point, rounded half up: 1, 3,
// 4 gives 0.3333. If `whole` is 0, the ratio is 0: 0.0000. Returns the number of bytes.
unsigned out_ratio(struct out *out, uint64_t part, uint64_t whole, unsigned decimals);

// Writes 100 * part / whole in the same way, without a percent sign: 1, 8, 1 gives 12.5.
unsigned out_percent(struct out *out, uint64_t part, uint64_t whole, unsigned decimals);

// --- Text from elsewhere -------------------------------------------------------------------------

// Writes text from outside in lines for humans and in CSV.

// Writes `text` made inert. Returns by how much its bytes exceed its columns in a terminal.
size_t out_clean(struct out *out, const char *text);
size_t out_clean_bytes(struct out *out, const char *text, size_t length);

// Makes the name of a frame of a collapsed stack inert, and its semicolons colons, as
// stackcollapse-perf.pl does: a semicolon ends a frame, and names in Rust contain some ("[T; N]").
void clean_frame_name(char *name, size_t length);

#endif
