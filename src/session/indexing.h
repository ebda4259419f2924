// Builds the index of a trace: a pass whose segments are written when they are ready, then the
// calls, the directories, and the parts that need a complete index.
//
// An index takes two to three times as long as a profile (bench/RESULTS.md, The index), nearly all
// of it in parallel: segments are built and packed by any thread, and only their order and the join
// of calls are sequential (docs/architecture.md, What a chunk needs from earlier chunks).
#ifndef TRAWL_SESSION_INDEXING_H
#define TRAWL_SESSION_INDEXING_H

#include "base/fingerprint.h"
#include "idx/file_writer.h"
#include "idx/index_format.h"
#include "session/space_count.h"
#include "trace/trace.h"

#define SEGMENT_EVENTS_DEFAULT 131072
#define SEGMENT_EVENTS_MAX ((uint32_t)INDEX_SEGMENT_EVENTS_MAX)

struct names;
struct shard_place;
struct index_writer;
struct prefix_indexes;

struct indexing_options {
    const char *path;  // of the index, which gets the access rights of its trace
    const int *file;   // an open file, to be written instead; NULL: none
    const char *trace; // for messages
    const struct fingerprint *fingerprint; // of the trace, taken before; NULL: none is stored
    enum file_writer_io io;
    uint32_t segment_events;   // in a segment; 1 to SEGMENT_EVENTS_MAX
    bool sync;                 // write the index to disk before it gets its name
    const struct names *names; // to be stored, with the source lines of their images; NULL: none
    const char *task_key;      // what tells tasks apart was given by the user; NULL: it was not
    struct error *left_out;    // see index_lines_write
    bool follows;              // the trace is read while it is written (session/prefix_index.h)
    // Makes indexes of what was read so far (session/prefix_index.h); NULL: none are wanted.
    struct prefix_indexes *prefix_indexes;
    // For a part of an index, to be merged with others: which part (idx/index_write.h); NULL: the
    // whole index. The last part contains what is needed for the calls of the whole trace, and
    // everything about the trace as a whole.
    const struct shard_place *shard;
    // For a part: the surveys of all earlier pieces, so that their text need not be read. If there
    // are none, it is read. If they cannot be used, it is also read, and *text_needed has the
    // reason.
    const struct packed_survey *before;
    size_t before_count;
    struct error *text_needed;
};

// Runs the pass over the open trace according to `options` (consumer and segments are set here) and
// publishes the index, which replaces an older one, unless how->file has no name. `result` is the
// result of the pass. On failure, or if the observer stopped at a fault or the trace has no events,
// no new index is left and an older one stays. All errors name their file.
enum status indexing_run(struct trace *trace, const struct pass_options *options,
                         const struct pass_observer *observer, const struct indexing_options *how,
                         struct pass_result *result, struct error *err);

// For a pass that writes no index: segments that only serve to find loads that contradict memory
// (DOUBT_LOADS), as while an index is built, and to count address spaces.
struct indexing_doubts {
    struct doubt contradictions;
    struct space_count spaces;
    struct register_names names;
};

struct segment_consumer indexing_doubts_only(struct indexing_doubts *found);
void indexing_doubts_free(struct indexing_doubts *found);

// --- Memory that host calls may have written -----------------------------------------------------

// Memory that host calls may have written, which only an index can determine.

// Queries the index that is being written, which is complete except for this section and names, and
// adds the section. `path` is for messages.
enum status index_add_regions(struct index_writer *writer, const char *path, struct error *err);

#endif
