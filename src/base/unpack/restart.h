// Places from which a compressed file can be decompressed without all that stands before them, and
// what the text between them has to be.
//
// A place is the beginning of a piece, or, where a file has none, a place inside of a gzip member
// with the 32 KiB of text before it, which its data refers to. The text from one place to the next
// is a span. Spans are decompressed whole and held against a hash, so that a place that is damaged,
// or of another file, is noticed before anybody has its text.
#ifndef TRAWL_BASE_UNPACK_RESTART_H
#define TRAWL_BASE_UNPACK_RESTART_H

#include "base/error.h"
#include "base/unpack/codec.h"
#include "base/vec.h"

struct restart {
    uint64_t plain_byte; // of the text, where its span begins
    struct piece piece;
    uint64_t window_at; // in the windows of all
    uint64_t window_bytes;
    uint64_t hash; // of the span's text (XXH3, 64 bits)
};

// All of a file, rising; the first begins with the text, and the last span ends with it. All zero
// to begin with.
struct restarts {
    VEC(, struct restart) items;
    VEC(, uint8_t) windows; // each as its codec packed it
    uint64_t text_bytes;
};

void restarts_free(struct restarts *restarts);

// Whether places may be those of a file of that codec: they rise, and lie in it. What they lead to
// shows when it is read.
bool restarts_may_be_of(const struct restarts *restarts, const struct codec *codec,
                        const struct packed *packed);

// Decompresses span `number` to `bytes`, which has room for it. STATUS_DAMAGED: it is not what it
// should be.
enum status restart_read(const struct restarts *restarts, size_t number, const struct codec *codec,
                         const struct packed *packed, char *bytes, struct error *err);

static inline uint64_t restart_span_end(const struct restarts *restarts, size_t number)
{
    return number + 1 < restarts->items.count ? restarts->items.items[number + 1].plain_byte
                                              : restarts->text_bytes;
}

#endif
