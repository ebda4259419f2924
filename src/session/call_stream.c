#include "session/call_stream.h"

#include "base/vec.h"
#include "flow/call_list.h"
#include "flow/call_sink.h"
#include "session/passes.h"
#include "session/session.h"
#include "session/shown.h"
#include "session/tasks.h"

#include <stdio.h>
#include <stdlib.h>

// --- Levels of calls -----------------------------------------------------------------------------

struct call_level call_level_outside(const struct session *session, uint64_t depth)
{
    bool is_inside = !session->filter.function;
    return (struct call_level){.below = is_inside ? depth : 0, .is_inside = is_inside};
}

struct call_level call_level_of(struct session *session, const struct call_level *around,
                                uint64_t pc, unsigned how)
{
    bool is_hidden = session_hides(session, pc);
    bool is_around_hidden = around->is_hidden && !(how & CALL_EXCEPTION);
    struct call_level level = {
        .is_inside =
            around->is_inside || (!(how & CALL_INLINED) && session_takes_function(session, pc)),
        .is_hidden = is_hidden || is_around_hidden,
        .is_outer = is_hidden && !around->is_hidden,
    };
    bool is_level = level.is_inside && !level.is_hidden;
    level.is_shown = is_level && around->below <= session->filter.depth_max;
    level.below = around->below + is_level;
    return level;
}

void call_level_count(struct session *session, const struct call_level *level, unsigned how)
{
    session->hidden.calls += level->is_outer && !(how & CALL_RESUMED);
}

// --- From a list to a sink -----------------------------------------------------------------------

// Passes the calls of a list to a sink, one after the other.

// A call in which the walk is, and the next call after it.
struct walked_call {
    call_ref next;
    uint64_t exit; // calls of a trace may overlap: a call ends no later than the one around it
    uint16_t how;
    bool is_open, is_clipped;
};

// Initialize with zeros except for sink and list.
struct call_walk {
    const struct call_sink *sink;
    struct call_list *list;
    VEC(, struct walked_call) stack;
    bool lacks_memory; // the reason why it stopped; otherwise the sink stopped it
};

// The time at which control has left a call for good: its last instruction lasts until then.
static uint64_t call_end_time(const struct call *call)
{
    return u64_max(call->exit.time, call->exit.time + call->exit_ticks);
}

static bool walk_enter(struct call_walk *walk, const struct call *call, call_ref next)
{
    uint64_t around =
        walk->stack.count ? walk->stack.items[walk->stack.count - 1].exit : UINT64_MAX;
    if (!VEC_ROOM(&walk->stack, 1)) {
        walk->lacks_memory = true;
        return false;
    }
    walk->stack.items[walk->stack.count++] = (struct walked_call){
        next, u64_min(call_end_time(call), around), call->how, call->is_open, call->is_clipped};
    if (!walk->sink->enter(walk->sink->self, call->entry.time, call->entry.pc, call->how))
        return false;
    call_sink_place(walk->sink, call->entry.line, call->entry.pc);
    return true;
}

static bool walk_leave(struct call_walk *walk, call_ref *next)
{
    const struct walked_call *left = &walk->stack.items[--walk->stack.count];
    *next = left->next;
    if (!walk->sink->leave(walk->sink->self, left->exit))
        return false;
    const char *word = call_end_word(left->how);
    if (word)
        call_sink_mark(walk->sink, word);
    if (left->how & CALL_GUESSED)
        call_sink_mark(walk->sink, "guess");
    if (left->is_open)
        call_sink_mark(walk->sink, "open");
    if (left->is_clipped)
        call_sink_mark(walk->sink, "clipped");
    return true;
}

// Passes a call and the calls in it to the sink: `first_child` and its siblings. False: the sink
// stopped, or there is no memory.
static bool call_walk_give(struct call_walk *walk, const struct call *call, call_ref first_child)
{
    struct listed_call listed;
    call_ref place = first_child;
    bool goes_on = walk_enter(walk, call, 0);
    while (goes_on && walk->stack.count) {
        if (!place) {
            goes_on = walk_leave(walk, &place);
            continue;
        }
        call_list_read(walk->list, place, &listed);
        goes_on = walk_enter(walk, &listed.call, listed.next_sibling);
        place = listed.first_child;
    }
    return goes_on;
}

// --- Tracks of tasks -----------------------------------------------------------------------------

// The calls of a lane as tracks of its tasks: one for each name, with everything that tasks of that
// name did.

// The tasks of a lane, ordered by name.
struct tracks {
    struct session *session;
    struct call_walk *walk;
    size_t number; // of the lane
    const struct lane_result *lane;
    const struct call *root;
    const struct task_name **sorted;
    size_t *group_of;     // for each task, the index in `sorted` of the first one with its name
    uint64_t *first_runs; // of each group
    call_ref *next;       // for each task, the next outermost call to pass on
    struct task_runs runs;
};

// The state of the output for one name.
struct track {
    struct tracks *tracks;
    const char *name;
    uint64_t thread;
    uint64_t at;    // time up to which output was made
    bool has_begun; // the lane was passed to the sink
    bool has_root;  // the first function of the lane was entered
    bool is_around; // the function in which the task was first seen is entered
};

// --- What the sink gets --------------------------------------------------------------------------

static bool begin_track(struct track *track)
{
    const struct tracks *tracks = track->tracks;
    const struct call_sink *sink = tracks->walk->sink;
    char text[512];
    bool has_lanes = tracks->session->result.lane_count > 1;
    if (track->has_begun)
        return true;
    track->has_begun = true;
    snprintf(text, sizeof text, "%.100s%s%.400s", has_lanes ? tracks->lane->name : "",
             has_lanes ? ": " : "", track->name);
    return sink->lane(sink->self,
                      &(struct call_lane){text, tracks->number + UINT64_C(1), track->thread});
}

// Outside of its calls, a task is in the function in which it was first seen.
static bool enter_around(struct track *track, uint64_t task)
{
    const struct tracks *tracks = track->tracks;
    const struct call_sink *sink = tracks->walk->sink;
    uint64_t pc = task ? tracks->lane->tasks.tasks.items[task].entry : tracks->root->entry.pc;
    bool goes_on = task || track->has_root;
    if (track->is_around)
        return true;
    track->is_around = true;
    track->has_root |= !task;
    return begin_track(track) && sink->enter(sink->self, track->at, pc, goes_on ? CALL_RESUMED : 0);
}

static bool leave_around(struct track *track)
{
    const struct call_sink *sink = track->tracks->walk->sink;
    bool was_around = track->is_around;
    track->is_around = false;
    return !was_around || sink->leave(sink->self, track->at);
}

// --- Runs ----------------------------------------------------------------------------------------

// Advances to a time. Until then the task was outside of its calls.
static bool pass_time(struct track *track, uint64_t task, uint64_t time)
{
    if (time <= track->at)
        return true;
    bool is_in_sink = enter_around(track, task);
    track->at = time;
    return is_in_sink;
}

// Passes on everything that tasks of one name did, run by run: the outermost calls that began in a
// run, and the time outside of them.
static bool give_track(struct tracks *tracks, size_t group, uint64_t thread)
{
    struct track track = {.tracks = tracks, .name = tracks->sorted[group]->name, .thread = thread};
    const struct call *root = tracks->root;
    for (uint64_t at = tracks->first_runs[group]; at != TASK_RUN_NONE;
         at = task_runs_next(&tracks->runs, at)) {
        const struct task_run run = task_log_run(&tracks->lane->tasks, at);
        call_ref *next = &tracks->next[run.task];
        track.at = u64_max(track.at, u64_max(run.first_time, root->entry.time));
        while (*next) {
            struct listed_call listed;
            call_list_read(tracks->walk->list, *next, &listed);
            const struct call *call = &listed.call;
            if (call->entry.event >= run.end_event)
                break;
            if (!pass_time(&track, run.task, call->entry.time) ||
                !(call->how & CALL_TASK ? leave_around(&track) : enter_around(&track, run.task)) ||
                !begin_track(&track) || !call_walk_give(tracks->walk, call, listed.first_child))
                return false;
            track.at = u64_max(track.at, call_end_time(call));
            *next = listed.next_sibling;
        }
        if (!pass_time(&track, run.task, u64_min(run.end_time, root->exit.time)) ||
            !leave_around(&track))
            return false;
    }
    return true;
}

// --- The lane ------------------------------------------------------------------------------------

// Whether a name begins at this index.
static bool is_first_of_name(const struct tracks *tracks, size_t at)
{
    return at == 0 || strcmp(tracks->sorted[at]->name, tracks->sorted[at - 1]->name) != 0;
}

// Groups the tasks by name. False: no memory.
static bool prepare(struct tracks *tracks)
{
    const struct task_log *log = &tracks->lane->tasks;
    size_t count = log->tasks.count, first = 0;
    tracks->sorted = calloc(count + 1, sizeof *tracks->sorted);
    tracks->group_of = calloc(count + 1, sizeof *tracks->group_of);
    tracks->first_runs = calloc(count + 1, sizeof *tracks->first_runs);
    tracks->next = calloc(count + 1, sizeof *tracks->next);
    if (!tracks->sorted || !tracks->group_of || !tracks->first_runs || !tracks->next)
        return false;
    task_names_sort(&tracks->session->tasks, tracks->number, count, tracks->sorted);
    for (size_t i = 0; i < count; i++) {
        if (is_first_of_name(tracks, i))
            first = i;
        tracks->group_of[tracks->sorted[i]->number] = first;
        tracks->first_runs[i] = TASK_RUN_NONE;
        tracks->next[i] = call_list_first(&log->tasks.items[i].calls);
    }
    return task_runs_make(&tracks->runs, log, tracks->group_of, tracks->first_runs);
}

// Passes to the walk's sink a lane for each task of lane `number` that the filter selects, ordered
// by name. `root` is the first call of the lane. The time of a task outside of its calls counts for
// the function in which the task was first seen. False: the sink stopped, or there is no memory
// (walk->lacks_memory).
static bool task_tracks_give(struct session *session, struct call_walk *walk, size_t number,
                             const struct call *root)
{
    struct tracks tracks = {.session = session,
                            .walk = walk,
                            .number = number,
                            .lane = &session->result.lanes[number],
                            .root = root};
    uint64_t thread = 0;
    bool goes_on = prepare(&tracks);
    walk->lacks_memory |= !goes_on;
    for (size_t i = 0; goes_on && i < tracks.lane->tasks.tasks.count; i++) {
        if (is_first_of_name(&tracks, i) && session_takes_task(session, tracks.sorted[i]))
            goes_on = give_track(&tracks, i, ++thread);
    }
    task_runs_free(&tracks.runs);
    free(tracks.sorted);
    free(tracks.group_of);
    free(tracks.first_runs);
    free(tracks.next);
    return goes_on;
}

// --- What the filter selects ---------------------------------------------------------------------

// Passes on to a sink the calls that --function, --depth and --hide select: calls of that function
// with the calls in them, down to that depth, except calls of hidden functions.

// Initialize with zeros except for session, sink and outside.
struct call_filter {
    struct session *session;
    struct call_sink sink;           // gets the selected calls
    struct call_level outside;       // of all calls
    VEC(, struct call_level) levels; // of the calls in which the lane is
    bool is_last_shown;              // the last event that was passed in
    bool has_shown;                  // of anything
    bool lacks_memory;               // the reason why it stopped
};

// The innermost call in which the lane is.
static const struct call_level *innermost(const struct call_filter *filter)
{
    size_t count = filter->levels.count;
    return count ? &filter->levels.items[count - 1] : &filter->outside;
}

static bool filter_begin(void *self, uint64_t start, uint64_t hz)
{
    struct call_filter *filter = self;
    return filter->sink.begin(filter->sink.self, start, hz);
}

static bool filter_lane(void *self, const struct call_lane *lane)
{
    struct call_filter *filter = self;
    filter->levels.count = 0;
    filter->is_last_shown = true;
    return filter->sink.lane(filter->sink.self, lane);
}

static bool filter_enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    struct call_filter *filter = self;
    const struct call_level level = call_level_of(filter->session, innermost(filter), pc, how);
    if (!VEC_ROOM(&filter->levels, 1)) {
        filter->lacks_memory = true;
        return false;
    }
    filter->levels.items[filter->levels.count++] = level;
    call_level_count(filter->session, &level, how);
    filter->is_last_shown = level.is_shown;
    filter->has_shown |= level.is_shown;
    return !level.is_shown || filter->sink.enter(filter->sink.self, time, pc, how);
}

static bool filter_leave(void *self, uint64_t time)
{
    struct call_filter *filter = self;
    filter->is_last_shown = innermost(filter)->is_shown;
    filter->levels.count--;
    return !filter->is_last_shown || filter->sink.leave(filter->sink.self, time);
}

static bool filter_instant(void *self, const struct call_instant *instant)
{
    struct call_filter *filter = self;
    bool is_in_call = instant->is_in_call && filter->levels.count;
    filter->is_last_shown =
        is_in_call ? innermost(filter)->is_shown : !filter->session->filter.function;
    filter->has_shown |= filter->is_last_shown;
    return !filter->is_last_shown || call_sink_instant(&filter->sink, instant);
}

static void filter_mark(void *self, const char *what)
{
    const struct call_filter *filter = self;
    if (filter->is_last_shown)
        call_sink_mark(&filter->sink, what);
}

static void filter_argument(void *self, uint64_t value)
{
    const struct call_filter *filter = self;
    if (filter->is_last_shown)
        call_sink_argument(&filter->sink, value);
}

static void filter_place(void *self, uint64_t line, uint64_t pc)
{
    const struct call_filter *filter = self;
    if (filter->is_last_shown)
        call_sink_place(&filter->sink, line, pc);
}

// --- From a list of calls ------------------------------------------------------------------------

// False: no memory.
static bool give_lanes(struct session *session, const struct call_sink *sink,
                       struct call_list *list)
{
    const struct pass_result *result = &session->result;
    struct call_walk walk = {.sink = sink, .list = list};
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < result->lane_count; i++) {
        if (result->lanes[i].has_root)
            first = u64_min(first, result->lanes[i].root.time);
    }
    bool goes_on = sink->begin(sink->self, first == UINT64_MAX ? 0 : first,
                               trace_frequency_hz(session->trace));
    for (size_t i = 0; i < result->lane_count && goes_on; i++) {
        const struct lane_result *lane = &result->lanes[i];
        const char *name = *lane->name ? lane->name : session->trace->kind->words.lane;
        struct call root;
        if (!session_root(session, lane, &root))
            continue;
        if (session->splits_by_task)
            goes_on = task_tracks_give(session, &walk, i, &root);
        else
            goes_on = sink->lane(sink->self, &(struct call_lane){name, 1, i + UINT64_C(1)}) &&
                      call_walk_give(&walk, &root, call_list_first(&lane->calls));
    }
    free(walk.stack.items);
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
    return trace->kind->direct->stream(trace, options, streaming->lane, streaming->sink, result,
                                       err);
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
    bool has_roots = !session->trace->kind->direct;
    struct call_filter filter = {
        .session = session, .sink = *sink, .outside = call_level_outside(session, !has_roots)};
    const struct call_sink filtered = {&filter,      filter_begin,    filter_lane,
                                       filter_enter, filter_leave,    filter_instant,
                                       filter_mark,  filter_argument, filter_place};
    enum status status = session->trace->kind->direct ? stream_trace(session, &filtered, err)
                                                      : stream_list(session, &filtered, err);
    if (status == STATUS_OK && filter.lacks_memory)
        status = error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    if (status == STATUS_OK && !filter.has_shown)
        status = session_shows_nothing(session, err);
    free(filter.levels.items);
    return status;
}
