// The files of XRay's profiling mode (xray_mode=xray-profiling): no log, but sums for each stack of
// calls, which the runtime adds up while the program runs (compiler-rt/lib/xray/
// xray_profile_collector.cpp).
//
// A header of 32 bytes: "xrayprof" as a number, a version, the time, and the process. Then a block
// for each thread: its size, its number and the thread's id, and a record for each stack: function
// ids from the innermost out, 0, how many calls returned, and their ticks.
//
// What the runtime calls local time is not: it subtracts only calls that the same exit ended. So
// the ticks of a stack are all of the time of its calls. But if functions are left by exceptions or
// longjmp, what is called afterwards seems to be called by them, until an outer function returns,
// whose ticks then lack the time of all of these, and may become negative; and a call that has not
// returned has no ticks. Such a stack counts as long as the calls in it, which the summary says.
// The length of a tick is not in the file.
#ifndef TRAWL_TRACE_XRAY_PROFILING_H
#define TRAWL_TRACE_XRAY_PROFILING_H

#include "trace/trace.h"

extern const struct trace_kind xray_profiling_kind;

#endif
