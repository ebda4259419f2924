// Segments in progress, made from matched chunks. All functions are called and left with the lock
// held.
#ifndef TRAWL_TRACE_LINES_SEGMENTS_H
#define TRAWL_TRACE_LINES_SEGMENTS_H

#include "trace/lines/running_pass.h"

// Deals the current matched chunk to the segments into which it reaches, as long as there is room.
void segments_deal(struct pipeline *pipeline);

// Does one shard of work for segments, if there is any. False: there is none.
bool segments_work(struct pipeline *pipeline);

// Whether all segments are written.
bool segments_are_done(const struct pipeline *pipeline);

// False: no memory.
bool segments_begin(struct pipeline *pipeline);
void segments_free(struct pipeline *pipeline);

#endif
