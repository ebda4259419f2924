// The parts of a pass over the trace of a session: options, requests, the run, and whether the
// result shows a trace.
#ifndef TRAWL_SESSION_RUN_H
#define TRAWL_SESSION_RUN_H

#include "session/indexing.h"
#include "session/session.h"

// What a pass does. `run` makes it in another way than the kind's usual one; NULL: in that.
struct pass_request {
    void *self;
    enum status (*run)(void *self, struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err);
    struct pass_options options;
};

// The options of the session; and the simplest request, which passes calls to a consumer (NULL:
// none) and visits of the watched addresses (NULL: none).
struct pass_options session_pass_options(const struct session *session,
                                         const struct call_consumer *consumer,
                                         const struct watch_list *watch);
struct pass_request session_calls(const struct session *session,
                                  const struct call_consumer *consumer,
                                  const struct watch_list *watch);

// Runs a pass over the trace itself, which is ready, into session.result; builds the index if `how`
// says so. Reports damage, and judges the result.
enum status session_run(struct session *session, const struct pass_request *request,
                        const struct indexing_options *how, struct error *err);

// Judges the result of a pass: STATUS_STOPPED if the listener stopped it, STATUS_INPUT if it shows
// no trace, STATUS_NOT_FOUND if no lane has the name in the filter.
enum status session_judge(const struct session *session, struct error *err);

// Reports that the trace shows no instructions, and what it seems to be instead. Returns
// STATUS_INPUT.
enum status session_no_instructions(const struct session *session, struct error *err);

// Reports that the trace has no events. Returns STATUS_INPUT.
enum status session_no_events(const struct session *session, struct error *err);

#endif
