#include "session/passes.h"

#include "session/pass_index.h"

enum status session_pass(struct session *session, const struct pass_request *request,
                         struct error *err)
{
    enum status status = STATUS_OK;
    bool is_done = false;
    if (!session->is_decided) {
        session->is_decided = true;
        status = session_pass_by_index(session, request, &is_done, err);
    }
    if (status == STATUS_OK && !is_done)
        status = session_run(session, request, NULL, err);
    // Calls consist of instructions. If only an index was requested, there may be no result.
    bool lacks_instructions =
        status == STATUS_OK && session->reading == READING_TRUE && request->options.consumer.fold &&
        trace_can(session->trace, TRACE_INSTRUCTIONS) && session->result.lane_count &&
        !pass_result_has_instructions(&session->result);
    return lacks_instructions ? session_no_instructions(session, err) : status;
}

static enum status run_contexts(void *self, struct trace *trace, const struct pass_options *options,
                                const struct pass_observer *observer, struct pass_result *result,
                                struct error *err)
{
    (void)observer;
    return trace->kind->direct->contexts(trace, options, self, result, err);
}

enum status session_contexts(struct session *session, struct context_tree *tree, struct error *err)
{
    const struct call_consumer consumer = context_tree_consumer(tree);
    struct pass_request request = session_calls(session, &consumer, NULL);
    if (session->trace->kind->direct && session->keeps_open_calls) {
        request.self = tree;
        request.run = run_contexts;
    }
    return session_pass(session, &request, err);
}

struct profile_request {
    const char *lane;
    struct profile *profile;
};

static enum status run_profile(void *self, struct trace *trace, const struct pass_options *options,
                               const struct pass_observer *observer, struct pass_result *result,
                               struct error *err)
{
    const struct profile_request *request = self;
    (void)observer;
    return trace->kind->direct->profile(trace, options, request->lane, request->profile, result,
                                        err);
}

enum status session_profile(struct session *session, struct profile *profile, struct error *err)
{
    struct profile_request into = {session->filter.lane, profile};
    const struct pass_request request = {&into, run_profile,
                                         session_pass_options(session, NULL, NULL)};
    return session_pass(session, &request, err);
}

enum status session_pass_over_view(struct session *session, struct error *err)
{
    struct trace *trace = session->trace;
    struct index_view again;
    session->is_decided = true;
    if (!trace_can(trace, TRACE_REPLAYS))
        return STATUS_OK;
    enum status status = index_view_open_again(&again, &session->view, err);
    if (status == STATUS_OK)
        status = trace_take_index(trace, again.index, err);
    if (status == STATUS_OK) {
        trace->index = again.index;
        again.index = NULL;
    }
    index_view_close(&again);
    return status;
}

void session_begin_pass(struct session *session)
{
    pass_result_free(&session->result);
    source_rewind(session->trace->source);
}

enum status session_pass_again(struct session *session, const struct segment_consumer *segments,
                               struct error *err)
{
    struct pass_result result;
    struct pass_options options = session_pass_options(session, NULL, NULL);
    const struct pass_observer observer = {.self = session->listener.pass.self,
                                           .advanced = session->listener.pass.advanced};
    struct trace *trace = session->trace;
    options.segments = *segments;
    source_rewind(trace->source);
    session->names.index = NULL;
    trace_forget_index(trace);
    trace->meter = session->reading == READING_TRUE ? trace->meter : METER_OFF;
    enum status status = trace->kind->run(trace, &options, &observer, &result, err);
    for (int i = 0; i < STAGE_COUNT; i++)
        session->result.stage_ns[i] += result.stage_ns[i];
    session->result.wall_ns += result.wall_ns;
    pass_result_free(&result);
    return status;
}
