#include "session/call_stream.h"

#include "flow/call_list.h"
#include "session/call_filter.h"
#include "session/passes.h"
#include "session/shown.h"

#include <stdlib.h>

// --- From a list of calls ------------------------------------------------------------------------

// A call that the walk is in, and what it goes on with after it.
struct open_call {
    call_ref next;
    uint64_t exit; // calls of a trace may overlap: those inside end with the one around
    bool is_open, is_clipped;
};

struct list_walk {
    const struct call_sink *sink;
    const struct call_list *list;
    VEC(, struct open_call) stack;
    bool lacks_memory;
};

static bool enter(struct list_walk *walk, const struct call *call, call_ref next)
{
    uint64_t around =
        walk->stack.count ? walk->stack.items[walk->stack.count - 1].exit : UINT64_MAX;
    if (!VEC_ROOM(&walk->stack, 1)) {
        walk->lacks_memory = true;
        return false;
    }
    walk->stack.items[walk->stack.count++] =
        (struct open_call){next, u64_min(call->exit.time, around), call->is_open, call->is_clipped};
    return walk->sink->enter(walk->sink->self, call->entry.time, call->entry.pc, call->how);
}

static bool leave(struct list_walk *walk, call_ref *next)
{
    const struct open_call *left = &walk->stack.items[--walk->stack.count];
    *next = left->next;
    if (!walk->sink->leave(walk->sink->self, left->exit))
        return false;
    if (left->is_open)
        walk->sink->mark(walk->sink->self, "open");
    if (left->is_clipped)
        walk->sink->mark(walk->sink->self, "clipped");
    return true;
}

// False: the sink stopped, or there is no memory.
static bool walk_calls(struct list_walk *walk, const struct call *root, call_ref first)
{
    struct listed_call listed;
    call_ref place = first;
    bool goes_on = enter(walk, root, 0);
    while (goes_on && walk->stack.count) {
        if (!place) {
            goes_on = leave(walk, &place);
            continue;
        }
        call_list_read(walk->list, place, &listed);
        goes_on = enter(walk, &listed.call, listed.next_sibling);
        place = listed.first_child;
    }
    return goes_on;
}

static uint64_t first_time(const struct pass_result *result)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < result->lane_count; i++) {
        if (result->lanes[i].has_root)
            first = u64_min(first, result->lanes[i].root.time);
    }
    return first == UINT64_MAX ? 0 : first;
}

// False: no memory.
static bool walk_lanes(const struct session *session, const struct call_sink *sink,
                       const struct call_list *list)
{
    const struct pass_result *result = &session->result;
    bool goes_on = sink->begin(sink->self, first_time(result));
    bool has_memory = true;
    for (size_t i = 0; i < result->lane_count && goes_on; i++) {
        const struct lane_result *lane = &result->lanes[i];
        const char *name = *lane->name ? lane->name : session->trace->kind->words.lane;
        struct list_walk walk = {.sink = sink, .list = list};
        struct call root;
        if (!session_root(session, lane, &root))
            continue;
        goes_on = sink->lane(sink->self, &(struct call_lane){name, 1, i + 1}) &&
                  walk_calls(&walk, &root, call_list_first(&lane->calls));
        has_memory = !walk.lacks_memory;
        free(walk.stack.items);
    }
    return has_memory;
}

static enum status stream_list(struct session *session, const struct call_sink *sink,
                               struct error *err)
{
    struct call_list list = {0};
    const struct call_consumer consumer = call_list_consumer(&list);
    const struct pass_request request = session_calls(session, &consumer, NULL);
    enum status status = session_pass(session, &request, err);
    if (status == STATUS_OK && !walk_lanes(session, sink, &list))
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
    session->needs_trace = true; // its index has calls alone
    return session_pass(session, &request, err);
}

// --- Either --------------------------------------------------------------------------------------

enum status session_stream_calls(struct session *session, const struct call_sink *sink,
                                 struct error *err)
{
    // A lane's root is a call of a list, and what is streamed has none.
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
