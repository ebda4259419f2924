#include "session/passes.h"

#include "idx/index.h"
#include "session/session_index.h"

// Runs the first request over the index, which may show that it is unusable; then nothing was
// reported. If the index was just made, everything was reported by the pass that made it.
static enum status replay(struct session *session, const struct pass_request *request,
                          struct error *err)
{
    const struct pass_observer silent = {0};
    bool is_silent = session->pass_input == PASS_OVER_NEW_INDEX || session->are_faults_told;
    struct trace *trace = session->trace;
    const struct pass_observer *observer = is_silent ? &silent : &session->listener.pass;
    enum status status =
        request->run
            ? request->run(request->self, trace, &request->options, observer, &session->result, err)
            : trace->kind->run(trace, &request->options, observer, &session->result, err);
    if (status == STATUS_OK && !index_view_is_intact(trace->index))
        return error_set(err, STATUS_INPUT, "%s: was changed while it was read",
                         trace->index->path);
    if (status != STATUS_OK)
        return session_pass_failure(session, status, trace->index->path, err);
    session->is_replayed = true;
    if (!is_silent)
        status = session_report_damage(session, err);
    session->is_damage_told |= is_silent;
    if (status == STATUS_OK)
        status = session_judge(session, err);
    return status == STATUS_OK ? session_tell_idle_images(session, err) : status;
}

// Decides what passes read, and runs the first. *is_done false: the trace must be read.
static enum status first_pass(struct session *session, const struct pass_request *request,
                              bool *is_done, struct error *err)
{
    enum status status = session_index(session, INDEX_FOR_PASS, err);
    while (status == STATUS_OK && session->pass_input >= PASS_OVER_INDEX && session->trace->index) {
        status = replay(session, request, err);
        *is_done = !session_forsake_pass(session, status);
        if (*is_done)
            return status;
        status = session->pass_input == PASS_UNDECIDED ? session_index(session, INDEX_FOR_PASS, err)
                                                       : STATUS_OK;
    }
    if (session->pass_input == PASS_OVER_NOTHING) {
        *is_done = true;
        session->pass_input = PASS_OVER_TRACE;
    }
    return status;
}

enum status session_pass(struct session *session, const struct pass_request *request,
                         struct error *err)
{
    enum status status = STATUS_OK;
    bool is_done = false;
    if (session->pass_input == PASS_UNDECIDED)
        status = first_pass(session, request, &is_done, err);
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

struct pass_request session_contexts(const struct session *session, struct context_tree *tree)
{
    const struct call_consumer consumer = context_tree_consumer(tree);
    struct pass_request request = session_calls(session, &consumer, NULL);
    if (session->trace->kind->direct && session->keeps_open_calls) {
        request.self = tree;
        request.run = run_contexts;
    }
    return request;
}

static enum status run_profile(void *self, struct trace *trace, const struct pass_options *options,
                               const struct pass_observer *observer, struct pass_result *result,
                               struct error *err)
{
    const struct lane_profile *into = self;
    (void)observer;
    return trace->kind->direct->profile(trace, options, into->lane, into->profile, result, err);
}

struct pass_request session_profile(const struct session *session, struct lane_profile *into)
{
    return (struct pass_request){into, run_profile, session_pass_options(session, NULL, NULL)};
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
