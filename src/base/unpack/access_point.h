// Places in a compressed file where decompression can start without the data before them, and
// hashes of the text between them.
//
// A place is one of three: the beginning of a chunk; if the file has no chunks, a place inside a
// gzip member, with the 32 KiB of text before it, to which the data refers; or a place up to which
// text is only checked, where decompression cannot start but continues from the previous place. The
// text from one place to the next is a span. The hash of each span is checked, so that a damaged
// place, or one of another file, is detected before its text is used.
#ifndef TRAWL_BASE_UNPACK_ACCESS_POINT_H
#define TRAWL_BASE_UNPACK_ACCESS_POINT_H

#include "base/error.h"
#include "base/unpack/codec.h"
#include "base/vec.h"

// The level of a place that only continues the previous one; its `chunk` is that of the previous
// one.
#define CHUNK_GOES_ON 2

struct access_point {
    uint64_t plain_byte; // in the text, where the span begins
    struct packed_chunk chunk;
    uint64_t window_at; // position in the windows of all
    uint64_t window_bytes;
    uint64_t hash; // of the text of the span (XXH3, 64 bits)
    uint32_t file; // the number of the file, if there are several
};

// Where the text of a file begins in the whole text.
struct access_point_file {
    uint64_t plain_byte;
    uint64_t lines_before; // line ends before it
    bool begins_in_line;
};

// All places of a text, ascending: the first one of a file is at the beginning of its text, and the
// last span ends at the end. All zero at first.
struct access_points {
    VEC(, struct access_point) items;
    VEC(, uint8_t) windows;                // each as compressed by its codec
    VEC(, struct access_point_file) files; // empty: the text is that of one file
    uint64_t text_bytes;
};

// One of the files of a text.
struct packed_file {
    const char *path;
    const struct codec *codec;   // NULL: not compressed, so its bytes are the text
    const struct packed *packed; // without bytes: the file is empty
};

void access_points_free(struct access_points *access_points);

// Add the next of several files, and its places. False: no memory.
bool access_points_add_file(struct access_points *all, const struct access_point_file *file);
bool access_points_add(struct access_points *all, const struct access_points *of_file);

// Whether the places may belong to these files: they ascend and are inside the files. Whether they
// are correct shows only when they are used.
bool access_points_may_be_of(const struct access_points *access_points,
                             const struct packed_file *files, size_t count);

// Starts decompression at a place that does not only continue the previous one. NULL: no memory.
struct unpacker *access_point_begin(const struct access_points *access_points,
                                    const struct access_point *access_point,
                                    const struct packed_file *file);

static inline uint64_t access_point_file_begin(const struct access_points *access_points,
                                               size_t file)
{
    return file < access_points->files.count ? access_points->files.items[file].plain_byte
           : file                            ? access_points->text_bytes
                                             : 0;
}

// The end of a file's text, which is the beginning of the next file's.
static inline uint64_t access_point_file_end(const struct access_points *access_points, size_t file)
{
    return access_point_file_begin(access_points, file + 1);
}

static inline uint64_t access_point_span_end(const struct access_points *access_points,
                                             size_t number)
{
    const struct access_point *access_point = &access_points->items.items[number];
    bool is_last =
        number + 1 == access_points->items.count || access_point[1].file != access_point->file;
    return is_last ? access_point_file_end(access_points, access_point->file)
                   : access_point[1].plain_byte;
}

// Records, while a compressed file is read from its beginning, the places where decompression can
// start again, with the hash of the text between them. Without memory it gives up, because the
// places are not essential.
struct gathering {
    bool is_wanted; // whether to record places
    bool is_on;     // it is wanted, and was not given up
    struct access_points found;
    void *state;         // of the hash of the text since the last place
    uint64_t plain_byte; // the current position in the text
};

// Begins, also again. All zero before the first time.
void gathering_begin(struct gathering *gathering, bool is_wanted);
void gathering_free(struct gathering *gathering);

// A chunk begins; or a place inside a chunk was passed, whose window this function takes.
void gathering_chunk(struct gathering *gathering, uint64_t plain_byte, struct packed_chunk chunk);
void gathering_point(struct gathering *gathering, uint64_t plain_byte, struct unpack_point *point);

// Adds text. After much text without a place, adds a place up to which the text is checked.
void gathering_text(struct gathering *gathering, const void *bytes, size_t size_bytes);

// The text ends.
void gathering_end(struct gathering *gathering, uint64_t text_bytes);
void gathering_give_up(struct gathering *gathering);

// The places that were recorded; NULL: none.
const struct access_points *gathering_access_points(const struct gathering *gathering);

#endif
