// Passes over a piece of a trace (pass_options.piece): what they begin with, if they do not read
// the text before it, and the survey that they leave. Private to the pipeline.
#ifndef TRAWL_TRACE_TARMAC_PIECE_H
#define TRAWL_TRACE_TARMAC_PIECE_H

#include "trace/tarmac/running_pass.h"

// Has a pass that has not run begin where it should, with what surveys tell, and say again what
// they were told. STATUS_NOT_FOUND: the text before is needed, `err` says why; nothing was said.
// STATUS_DAMAGED: a survey is.
enum status piece_begin(struct pipeline *pipeline, struct error *err);

void piece_free(struct pipeline *pipeline);

// Whether a chunk is the last that is read of the trace, for a survey.
bool piece_ends_with(const struct pipeline *pipeline, const struct source_chunk *chunk);

// --- For a survey ---

// Takes what the first chunk is parsed from for what the text before it left.
void piece_note_chunk(struct pipeline *pipeline, const struct slot *slot);

// Notes a lane's part of a chunk before the state of the lane moves on. False: no memory.
bool piece_note_part(struct pipeline *pipeline, struct slot *slot, size_t part);

// Has the scan of a part, which began with `start`, leave what the survey needs. False: no memory.
bool piece_note_scan(struct slot *slot, size_t part, const struct lane_state *start);

// Notes a part that was numbered.
void piece_note_number(struct pipeline *pipeline, const struct slot *slot, size_t part);

// Leaves the survey of a pass that ran to the end of the piece. False: no memory.
bool piece_end(struct pipeline *pipeline);

#endif
