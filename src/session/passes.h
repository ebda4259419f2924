// Passes over the trace of a session, or over its index, as session/session_index.h decides.
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

// Requests of a pass over the open trace: into a calling context tree; and into the profile of a
// lane (NULL: of all), for kinds with a faster way to it (trace_direct.profile). `into` must stay
// valid.
struct lane_profile {
    const char *lane;
    struct profile *profile;
};
struct pass_request session_contexts(const struct session *session, struct context_tree *tree);
struct pass_request session_profile(const struct session *session, struct lane_profile *into);

// Discards the results of the previous pass, so that another can follow, with another filter.
void session_begin_pass(struct session *session);

// Makes another pass over the trace for a consumer of segments; messages of the first pass are not
// repeated. Its times are added to the result's. STATUS_INPUT also if the trace has changed since
// the first pass began.
enum status session_pass_again(struct session *session, const struct segment_consumer *segments,
                               struct error *err);

#endif
