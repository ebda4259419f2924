#include "session/task_tracks.h"

#include "session/tasks.h"

#include <stdio.h>
#include <stdlib.h>

// The tasks of a lane, ordered by name.
struct tracks {
    const struct session *session;
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

// Passes on an outermost call.
static bool give_call(struct track *track, uint64_t task, const struct listed_call *listed)
{
    bool is_outermost = listed->call.how & CALL_TASK;
    if (!pass_time(track, task, listed->call.entry.time) ||
        !(is_outermost ? leave_around(track) : enter_around(track, task)) || !begin_track(track) ||
        !call_walk_give(track->tracks->walk, &listed->call, listed->first_child))
        return false;
    track->at = u64_max(track->at, call_end_time(&listed->call));
    return true;
}

static bool give_run(struct track *track, const struct task_run *run)
{
    struct tracks *tracks = track->tracks;
    const struct call *root = tracks->root;
    uint64_t end = u64_min(run->end_time, root->exit.time);
    call_ref *next = &tracks->next[run->task];
    track->at = u64_max(track->at, u64_max(run->first_time, root->entry.time));
    while (*next) {
        struct listed_call listed;
        call_list_read(tracks->walk->list, *next, &listed);
        if (listed.call.entry.event >= run->end_event)
            break;
        if (!give_call(track, run->task, &listed))
            return false;
        *next = listed.next_sibling;
    }
    return pass_time(track, run->task, end) && leave_around(track);
}

static bool give_track(struct tracks *tracks, size_t group, uint64_t thread)
{
    struct track track = {.tracks = tracks, .name = tracks->sorted[group]->name, .thread = thread};
    bool goes_on = true;
    for (uint64_t at = tracks->first_runs[group]; at != TASK_RUN_NONE && goes_on;
         at = task_runs_next(&tracks->runs, at)) {
        const struct task_run run = task_log_run(&tracks->lane->tasks, at);
        goes_on = give_run(&track, &run);
    }
    return goes_on;
}

// --- The lane ------------------------------------------------------------------------------------

// Whether a name begins at this index.
static bool is_first_of_name(const struct tracks *tracks, size_t at)
{
    return at == 0 || strcmp(tracks->sorted[at]->name, tracks->sorted[at - 1]->name) != 0;
}

static void group(struct tracks *tracks)
{
    const struct task_log *log = &tracks->lane->tasks;
    size_t first = 0;
    task_names_sort(&tracks->session->tasks, tracks->number, log->tasks.count, tracks->sorted);
    for (size_t i = 0; i < log->tasks.count; i++) {
        if (is_first_of_name(tracks, i))
            first = i;
        tracks->group_of[tracks->sorted[i]->number] = first;
        tracks->first_runs[i] = TASK_RUN_NONE;
        tracks->next[i] = call_list_first(&log->tasks.items[i].calls);
    }
}

// False: no memory.
static bool prepare(struct tracks *tracks)
{
    const struct task_log *log = &tracks->lane->tasks;
    size_t count = log->tasks.count;
    tracks->sorted = calloc(count + 1, sizeof *tracks->sorted);
    tracks->group_of = calloc(count + 1, sizeof *tracks->group_of);
    tracks->first_runs = calloc(count + 1, sizeof *tracks->first_runs);
    tracks->next = calloc(count + 1, sizeof *tracks->next);
    if (!tracks->sorted || !tracks->group_of || !tracks->first_runs || !tracks->next)
        return false;
    group(tracks);
    return task_runs_make(&tracks->runs, log, tracks->group_of, tracks->first_runs);
}

static bool give_tracks(struct tracks *tracks)
{
    uint64_t thread = 0;
    bool goes_on = true;
    for (size_t i = 0; i < tracks->lane->tasks.tasks.count && goes_on; i++) {
        if (is_first_of_name(tracks, i) && session_takes_task(tracks->session, tracks->sorted[i]))
            goes_on = give_track(tracks, i, ++thread);
    }
    return goes_on;
}

bool task_tracks_give(const struct session *session, struct call_walk *walk, size_t number,
                      const struct call *root)
{
    struct tracks tracks = {.session = session,
                            .walk = walk,
                            .number = number,
                            .lane = &session->result.lanes[number],
                            .root = root};
    bool is_ready = prepare(&tracks);
    walk->lacks_memory |= !is_ready;
    bool goes_on = is_ready && give_tracks(&tracks);
    task_runs_free(&tracks.runs);
    free(tracks.sorted);
    free(tracks.group_of);
    free(tracks.first_runs);
    free(tracks.next);
    return goes_on;
}
