// What differs between the kinds of sources, as one table of operations for each: mapped files
// (source_mapped.c), pipes (source_pipe.c), compressed files (source_unpacked.c), and several files
// (source_concat.c). base/source.c has what is common: it divides the text into chunks, keeps what
// was read ahead, reads a whole text into memory, and shows parts of it. It never asks which kind
// it has.
//
// There are two ways to a text: it is in memory from the beginning (`read` is NULL), so that chunks
// are parts of it and nothing is copied, or it is read in order into the buffer of each chunk. A
// text of the second way can be brought into memory, and then all else works as in the first. What
// a kind cannot do, or need not, is NULL in its table.
#ifndef TRAWL_BASE_SOURCE_KIND_H
#define TRAWL_BASE_SOURCE_KIND_H

#include "base/fingerprint.h"
#include "base/map.h"
#include "base/spool.h"

#include <stdatomic.h>

struct codec;
struct seekable;
struct access_points;
struct source;
struct source_beginning;
struct source_chunk;
struct source_fault;
struct source_file;
struct source_file_beginning;

// Reading a text that grows. Its functions are called while source.is_followed is set, except the
// first two.
struct source_following {
    bool (*is_possible)(const struct source *source);
    void (*begin)(struct source *source);
    bool (*settle)(struct source *source);
    bool (*has_unread)(struct source *source);
    enum status (*grow)(struct source *source, struct error *err);
    enum status (*add_file)(struct source *source, const char *path, struct error *err);
    enum status (*keep_progress)(struct source *source, struct error *err);
    void (*end_here)(struct source *source, bool takes_rest);
};

struct source_kind {
    bool is_file;        // it can be read again, and can have an index
    bool is_synthesized; // source_is_synthesized
    bool has_files;      // source_has_files

    // Reads in order until there are `wanted` bytes, of which there are fewer, or the text ends;
    // then sets is_ended. NULL: the text is in memory.
    enum status (*read)(struct source *source, char *bytes, size_t wanted, size_t *have,
                        struct error *err);
    void (*rewind)(struct source *source);
    void (*set_threads)(struct source *source);
    uint64_t (*text_bytes)(const struct source *source); // as source_text_bytes; NULL: unknown
    struct source_fault (*fault)(const struct source *source);
    // source_read_at. False: not possible without reading in order.
    bool (*read_at)(const struct source *source, uint64_t position, char *bytes, size_t size_bytes,
                    size_t *have);
    void (*close)(struct source *source); // only what is the kind's own

    // For text in memory. How chunks of it are fetched before they are used, and given up after it.
    void (*will_read)(struct source *source);
    void (*populate)(const struct source_chunk *chunk);
    void (*release)(const struct source_chunk *chunk);
    void (*cut)(struct source *source, uint64_t size_bytes);

    // Places where decompression can start again (source_keep_access_points and others).
    void (*keep_access_points)(struct source *source);
    const struct access_points *(*access_points)(const struct source *source);
    struct seekable *(*use_access_points)(struct source *source,
                                          struct access_points *access_points);

    // The files, and whether they are still as they were. For all but pipes.
    size_t (*file_count)(const struct source *source);
    struct source_file (*file)(const struct source *source, size_t number);
    int (*fd)(const struct source *source);
    enum status (*fingerprint)(struct source *source, struct fingerprint *fingerprint,
                               struct error *err);
    enum map_change (*change)(const struct source *source);
    bool (*begins_as_before)(const struct source *source); // as when the fingerprint was taken
    bool (*is_replaced)(const struct source *source);
    bool (*has_no_writers)(const struct source *source);
    uint64_t (*end_at_line)(struct source *source); // returns what is left out
    bool (*begins_with)(const struct source *source, const struct source_beginning *beginning);
    void (*end_after)(struct source *source, const struct source_beginning *beginning);
    const struct source_following *following; // NULL: it cannot be followed

    // For several files; otherwise there is one, in which everything has the same place.
    enum status (*find_files)(struct source *source, struct error *err);
    size_t (*file_of_line)(struct source *source, uint64_t line, uint64_t *line_in_file);
    uint64_t (*line_of_file)(struct source *source, size_t number, uint64_t line_in_file);
    uint64_t (*file_read_bytes)(const struct source *source, size_t number);
    bool (*file_beginning)(const struct source *source, size_t number,
                           struct source_file_beginning *beginning);
};

// The whole text, if it is in memory.
struct source_text {
    const char *bytes; // NULL: it is not in memory, or is empty
    uint64_t size_bytes;
    bool is_at_hand;
};

// The common part, with which the struct of each kind begins.
struct source {
    const struct source_kind *kind;
    char *path;
    const char *packed_by; // as source_packed_by
    unsigned threads;
    struct source_text text;
    uint64_t offset;        // of the next chunk
    uint64_t chunk_ends[2]; // as in source_end_chunks_at
    bool is_in_line;        // the last chunk ended inside a line that was too long
    bool is_ended;          // for text that is read in order
    // For such text: what was read after the end of the last chunk, with a run-in before it.
    char *carry;
    size_t carry_run_in_bytes, carry_bytes, carry_capacity;
    struct spool spool;             // the whole text, if it was requested
    _Atomic uint64_t spooled_bytes; // the part that other threads may read
    struct seekable *seekable;      // the text by recorded places; NULL: there are none
    bool is_seekable_shown;         // somebody has a view of it
    struct source *first;           // whose views are used; NULL: its own
    struct fingerprint fingerprint; // of the file or files, if it was stored
    bool has_fingerprint;
    uint64_t unfinished_bytes;
    bool is_followed;     // the text may grow
    bool ends_when_asked; // as set by source_end_when_asked
    bool is_cut_short;    // an end was requested
};

// Makes a source of a kind, whose struct has this size, with the common part filled in; the kind
// fills in the rest. NULL: no memory.
struct source *source_make(const struct source_kind *kind, size_t size_bytes, const char *path,
                           struct error *err);

// Opens a source of each kind. They own the descriptor, or the map, also on failure.
enum status source_mapped_open(struct source **source, const char *path, struct map *map,
                               bool is_stdin, struct error *err);
enum status source_pipe_open(struct source **source, const char *path, int fd, struct error *err);
enum status source_unpacked_open(struct source **source, const char *path, struct map *map,
                                 const struct codec *codec, struct error *err);

// --- One file ------------------------------------------------------------------------------------
// What a mapped file and a compressed one have in common (source_mapped.c).

struct file_source {
    struct source common;
    struct map map;
};

static inline struct file_source *file_source(struct source *source)
{
    return (struct file_source *)source;
}

static inline const struct map *file_source_map(const struct source *source)
{
    return &((const struct file_source *)source)->map;
}

size_t file_source_count(const struct source *source);
struct source_file file_source_file(const struct source *source, size_t number);
int file_source_fd(const struct source *source);
enum status file_source_fingerprint(struct source *source, struct fingerprint *fingerprint,
                                    struct error *err);
enum map_change file_source_change(const struct source *source);
bool file_source_begins_as_before(const struct source *source);
bool file_source_is_replaced(const struct source *source);

#endif
