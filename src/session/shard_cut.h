// Where the pieces of a trace begin.
#ifndef TRAWL_SESSION_SHARD_CUT_H
#define TRAWL_SESSION_SHARD_CUT_H

#include "trace/trace.h"

// The first line that begins at or after a byte, and whose time is higher than that of all lines
// shortly before it: whatever any core does there does not continue what it did before. Where there
// is no such line nearby, any; the byte itself, if the text is not at hand as that of one file.
uint64_t shard_cut(const struct trace *trace, uint64_t near);

#endif
