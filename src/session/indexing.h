// Builds the index of a trace: a pass whose segments are written when they are ready, then the
// calls, the directories, and the parts that need a complete index.
#ifndef TRAWL_SESSION_INDEXING_H
#define TRAWL_SESSION_INDEXING_H

#include "base/fingerprint.h"
#include "idx/file_writer.h"
#include "idx/index_format.h"
#include "trace/trace.h"

#define SEGMENT_EVENTS_DEFAULT 131072
#define SEGMENT_EVENTS_MAX ((uint32_t)INDEX_SEGMENT_EVENTS_MAX)

struct names;
struct shard_place;
struct follow;
struct early;

struct indexing_options {
    const char *path;                      // of the index, which gets the rights of its trace
    const int *file;                       // that is open, to be written instead; NULL: none
    const char *trace;                     // for messages
    const struct fingerprint *fingerprint; // of the trace, taken before; NULL: none is kept
    enum file_writer_io io;
    uint32_t segment_events;   // that a segment holds; 1 to SEGMENT_EVENTS_MAX
    bool sync;                 // have the index on the disk before it gets its name
    const struct names *names; // that it keeps, with the lines of their images; NULL: none
    struct error *left_out;    // of index_lines_write
    struct follow *follow;     // of a trace that is followed (session/follow.h); NULL: it is not
    // Of a part of an index, to be merged with others: which (idx/index_write.h); NULL: of all. The
    // last one has the calls of the whole trace, and all that is to be said of it.
    const struct shard_place *shard;
    // Of a part: what was surveyed of the pieces before its own; the text before is not read. None:
    // it is. Where they do not serve, it is as well, and *text_needed says why.
    const struct packed_survey *before;
    size_t before_count;
    struct error *text_needed;
    struct early *early; // who wants to know what is read so far (session/early.h); NULL: none
};

// Runs the pass over the open trace according to `options` (consumer and segments are set here) and
// publishes the index, which replaces an older one, unless how->file has no name. `result` is the
// result of the pass. On failure, or if the observer stopped at a fault or the trace has no events,
// no new index is left and an older one stays. All errors name their file.
enum status indexing_run(struct trace *trace, const struct pass_options *options,
                         const struct pass_observer *observer, const struct indexing_options *how,
                         struct pass_result *result, struct error *err);

#endif
