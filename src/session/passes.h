// Passes over the trace of a session, or over its index: the only code that decides which.
#ifndef TRAWL_SESSION_PASSES_H
#define TRAWL_SESSION_PASSES_H

#include "flow/context_tree.h"
#include "flow/profile.h"
#include "session/run.h"

// Runs a pass over the trace, which is open and ready, or over its index, and builds the index if
// one is wanted. session.result is judged (session_judge). If only an index was wanted (INDEX_ONLY,
// is_purpose) nothing is reported: the result may be empty.
enum status session_pass(struct session *session, const struct pass_request *request,
                         struct error *err);

// The same into a calling context tree; and into a profile of the lanes that the filter selects,
// for kinds with a faster way to it (trace_direct.profile).
enum status session_contexts(struct session *session, struct context_tree *tree, struct error *err);
enum status session_profile(struct session *session, struct profile *profile, struct error *err);

// Makes passes read the index of session.view if the kind reads it faster than the trace, and the
// trace otherwise. Each following pass begins with session_begin_pass.
enum status session_pass_over_view(struct session *session, struct error *err);

// Discards the results of the previous pass, so that another can follow, with another filter.
void session_begin_pass(struct session *session);

// Makes another pass over the trace for a consumer of segments; messages of the first pass are not
// repeated. Its times are added to the result's. STATUS_INPUT also if the trace has changed since
// the first pass began.
enum status session_pass_again(struct session *session, const struct segment_consumer *segments,
                               struct error *err);

#endif
