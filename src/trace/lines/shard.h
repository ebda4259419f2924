// Passes over a shard of a trace (pass_options.shard): their initial state, if they do not read the
// text before it, and the survey that they make. Private to the pipeline.
#ifndef TRAWL_TRACE_LINES_SHARD_H
#define TRAWL_TRACE_LINES_SHARD_H

#include "trace/lines/running_pass.h"

// Sets the start and the initial state of a pass that has not run yet, using surveys, and repeats
// the messages in them. STATUS_NOT_FOUND: the text before the shard is needed, for the reason in
// `err`; no messages were repeated. STATUS_DAMAGED: a survey is damaged.
enum status shard_begin(struct pipeline *pipeline, struct error *err);

void shard_free(struct pipeline *pipeline);

// For a survey: whether a chunk is the last one that is read.
bool shard_ends_with(const struct pipeline *pipeline, const struct source_chunk *chunk);

// --- For a survey ---

// Uses the state from which the first chunk was parsed as the state after the text before it.
void shard_note_chunk(struct pipeline *pipeline, const struct slot *slot);

// Records a lane's part of a chunk before the state of the lane is advanced. False: no memory.
bool shard_note_part(struct pipeline *pipeline, struct slot *slot, size_t part);

// Makes the scan of a part, which began with `start`, leave what the survey needs. False: no
// memory.
bool shard_note_scan(struct slot *slot, size_t part, const struct lane_state *start);

// Records a part that was numbered.
void shard_note_number(struct pipeline *pipeline, const struct slot *slot, size_t part);

// Completes the survey of a pass that ran to the end of the shard. False: no memory.
bool shard_end(struct pipeline *pipeline);

#endif
