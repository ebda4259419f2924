#include "cmd/index_jobs.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/thread.h"
#include "cmd/trace_open.h"
#include "cmd/trace_pass.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct job {
    struct index_outcome outcome;
    bool is_done;
};

struct run {
    struct index_jobs *jobs;
    struct job *items;
    size_t count;
    pthread_mutex_t lock;
    size_t next, next_told; // the next to begin, and the next to report
};

// --- One -----------------------------------------------------------------------------------------

static uint64_t size_of(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
}

void index_job_run(struct trace_command *command, const struct trace_command *common,
                   const struct index_input *input, FILE *out, struct index_outcome *outcome)
{
    uint64_t start_ns = monotonic_ns();
    *outcome = (struct index_outcome){.trace = input->trace};
    trace_command_begin_one(command, common, input->trace, out);
    if (input->index)
        command->session.index.path = input->index;
    if (trace_command_open_images(command, &outcome->status) &&
        trace_command_pass(command, NULL, NULL, &outcome->status))
        outcome->status = trace_command_sum_up(command);
    outcome->was_built = command->has_built_index;
    outcome->lines = command->session.result.lines;
    outcome->trace_bytes = size_of(input->trace);
    if (command->index_path)
        outcome->index = strdup(command->index_path);
    outcome->index_bytes = size_of(outcome->index);
    outcome->wall_ns = monotonic_ns() - start_ns;
    trace_command_end_one(command);
}

// --- All -----------------------------------------------------------------------------------------

static bool has_failed(const struct index_outcome *outcome)
{
    return outcome->status == EXIT_STATUS_FAILED || outcome->status == EXIT_STATUS_USAGE;
}

static void tell(struct run *run, struct index_outcome *outcome)
{
    if (outcome->said)
        fputs(outcome->said, stderr);
    index_summary_add(&run->jobs->summary, outcome);
}

// Reports the finished traces whose turn it is. The lock must be held.
static void tell_done(struct run *run)
{
    while (run->next_told < run->count && run->items[run->next_told].is_done) {
        struct index_outcome *outcome = &run->items[run->next_told++].outcome;
        if (has_failed(outcome))
            continue;
        tell(run, outcome);
        index_outcome_free(outcome);
    }
}

static void tell_failed(struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        struct index_outcome *outcome = &run->items[i].outcome;
        if (has_failed(outcome))
            tell(run, outcome);
        index_outcome_free(outcome);
    }
}

static void *work(void *context)
{
    struct run *run = context;
    struct trace_command *command = calloc(1, sizeof *command);
    pthread_mutex_lock(&run->lock);
    while (command && run->next < run->count) {
        size_t number = run->next++;
        struct index_outcome *outcome = &run->items[number].outcome;
        pthread_mutex_unlock(&run->lock);
        char *said = NULL;
        size_t said_bytes;
        FILE *out = open_memstream(&said, &said_bytes);
        index_job_run(command, run->jobs->common, &run->jobs->inputs->items.items[number],
                      out ? out : stderr, outcome);
        if (out)
            fclose(out);
        pthread_mutex_lock(&run->lock);
        outcome->said = said;
        run->items[number].is_done = true;
        tell_done(run);
    }
    pthread_mutex_unlock(&run->lock);
    free(command);
    return NULL;
}

// How many traces are indexed at the same time. Only one if memory is limited, because each needs
// its own.
static unsigned worker_count(const struct run *run)
{
    const struct trace_command *common = run->jobs->common;
    uint64_t threads = run->jobs->at_once ? run->jobs->at_once : common->session.threads;
    if (common->diag.memory_bytes)
        return 1;
    return (unsigned)u64_min(u64_min(threads, LIMIT_INDEXING_JOBS), run->count);
}

// Indexes as many traces at the same time as there are workers, which divide the threads among
// them.
static void run_many(struct run *run)
{
    pthread_t threads[LIMIT_INDEXING_JOBS];
    unsigned workers = worker_count(run);
    struct trace_command *common = run->jobs->common;
    common->session.threads = (unsigned)u64_max(common->session.threads / workers, 1);
    common->quiet = true; // meters would overwrite each other
    pthread_mutex_init(&run->lock, NULL);
    unsigned started = threads_start(threads, workers - 1, work, run, 0);
    work(run);
    while (started)
        pthread_join(threads[--started], NULL);
    pthread_mutex_destroy(&run->lock);
}

// Indexes a single trace, with messages printed at once.
static void run_one(struct run *run)
{
    struct trace_command *command = calloc(1, sizeof *command);
    if (command) {
        index_job_run(command, run->jobs->common, &run->jobs->inputs->items.items[0], stderr,
                      &run->items[0].outcome);
        run->next = 1;
    }
    free(command);
}

static enum exit_status worse(enum exit_status a, enum exit_status b)
{
    static const int badness[] = {
        [EXIT_STATUS_DONE] = 0,
        [EXIT_STATUS_DAMAGED] = 1,
        [EXIT_STATUS_FAILED] = 2,
        [EXIT_STATUS_USAGE] = 3,
    };
    return badness[a] > badness[b] ? a : b;
}

enum status index_jobs_run(struct index_jobs *jobs, enum exit_status *worst, struct error *err)
{
    struct run run = {.jobs = jobs, .count = jobs->inputs->items.count};
    bool is_one = run.count == 1 && !jobs->summary.is_wanted;
    *worst = EXIT_STATUS_DONE;
    if (!(run.items = calloc(run.count + 1, sizeof *run.items)))
        return error_set(err, STATUS_MEMORY, "no memory");
    if (is_one)
        run_one(&run);
    else
        run_many(&run);
    for (size_t i = 0; i < run.count; i++)
        *worst = worse(*worst, run.items[i].outcome.status);
    if (is_one)
        index_outcome_free(&run.items[0].outcome);
    else
        tell_failed(&run);
    free(run.items);
    return run.next < run.count ? error_set(err, STATUS_MEMORY, "no memory") : STATUS_OK;
}
