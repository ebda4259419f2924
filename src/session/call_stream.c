#include "session/call_stream.h"

#include "session/call_filter.h"
#include "session/passes.h"
#include "session/shown.h"
#include "session/task_tracks.h"
#include "session/tasks.h"

// --- From a list of calls ------------------------------------------------------------------------

static uint64_t first_time(const struct pass_result *result)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < result->lane_count; i++) {
        if (result->lanes[i].has_root)
            first = u64_min(first, result->lanes[i].root.time);
    }
    return first == UINT64_MAX ? 0 : first;
}

static bool give_lane(const struct session *session, struct call_walk *walk, size_t number)
{
    const struct lane_result *lane = &session->result.lanes[number];
    const char *name = *lane->name ? lane->name : session->trace->kind->words.lane;
    struct call root;
    if (!session_root(session, lane, &root))
        return true;
    if (session->splits_by_task)
        return task_tracks_give(session, walk, number, &root);
    return walk->sink->lane(walk->sink->self, &(struct call_lane){name, 1, number + UINT64_C(1)}) &&
           call_walk_give(walk, &root, call_list_first(&lane->calls));
}

// False: no memory.
static bool give_lanes(const struct session *session, const struct call_sink *sink,
                       struct call_list *list)
{
    const struct pass_result *result = &session->result;
    struct call_walk walk = {.sink = sink, .list = list};
    bool goes_on = sink->begin(sink->self, first_time(result), trace_frequency_hz(session->trace));
    for (size_t i = 0; i < result->lane_count && goes_on; i++)
        goes_on = give_lane(session, &walk, i);
    call_walk_free(&walk);
    return !walk.lacks_memory;
}

static enum status stream_list(struct session *session, const struct call_sink *sink,
                               struct error *err)
{
    struct call_list list = {0};
    const struct call_consumer consumer = call_list_consumer(&list);
    const struct pass_request request = session_calls(session, &consumer, NULL);
    enum status status = session_pass(session, &request, err);
    if (status == STATUS_OK && session->splits_by_task)
        status = session_name_tasks(session, err);
    if (status == STATUS_OK && !give_lanes(session, sink, &list))
        status = error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    call_list_free(&list);
    return status;
}

// --- As they are read ----------------------------------------------------------------------------

struct streaming {
    const struct call_sink *sink;
    const char *lane;
};

static enum status run_stream(void *self, struct trace *trace, const struct pass_options *options,
                              const struct pass_observer *observer, struct pass_result *result,
                              struct error *err)
{
    const struct streaming *streaming = self;
    (void)observer;
    return trace->kind->stream(trace, options, streaming->lane, streaming->sink, result, err);
}

static enum status stream_trace(struct session *session, const struct call_sink *sink,
                                struct error *err)
{
    struct streaming streaming = {sink, session->filter.lane};
    const struct pass_request request = {&streaming, run_stream,
                                         session_pass_options(session, NULL, NULL)};
    session->needs_trace = true; // its index has only calls
    return session_pass(session, &request, err);
}

// --- Either --------------------------------------------------------------------------------------

enum status session_stream_calls(struct session *session, const struct call_sink *sink,
                                 struct error *err)
{
    // The root of a lane is a call in a list, but is not part of streamed calls.
    bool has_roots = !session->trace->kind->stream;
    struct call_filter filter = {
        .session = session, .sink = *sink, .outside = call_level_outside(session, !has_roots)};
    const struct call_sink filtered = call_filter_sink(&filter);
    enum status status = session->trace->kind->stream ? stream_trace(session, &filtered, err)
                                                      : stream_list(session, &filtered, err);
    if (status == STATUS_OK && filter.lacks_memory)
        status = error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    if (status == STATUS_OK && !filter.has_shown)
        status = session_shows_nothing(session, err);
    call_filter_free(&filter);
    return status;
}
