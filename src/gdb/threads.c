// What GDB sees as threads: the lanes of a trace, or the tasks of a system (--by task); of frames
// of a trace file, a single one, as they tell nothing of threads.
//
// A task that waits is shown where it continues: there its registers are what the system has
// restored, while where it was left they are those of the system's own code. One that never runs
// again is shown where it was left.
#include "gdb/server.h"

#include "query/point.h"

#include <stdlib.h>

void gdb_threads_free(struct gdb_threads *threads)
{
    free(threads->tasks);
    free(threads->runs);
    *threads = (struct gdb_threads){0};
}

static enum status no_memory(const struct gdb_run *run, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory for its tasks", run->session->path);
}

// Calls `take` for each run of each task, or only counts them.
static enum status walk_runs(struct gdb_threads *threads, uint64_t *count, size_t *ends,
                             struct error *err)
{
    const struct index_view *view = threads->run->view;
    size_t first_task = 0;
    *count = 0;
    for (uint64_t lane = 0; lane < view->info.lanes; lane++) {
        enum trawl_status found = TRAWL_OK;
        size_t tasks = 0;
        while (first_task + tasks < threads->count &&
               threads->tasks[first_task + tasks].lane == lane)
            tasks++;
        for (uint64_t number = 0; found == TRAWL_OK; number++) {
            struct trawl_task_run about;
            struct trawl_error from;
            found = trawl_task_run(view->index, lane, number, &about, &from);
            if (found != TRAWL_OK && found != TRAWL_NOT_FOUND)
                return index_status(found, &from, err);
            if (found != TRAWL_OK || about.task >= tasks)
                continue;
            ++*count;
            struct gdb_task *task = &threads->tasks[first_task + about.task];
            if (ends)
                threads->runs[task->first + ends[first_task + about.task]++] = about.first;
            else
                task->end++;
        }
        first_task += tasks;
    }
    return STATUS_OK;
}

enum status gdb_threads_begin(struct gdb_threads *threads, struct gdb_run *run, bool are_tasks,
                              struct error *err)
{
    const struct task_names *names = &run->session->tasks;
    const size_t lanes = run->is_of_frames ? 1 : (size_t)run->view->info.lanes;
    *threads = (struct gdb_threads){.run = run, .count = lanes};
    if (!are_tasks || !names->items.count)
        return STATUS_OK;
    threads->are_tasks = true;
    threads->count = names->items.count;
    threads->tasks = calloc(threads->count, sizeof *threads->tasks);
    size_t *ends = calloc(threads->count, sizeof *ends);
    if (!threads->tasks || !ends) {
        free(ends);
        return no_memory(run, err);
    }
    for (size_t i = 0; i < threads->count; i++)
        threads->tasks[i] = (struct gdb_task){.lane = names->items.items[i].lane,
                                              .number = names->items.items[i].number};
    uint64_t count;
    enum status status = walk_runs(threads, &count, NULL, err);
    if (status == STATUS_OK && !(threads->runs = calloc((size_t)count + 1, sizeof *threads->runs)))
        status = no_memory(run, err);
    size_t first = 0;
    for (size_t i = 0; i < threads->count && status == STATUS_OK; i++) {
        size_t of_task = threads->tasks[i].end;
        threads->tasks[i].first = first;
        threads->tasks[i].end = first += of_task;
    }
    if (status == STATUS_OK)
        status = walk_runs(threads, &count, ends, err);
    free(ends);
    return status;
}

uint64_t gdb_threads_lane(const struct gdb_threads *threads, uint64_t thread)
{
    if (threads->run->is_of_frames)
        return threads->run->lane;
    return threads->are_tasks ? threads->tasks[thread].lane : thread;
}

const char *gdb_threads_name(const struct gdb_threads *threads, uint64_t thread)
{
    const struct session *session = threads->run->session;
    if (threads->run->is_of_frames)
        return "frames";
    if (threads->are_tasks)
        return session->tasks.items.items[thread].name;
    const char *name = threads->run->view->lanes[thread].name;
    return *name ? name : session->trace ? session->trace->kind->words.lane : "core";
}

// The number of the lane's event that comes next, or of its last one.
static uint64_t next_in_lane(const struct gdb_threads *threads, uint64_t lane)
{
    struct gdb_run *run = threads->run;
    struct trawl_event about;
    uint64_t events = run->view->lanes[lane].events;
    if (point_in_lane(run->view, lane, run->position - 1, &about, &run->error) != STATUS_OK ||
        about.event == TRAWL_START || !events)
        return 0;
    return u64_min(about.in_lane + 1, events - 1);
}

uint64_t gdb_threads_running(const struct gdb_threads *threads, uint64_t lane)
{
    if (!threads->are_tasks)
        return threads->run->is_of_frames ? 0 : lane;
    struct gdb_run *run = threads->run;
    struct trawl_task_run about;
    struct trawl_error from;
    enum trawl_status found =
        trawl_task_run_at(run->view->index, lane, next_in_lane(threads, lane), &about, &from);
    uint64_t number = found == TRAWL_OK ? about.task : 0, first = 0;
    for (size_t i = 0; i < threads->count; i++) {
        if (threads->tasks[i].lane == lane && threads->tasks[i].number == number)
            return i;
        first = threads->tasks[i].lane == lane && !first ? i : first;
    }
    return first;
}

uint64_t gdb_threads_position(const struct gdb_threads *threads, uint64_t thread)
{
    struct gdb_run *run = threads->run;
    if (!threads->are_tasks)
        return run->position;
    const struct gdb_task *task = &threads->tasks[thread];
    if (gdb_threads_running(threads, task->lane) == thread)
        return run->position;
    uint64_t next = next_in_lane(threads, task->lane);
    size_t at, count = task->end - task->first;
    const uint64_t *runs = threads->runs + task->first;
    struct trawl_event about;
    PARTITION_POINT(at, count, runs[middle] <= next);
    if (at < count &&
        index_view_event_of_lane(run->view, task->lane, runs[at], &about, &run->error) == STATUS_OK)
        return about.event;
    // It never runs again: where its last run has ended.
    struct trawl_task_run last;
    struct trawl_error from;
    if (!count ||
        trawl_task_run_at(run->view->index, task->lane, runs[count - 1], &last, &from) !=
            TRAWL_OK ||
        index_view_event_of_lane(run->view, task->lane, last.last, &about, &run->error) !=
            STATUS_OK)
        return run->position;
    return about.event + 1;
}
