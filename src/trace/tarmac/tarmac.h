// Tarmac traces: text of Arm's models and cores, and of those who write it like them.
#ifndef TRAWL_TRACE_TARMAC_TARMAC_H
#define TRAWL_TRACE_TARMAC_TARMAC_H

#include "trace/trace.h"

extern const struct trace_kind tarmac_kind;

#endif
