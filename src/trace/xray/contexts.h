// The calling contexts of an XRay log, for profile and flame graph: threads in parallel, each from
// its root downwards, because a call is known when it begins.
#ifndef TRAWL_TRACE_XRAY_CONTEXTS_H
#define TRAWL_TRACE_XRAY_CONTEXTS_H

#include "flow/context_tree.h"
#include "trace/xray/pass.h"

// Runs the pass into `tree`, with the range of the pass. The `calls` of each lane in the result are
// intended for context_tree_root.
enum status xray_contexts_run(struct xray_pass *pass, struct context_tree *tree,
                              struct pass_result *result, struct error *err);

#endif
