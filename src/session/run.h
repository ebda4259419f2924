// What passes over the trace of a session are made of: options, requests, the run, and whether what
// came of it shows a trace.
#ifndef TRAWL_SESSION_RUN_H
#define TRAWL_SESSION_RUN_H

#include "session/indexing.h"
#include "session/session.h"

// What a pass is run into, and how.
struct pass_request {
    void *self;
    enum status (*run)(void *self, struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err);
    struct pass_options options;
};

// Options as the session has them, and the plainest request: calls go to a consumer (NULL: none),
// visits are of watched addresses (NULL: none).
struct pass_options session_pass_options(const struct session *session,
                                         const struct call_consumer *consumer,
                                         const struct watch_list *watch);
struct pass_request session_calls(const struct session *session,
                                  const struct call_consumer *consumer,
                                  const struct watch_list *watch);

// A pass over the trace itself, which is ready, into session.result; it builds the index if `how`
// says so. Damage is reported, and the result judged.
enum status session_run(struct session *session, const struct pass_request *request,
                        const struct indexing_options *how, struct error *err);

// Judges the result of a pass: STATUS_STOPPED where the listener stopped it, STATUS_INPUT where it
// shows no trace, STATUS_NOT_FOUND where no lane is called as the filter has it.
enum status session_judge(const struct session *session, struct error *err);

// Says that the trace shows no instructions, and what it seems to be instead. Returns STATUS_INPUT.
enum status session_no_instructions(const struct session *session, struct error *err);

// Says that the trace has no events. Returns STATUS_INPUT.
enum status session_no_events(const struct session *session, struct error *err);

#endif
