// The table of kinds. The first kind that recognizes the first bytes of a trace is taken; the last
// kind takes any text.
#ifndef TRAWL_TRACE_KINDS_H
#define TRAWL_TRACE_KINDS_H

#include "trace/trace.h"

// The last one is the kind without `is`.
extern const struct trace_kind *const trace_kinds[];

// The kind with that name, as an index stores it; NULL: there is none.
const struct trace_kind *trace_kind_named(const char *name);

#endif
