// Places from which a compressed file can be decompressed without all that stands before them, and
// what the text between them has to be.
//
// A place is the beginning of a piece, or, where a file has none, a place inside of a gzip member
// with the 32 KiB of text before it, which its data refers to; or one that text is only checked up
// to, as decompressing cannot begin there but goes on from the place before. The text from one
// place to the next is a span. Spans are held against a hash, so that a place that is damaged, or
// of another file, is noticed before anybody has its text.
#ifndef TRAWL_BASE_UNPACK_RESTART_H
#define TRAWL_BASE_UNPACK_RESTART_H

#include "base/error.h"
#include "base/unpack/codec.h"
#include "base/vec.h"

// The level of a place that only goes on from the one before; its piece is that one's.
#define PIECE_GOES_ON 2

struct restart {
    uint64_t plain_byte; // of the text, where its span begins
    struct piece piece;
    uint64_t window_at; // in the windows of all
    uint64_t window_bytes;
    uint64_t hash; // of the span's text (XXH3, 64 bits)
    uint32_t file; // that it is in, of several
};

// Where the text of one of several files begins in that of all.
struct restart_file {
    uint64_t plain_byte;
    uint64_t lines_before; // that end before it
    bool begins_in_line;
};

// All of a text, rising; the first of a file begins with its text, and the last span ends with it.
// All zero to begin with.
struct restarts {
    VEC(, struct restart) items;
    VEC(, uint8_t) windows;           // each as its codec packed it
    VEC(, struct restart_file) files; // none: it is of one
    uint64_t text_bytes;
};

// A file that text is of.
struct packed_file {
    const char *path;
    const struct codec *codec;   // NULL: it is not compressed, and its bytes are the text
    const struct packed *packed; // without bytes: it is empty
};

void restarts_free(struct restarts *restarts);

// Adds the places of the next of several files. False: no memory.
bool restarts_add_file(struct restarts *all, const struct restart_file *file);
bool restarts_add(struct restarts *all, const struct restarts *of_file);

// Whether places may be those of such files: they rise, and lie in them. What they lead to shows
// when it is read.
bool restarts_may_be_of(const struct restarts *restarts, const struct packed_file *files,
                        size_t count);

// Begins to decompress at a place that does not only go on. NULL: no memory.
struct unpacker *restart_begin(const struct restarts *restarts, const struct restart *restart,
                               const struct packed_file *file);

static inline uint64_t restart_file_begin(const struct restarts *restarts, size_t file)
{
    return file < restarts->files.count ? restarts->files.items[file].plain_byte
           : file                       ? restarts->text_bytes
                                        : 0;
}

// The text of a file ends where the next one's begins.
static inline uint64_t restart_file_end(const struct restarts *restarts, size_t file)
{
    return restart_file_begin(restarts, file + 1);
}

static inline uint64_t restart_span_end(const struct restarts *restarts, size_t number)
{
    const struct restart *restart = &restarts->items.items[number];
    bool is_last = number + 1 == restarts->items.count || restart[1].file != restart->file;
    return is_last ? restart_file_end(restarts, restart->file) : restart[1].plain_byte;
}

#endif
