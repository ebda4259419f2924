// Where the pieces of a trace begin.
#ifndef TRAWL_SESSION_SHARD_CUT_H
#define TRAWL_SESSION_SHARD_CUT_H

#include "trace/trace.h"

// The first line that begins at or after a byte, and whose time is higher than that of all lines
// shortly before it: no core continues an event there. If there is no such line nearby, any line;
// the byte itself, if the text cannot be read as that of a single file.
uint64_t shard_cut(const struct trace *trace, uint64_t near);

#endif
