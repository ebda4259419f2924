// The profile of an XRay log (flow/profile.h), directly from its calls: because entries and exits
// are known, no calling context is needed to recognize recursive calls.
#ifndef TRAWL_TRACE_XRAY_PROFILE_H
#define TRAWL_TRACE_XRAY_PROFILE_H

#include "flow/profile.h"
#include "trace/xray/pass.h"

// Runs the pass into `profile`, of the lane called `lane`, or of all if that is NULL. What threads
// do outside of every call is the row of FUNCTION_PC_OUTSIDE. Freed by profile_free in any case.
enum status xray_profile_run(struct xray_pass *pass, const char *lane, struct profile *profile,
                             struct pass_result *result, struct error *err);

#endif
