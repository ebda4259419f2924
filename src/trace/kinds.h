// The table of kinds: a trace is of the first whose bytes it begins with; the last is any text.
#ifndef TRAWL_TRACE_KINDS_H
#define TRAWL_TRACE_KINDS_H

#include "trace/trace.h"

// Ended by the kind without `is`.
extern const struct trace_kind *const trace_kinds[];

#endif
