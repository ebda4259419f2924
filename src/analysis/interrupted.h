// Where the code that an exception interrupted will continue while the exception is handled.
#ifndef TRAWL_ANALYSIS_INTERRUPTED_H
#define TRAWL_ANALYSIS_INTERRUPTED_H

#include "analysis/index_view.h"

// The PC, without a Thumb bit: where the exception returns to as the machine noted it (ELR of
// AArch64), else where the task of the lane that it interrupted is seen to continue.
// STATUS_NOT_FOUND: the trace shows neither, as it ends before.
enum status interrupted_at(const struct index_view *view, uint64_t lane,
                           const struct trawl_call *exception, uint64_t *pc, struct error *err);

#endif
