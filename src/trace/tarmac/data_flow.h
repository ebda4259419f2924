// How data flows through the instructions of a trace of an Arm core.
#ifndef TRAWL_TRACE_TARMAC_DATA_FLOW_H
#define TRAWL_TRACE_TARMAC_DATA_FLOW_H

#include "trace/trace.h"

extern const struct trace_dataflow tarmac_dataflow;

#endif
