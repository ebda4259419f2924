// Which calls of a trace are in few others: what a picture of the outermost levels is made of,
// however deep the calls between them are.
//
// Calls are numbered in preorder, so what holds a call at level L is the last of those up to it
// that are in at most L - 1 others. Of each block of calls the lowest level is kept, once it
// was read, so that blocks of deeper calls are passed over. It is made in the background, and used
// by all requests about the trace.
#ifndef TRAWL_SERVE_LEVELS_H
#define TRAWL_SERVE_LEVELS_H

#include "analysis/index_view.h"

struct levels;

// Begins to read the calls. The view stays open as long.
enum status levels_open(struct levels **out, const struct index_view *view, struct error *err);
void levels_close(struct levels *levels);

// The last of calls [first, end) of a lane that is at this level or further out, where 1 is
// outside of every other; *call is TRAWL_NONE if there is none. The index is the caller's.
enum trawl_status levels_find_last(struct levels *levels, struct trawl_index *index, uint64_t lane,
                                   uint64_t first, uint64_t end, uint64_t level, uint64_t *call,
                                   struct trawl_error *err);

#endif
