// Writes the index that the browsers and the index dump of Arm's Tarmac Trace Utilities read (their
// format 17), from one pass over a trace in their reading.
//
// Versions of the memory tree are written segment by segment, by one thread at a time; trees of
// events and of visits at the end, when calls are known. The file appears complete or not at all,
// and is the same for any chunks and threads. docs/differences-from-ttu.md says how it compares to
// their files.
#ifndef TRAWL_COMPAT_TTU_TTU_INDEX_H
#define TRAWL_COMPAT_TTU_TTU_INDEX_H

#include "base/error.h"
#include "base/spool.h"
#include "base/vec.h"
#include "compat/ttu/file.h"
#include "flow/call_consumer.h"
#include "flow/segment.h"

// --- event_log.c ---------------------------------------------------------------------------------

// The events of a trace, in a few bytes each, kept until calls are known and trees can be built.
//
// The events of a segment are packed by any thread, and added in order, with the roots of their
// versions.

struct ttu_packed_events {
    VEC(, uint8_t) bytes;
};

struct ttu_event_log {
    struct spool rows, roots;
    uint64_t count, visit_count; // visits by instructions and exceptions
    uint32_t segment_events;     // in each segment except the last
    uint64_t last_root;
    bool lacks_memory;
};

// Starts an empty log.
void ttu_event_log_begin(struct ttu_event_log *log, uint32_t segment_events);

// False: no memory.
bool ttu_events_pack(struct ttu_packed_events *packed, const struct segment *segment);

// Adds the events of the next segment, then the root of each. Failures are recorded.
void ttu_event_log_add(struct ttu_event_log *log, const struct segment *segment,
                       const struct ttu_packed_events *packed);
void ttu_event_log_add_root(struct ttu_event_log *log, uint64_t root);

void ttu_event_log_free(struct ttu_event_log *log);

// An event read back.
struct ttu_event {
    uint64_t time, pc, position, line, root;
    bool has_instruction, has_exception;
};

// Reads the events in order. After all were added, there can be any number of readers.
struct ttu_event_reader {
    const struct ttu_event_log *log;
    const uint8_t *row, *root; // NULL: roots are not read
    uint64_t number;           // of the next event
    struct ttu_event event;    // the last one read
    uint64_t instruction_pc;   // of the last instruction
};

void ttu_event_reader_begin(struct ttu_event_reader *reader, const struct ttu_event_log *log,
                            bool wants_roots);

// False: there are no more.
bool ttu_event_reader_next(struct ttu_event_reader *reader);

// --- ttu_index.c ---------------------------------------------------------------------------------

struct ttu_index_options {
    const char *path; // of the index
    int like;         // the trace's file, whose permissions it gets; -1: none
    bool big_endian;
    bool implicit_thumb;
    bool sync; // sync it to the disk before it gets its name
    unsigned threads;
};

struct ttu_index;

// Begins the file.
enum status ttu_index_begin(struct ttu_index **index, const struct ttu_index_options *options,
                            struct error *err);

// For a pass with READING_TTU that only reports calls that returned.
struct segment_consumer ttu_index_segments(struct ttu_index *index);
struct call_consumer ttu_index_calls(struct ttu_index *index);

// Where the trace ends: after its last line, which belongs to no event if it is unreadable and has
// no newline.
struct ttu_index_end {
    uint64_t lines, bytes;
};

// Writes the rest after the pass, and publishes the file. The trace must have had events.
enum status ttu_index_end(struct ttu_index *index, const struct ttu_index_end *end,
                          struct error *err);

// Why the file could not be written, if that ended the pass. STATUS_OK: it did not.
enum status ttu_index_failure(struct ttu_index *index, struct error *err);

// What was written.
struct ttu_index_sums {
    uint64_t events, versions, nodes; // nodes of memory trees
    uint64_t bytes;
};

void ttu_index_sum_up(const struct ttu_index *index, struct ttu_index_sums *sums);

// Frees it; a file that was not published disappears. NULL is allowed.
void ttu_index_free(struct ttu_index *index);

// --- event_tree.c --------------------------------------------------------------------------------

// The tree of events, each with its call depth and the depth array of its subtree: made from all
// events, in order, and written sequentially. Depths come from a pass of their own, as one signed
// byte for each event: only a call that has returned is one for the Tarmac Trace Utilities.

// Where the last event ends: the line after it, in the log's numbering, and the byte.
struct ttu_events_end {
    uint64_t line, position;
};

// The depth of each event in calls that return, as the changes at each event.
struct ttu_call_depths {
    struct spool steps; // for each event up to the last change: how much deeper it is
};

void ttu_call_depths_free(struct ttu_call_depths *depths);

// For a pass, which must only report calls that returned. `depths` must not move.
struct call_consumer ttu_call_depths_consumer(struct ttu_call_depths *depths);

static inline int ttu_call_depths_step(const struct ttu_call_depths *depths, uint64_t event)
{
    return event < depths->steps.used_bytes ? ((const int8_t *)depths->steps.base)[event] : 0;
}

// Writes the tree to the stream; *root: its offset. False: no memory.
bool ttu_event_tree_write(struct ttu_stream *stream, const struct ttu_event_log *log,
                          const struct ttu_call_depths *depths, const struct ttu_events_end *end,
                          uint64_t *root);

// --- visit_tree.c --------------------------------------------------------------------------------

// The tree of visits: every execution of each PC, and every exception (as PC 6), by PC and line.
// Nodes are sorted in one array, so the children of each follow from its number.

// Writes the tree, of log->visit_count nodes, to the stream; *root: its offset, 0 if it is empty.
// False: no memory.
bool ttu_visit_tree_write(struct ttu_stream *stream, const struct ttu_event_log *log,
                          uint64_t *root);

#endif
