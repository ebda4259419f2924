// Where the code that an exception interrupted will continue while the exception is handled.
#ifndef TRAWL_ANALYSIS_INTERRUPTED_H
#define TRAWL_ANALYSIS_INTERRUPTED_H

#include "analysis/index_view.h"

// The PC, without Thumb bit: the return address that the machine recorded (ELR of AArch64),
// otherwise the place where the interrupted task of the lane continues. STATUS_NOT_FOUND: the trace
// ends before that.
enum status interrupted_at(const struct index_view *view, uint64_t lane,
                           const struct trawl_call *exception, uint64_t *pc, struct error *err);

#endif
