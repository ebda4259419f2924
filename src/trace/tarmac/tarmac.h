// Tarmac traces: text written by Arm's models and cores, and by others in the same form.
#ifndef TRAWL_TRACE_TARMAC_TARMAC_H
#define TRAWL_TRACE_TARMAC_TARMAC_H

#include "trace/trace.h"

extern const struct trace_kind tarmac_kind;

#endif
