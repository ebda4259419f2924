// Finds calls of a trace that are in few other calls, for a picture of the outermost levels,
// skipping deep calls between them.
//
// Calls are numbered in preorder, so the call at level L around another is the last one up to it
// that is in at most L - 1 others. For each block of calls, the lowest level is stored once it was
// read, so that blocks of deeper calls are skipped. This is done in the background, for all
// requests about the trace.
#ifndef TRAWL_SERVE_LEVELS_H
#define TRAWL_SERVE_LEVELS_H

#include "trace/index_view.h"

struct levels;

// Starts to read the calls. The view must outlive it.
enum status levels_open(struct levels **out, const struct index_view *view, struct error *err);
void levels_close(struct levels *levels);

// The last of calls [first, end) of a lane that is at this level or further out, where 1 is
// outermost; *call is TRAWL_NONE if there is none. The index belongs to the caller.
enum trawl_status levels_find_last(struct levels *levels, struct trawl_index *index, uint64_t lane,
                                   uint64_t first, uint64_t end, uint64_t level, uint64_t *call,
                                   struct trawl_error *err);

#endif
