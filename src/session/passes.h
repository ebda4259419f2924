// Passes over the trace of a session, or over its index where that is to be read: the one place
// that knows which.
#ifndef TRAWL_SESSION_PASSES_H
#define TRAWL_SESSION_PASSES_H

#include "flow/context_tree.h"
#include "flow/profile.h"
#include "session/run.h"

// Runs a pass over the trace, which is open and ready, or over its index, and builds the index
// where one is to be. session.result is judged (session_judge). Where an index was all that was
// wanted (INDEX_ONLY, is_purpose) nothing is reported: the result may be empty.
enum status session_pass(struct session *session, const struct pass_request *request,
                         struct error *err);

// The same into a calling context tree; and into a profile, of kinds that have a way of their own
// (trace_kind.profile), of the lanes that the filter lets through.
enum status session_contexts(struct session *session, struct context_tree *tree, struct error *err);
enum status session_profile(struct session *session, struct profile *profile, struct error *err);

// Has passes read the index that session.view is of, for those whose kind reads it faster than the
// trace, and the trace else. Each pass that follows begins with session_begin_pass.
enum status session_pass_over_view(struct session *session, struct error *err);

// Forgets what the pass before left, so that another can follow, with another filter.
void session_begin_pass(struct session *session);

// Goes over the trace once more for those who take segments; what the first pass said is not said
// again. Its times are added to the result's. STATUS_INPUT also when the trace was changed since
// the first pass began.
enum status session_pass_again(struct session *session, const struct segment_consumer *segments,
                               struct error *err);

#endif
