#include "cmd/driver.h"
#include "cmd/index.h"

#include "base/limits.h"
#include "base/thread.h"
#include "cli/diag.h"
#include "report/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- The row of each trace -----------------------------------------------------------------------

#define NS_PER_SECOND 1000000000
#define MESSAGE_BYTES 400 // longer ones are cut

static const struct table_column columns[] = {
    {"Trace", "trace", COLUMN_TEXT},         {"Index", "index", COLUMN_TEXT},
    {"Status", "status", COLUMN_TEXT},       {"Lines", "lines", COLUMN_U64},
    {"Trace bytes", "bytes", COLUMN_U64},    {"Index bytes", "index_bytes", COLUMN_U64},
    {"Duration", "seconds", COLUMN_SECONDS}, {"Message", "message", COLUMN_TEXT},
};

void index_outcome_free(struct index_outcome *outcome)
{
    free(outcome->index);
    free(outcome->said);
    outcome->index = outcome->said = NULL;
}

enum status index_summary_begin(struct index_summary *summary, enum table_format format,
                                struct error *err)
{
    enum status status = out_open_fd(&summary->out, STDOUT_FILENO, "standard output", err);
    if (status == STATUS_OK)
        status = table_begin(&summary->table, &summary->out,
                             format == TABLE_JSON ? TABLE_JSON_LINES : format, columns,
                             ARRAY_COUNT(columns), err);
    summary->is_wanted = status == STATUS_OK;
    return status;
}

static const char *word_of(const struct index_outcome *outcome)
{
    switch (outcome->status) {
    case EXIT_STATUS_DONE:
        return outcome->was_built ? "built" : "fits";
    case EXIT_STATUS_DAMAGED:
        return outcome->was_built ? "built, trace damaged" : "fits, trace damaged";
    default:
        return "failed";
    }
}

void index_summary_add(struct index_summary *summary, const struct index_outcome *outcome)
{
    struct table *table = &summary->table;
    bool is_there = outcome->status == EXIT_STATUS_DONE || outcome->status == EXIT_STATUS_DAMAGED;
    if (!summary->is_wanted)
        return;
    table_text(table, outcome->trace);
    table_text(table, is_there ? outcome->index : NULL);
    table_text(table, word_of(outcome));
    if (is_there) {
        if (outcome->lines)
            table_u64(table, outcome->lines);
        else // XRay logs and trace files have none
            table_none(table);
        table_u64(table, outcome->trace_bytes);
        table_u64(table, outcome->index_bytes);
        table_seconds(table, outcome->wall_ns, NS_PER_SECOND);
    } else {
        for (int i = 0; i < 4; i++)
            table_none(table);
    }
    // Writes the first line of a message, without the name of the program.
    const char *said = outcome->said;
    static const char who[] = "trawl: ";
    char text[MESSAGE_BYTES];
    if (said && strncmp(said, who, sizeof who - 1) == 0)
        said += sizeof who - 1;
    size_t length = said ? strcspn(said, "\n") : 0;
    length = (size_t)u64_min(length, sizeof text - 1);
    if (length)
        memcpy(text, said, length);
    text[length] = '\0';
    table_text(table, length ? text : NULL);
    if (table->format != TABLE_TEXT)
        out_flush(&summary->out); // if the process is killed, the rows so far are kept
}

enum status index_summary_end(struct index_summary *summary, struct error *err)
{
    if (!summary->is_wanted)
        return STATUS_OK;
    summary->is_wanted = false;
    table_end(&summary->table);
    return out_close(&summary->out, err);
}

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

void index_job_run(struct command *command, const struct command *common,
                   const struct index_input *input, FILE *out, struct index_outcome *outcome)
{
    uint64_t start_ns = monotonic_ns();
    *outcome = (struct index_outcome){.trace = input->trace};
    command_begin_one(command, common, input->trace, out);
    if (input->index)
        command->session.index.path = input->index;
    if (command_open_images(command) && command_pass(command, NULL, NULL))
        command_end(command);
    outcome->status = command->status;
    outcome->was_built = command->has_built_index;
    outcome->lines = command->session.result.lines;
    outcome->trace_bytes = size_of(input->trace);
    if (command->index_path)
        outcome->index = strdup(command->index_path);
    outcome->index_bytes = size_of(outcome->index);
    outcome->wall_ns = monotonic_ns() - start_ns;
    command_free_one(command);
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

static void *work(void *context)
{
    struct run *run = context;
    struct command *command = calloc(1, sizeof *command);
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
    if (is_one) {
        // Indexes a single trace, with messages printed at once.
        struct command *command = calloc(1, sizeof *command);
        if (command) {
            index_job_run(command, run.jobs->common, &run.jobs->inputs->items.items[0], stderr,
                          &run.items[0].outcome);
            run.next = 1;
        }
        free(command);
    } else {
        // Indexes as many traces at the same time as there are workers, which divide the threads
        // among them.
        pthread_t threads[LIMIT_INDEXING_JOBS];
        struct command *common = run.jobs->common;
        const uint64_t at_once = jobs->at_once ? jobs->at_once : common->session.threads;
        unsigned workers = (unsigned)u64_min(u64_min(at_once, LIMIT_INDEXING_JOBS), run.count);
        if (common->diag.memory_bytes)
            workers = 1; // each needs its own memory
        common->session.threads = (unsigned)u64_max(common->session.threads / workers, 1);
        common->quiet = true; // meters would overwrite each other
        pthread_mutex_init(&run.lock, NULL);
        unsigned started = threads_start(threads, workers - 1, work, &run, 0);
        work(&run);
        while (started)
            pthread_join(threads[--started], NULL);
        pthread_mutex_destroy(&run.lock);
    }
    for (size_t i = 0; i < run.count; i++)
        *worst = worse(*worst, run.items[i].outcome.status);
    if (is_one) {
        index_outcome_free(&run.items[0].outcome);
    } else {
        for (size_t i = 0; i < run.count; i++) {
            struct index_outcome *outcome = &run.items[i].outcome;
            if (has_failed(outcome))
                tell(&run, outcome);
            index_outcome_free(outcome);
        }
    }
    free(run.items);
    return run.next < run.count ? error_set(err, STATUS_MEMORY, "no memory") : STATUS_OK;
}
