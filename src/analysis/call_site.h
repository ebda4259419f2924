// Where calls of an indexed trace came from, through functions that took each other's place.
#ifndef TRAWL_ANALYSIS_CALL_SITE_H
#define TRAWL_ANALYSIS_CALL_SITE_H

#include "analysis/index_view.h"

// The call that `call` took the place of by a branch, and so on back to the one that was called, or
// to `last` (the number of a call, TRAWL_NONE for none), which is not gone past: who called that is
// where all of them return to. STATUS_NOT_FOUND: the trace begins in it.
enum status call_first_in_place(const struct index_view *view, uint64_t lane,
                                const struct trawl_call *call, uint64_t last,
                                struct trawl_call *first, struct error *err);

#endif
