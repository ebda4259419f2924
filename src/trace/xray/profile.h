// The profile of an XRay log (flow/profile.h), directly from its calls: because entries and exits
// are known, no calling context is needed to recognize recursive calls.
#ifndef TRAWL_TRACE_XRAY_PROFILE_H
#define TRAWL_TRACE_XRAY_PROFILE_H

#include "flow/profile.h"
#include "trace/xray/pass.h"

// Runs the pass into `profile`, for the lane called `lane`, or for all if that is NULL. The time of
// threads outside of all calls is in the row of FUNCTION_PC_OUTSIDE. Free with profile_free in any
// case.
enum status xray_profile_run(struct xray_pass *pass, const char *lane, struct profile *profile,
                             struct pass_result *result, struct error *err);

#endif
