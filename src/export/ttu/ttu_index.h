// Writes the index that the browsers and the index dump of Arm's Tarmac Trace Utilities read (their
// format 17), from one pass over a trace in their reading.
//
// Versions of the memory tree are written as segments come, by one thread at a time; trees of
// events and of visits at the end, when calls are known. The file appears whole or not at all, and
// is the same for any chunks and threads. Other levels of likeness to a file of theirs than what
// docs/differences-from-ttu.md promises are not sought.
#ifndef TRAWL_EXPORT_TTU_TTU_INDEX_H
#define TRAWL_EXPORT_TTU_TTU_INDEX_H

#include "base/error.h"
#include "flow/call_consumer.h"
#include "flow/segment.h"

struct ttu_index_options {
    const char *path; // of the index
    int like;         // the trace's file, whose rights it gets; -1: none
    bool big_endian;
    bool implicit_thumb;
    bool sync; // have it on the disk before it gets its name
    unsigned threads;
};

struct ttu_index;

// Begins the file.
enum status ttu_index_begin(struct ttu_index **index, const struct ttu_index_options *options,
                            struct error *err);

// For a pass under READING_TTU that gives returned calls alone.
struct segment_consumer ttu_index_segments(struct ttu_index *index);
struct call_consumer ttu_index_calls(struct ttu_index *index);

// Where the trace ends: after its last line, which is of no event if it could not be read and has
// no newline.
struct ttu_index_end {
    uint64_t lines, bytes;
};

// Writes the rest after the pass, and publishes the file. The trace had events.
enum status ttu_index_end(struct ttu_index *index, const struct ttu_index_end *end,
                          struct error *err);

// Says why the file could not be written, where that is what ended the pass. STATUS_OK: it is not.
enum status ttu_index_failure(struct ttu_index *index, struct error *err);

// What was written.
struct ttu_index_sums {
    uint64_t events, versions, nodes; // nodes of memory trees
    uint64_t bytes;
};

void ttu_index_sum_up(const struct ttu_index *index, struct ttu_index_sums *sums);

// Frees it, and leaves nothing of a file that was not published. NULL is allowed.
void ttu_index_free(struct ttu_index *index);

#endif
