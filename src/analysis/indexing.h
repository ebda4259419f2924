// Builds the index of a trace: one pass whose segments are written as they are ready, and behind it
// the calls, the directories, and what only a finished index can tell.
#ifndef TRAWL_ANALYSIS_INDEXING_H
#define TRAWL_ANALYSIS_INDEXING_H

#include "idx/index_write.h"
#include "pipeline/pipeline.h"

#define SEGMENT_EVENTS_DEFAULT (UINT32_C(1) << 17)
#define SEGMENT_EVENTS_MAX (UINT32_C(1) << 24)

struct indexing_options {
    const char *path; // of the index
    enum file_writer_io io;
    uint32_t segment_events; // that a segment holds; 1 to SEGMENT_EVENTS_MAX
    bool sync;               // have the index on the disk before it gets its name
};

// Runs the pass as `options` say (consumer and segments are set here) and publishes the index.
// `result` is that of the pass. On failure nothing is left of the index.
enum status indexing_run(struct source *source, const struct pipeline_options *options,
                         const struct pipeline_observer *observer,
                         const struct indexing_options *how, struct pipeline_result *result,
                         struct error *err);

#endif
