// farm task: runs one task of a plan, or several.
#include "cli/diag.h"
#include "cmd/farm/commands.h"
#include "session/merging.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASK_NUMBER = 1, TASK_FIRST, TASK_EACH, TASK_SURVEY };

// The most words of a task's command line, apart from the options of the plan.
enum { OWN_WORDS = 13 };

struct task_run {
    const char *directory;
    uint64_t number; // 0: from the scheduler
    int64_t first;   // the scheduler's number of the first task; -1: its usual one
    uint64_t each;   // consecutive tasks of the plan that this process runs
    bool surveys;    // survey the pieces instead of indexing them
    struct farm_plan plan;
    struct diag diag;
};

// Runs `trawl index` as a separate process, so that it is confined to the files on its command
// line.
static enum exit_status run_index(struct task_run *run, char *const *words)
{
    struct error err;
    pid_t child;
    int status, failure = posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ);
    if (failure) {
        error_set(&err, STATUS_IO, "trawl cannot be started: %s", strerror(failure));
        return diag_error(&run->diag, &err);
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return EXIT_STATUS_FAILED;
    }
    if (WIFEXITED(status))
        return (enum exit_status)WEXITSTATUS(status);
    error_set(&err, STATUS_IO, "trawl index was ended by signal %d", WTERMSIG(status));
    return diag_error(&run->diag, &err);
}

// `surveys` is a pattern for the surveys of previous pieces; NULL: there are none.
static enum exit_status index_trace(struct task_run *run, const struct farm_task *task,
                                    const char *surveys, const char *part)
{
    char shard[48];
    size_t count = 0;
    char **words = calloc(run->plan.options.count + OWN_WORDS, sizeof *words);
    struct error err;
    if (!words) {
        error_set(&err, STATUS_MEMORY, "no memory for a task");
        return diag_error(&run->diag, &err);
    }
    snprintf(shard, sizeof shard, "--shard=%" PRIu32 "/%" PRIu32, task->shard, task->trace->shards);
    words[count++] = (char[]){"trawl"};
    words[count++] = (char[]){"index"};
    words[count++] = (char[]){"--quiet"};
    for (size_t i = 0; i < run->plan.options.count; i++)
        words[count++] = run->plan.options.items[i];
    if (task->shard)
        words[count++] = shard;
    if (run->surveys)
        words[count++] = (char[]){"--survey"};
    if (surveys) {
        words[count++] = (char[]){"--after"};
        words[count++] = (char *)(uintptr_t)surveys;
    }
    words[count++] = (char[]){"--index"};
    words[count++] = (char *)(uintptr_t)part;
    words[count++] = (char[]){"--"};
    words[count++] = task->trace->path;
    enum exit_status status = run_index(run, words);
    free(words);
    return status;
}

// Whether all pieces before the task's were surveyed, and have not changed since.
static bool has_surveys(const struct task_run *run, const struct farm_task *task)
{
    bool has_all = task->shard > 1;
    for (uint32_t shard = 1; shard < task->shard && has_all; shard++) {
        const struct shard_wanted wanted = {ROLE_SURVEY, task->trace->path, shard,
                                            task->trace->shards};
        char *path = farm_plan_survey(&run->plan, task->trace_number, shard);
        has_all = path && merging_has_part(path, &wanted);
        free(path);
    }
    return has_all;
}

// Does nothing if the part exists: an earlier attempt of this task may have made it, or a duplicate
// of the task.
static enum exit_status do_shard(struct task_run *run, uint64_t number,
                                 const struct farm_task *task, const char *part)
{
    const struct shard_wanted wanted = {run->surveys ? ROLE_SURVEY : ROLE_PART, task->trace->path,
                                        task->shard, task->trace->shards};
    if (merging_has_part(part, &wanted)) {
        diag_note(&run->diag, "task %" PRIu64 ": %s is there already", number, part);
        return EXIT_STATUS_DONE;
    }
    bool has_before = !run->surveys && has_surveys(run, task);
    char *surveys = has_before ? farm_plan_surveys(&run->plan, task->trace_number) : NULL;
    enum exit_status status = index_trace(run, task, surveys, part);
    free(surveys);
    return status;
}

static enum exit_status do_task(struct task_run *run, uint64_t number)
{
    const struct farm_task task = farm_plan_task(&run->plan, number);
    struct error err;
    if (run->surveys && task.shard == task.trace->shards) // nobody needs that of the last piece
        return EXIT_STATUS_DONE;
    if (!task.shard) // `trawl index` checks itself whether the index fits
        return index_trace(run, &task, NULL, task.trace->index);
    char *part = run->surveys ? farm_plan_survey(&run->plan, task.trace_number, task.shard)
                              : farm_plan_part(&run->plan, task.trace_number, task.shard);
    if (!part) {
        error_set(&err, STATUS_MEMORY, "no memory for a task");
        return diag_error(&run->diag, &err);
    }
    enum exit_status status = do_shard(run, number, &task, part);
    free(part);
    return status;
}

static enum exit_status worse(enum exit_status a, enum exit_status b)
{
    bool is_worse = b == EXIT_STATUS_FAILED || b == EXIT_STATUS_USAGE || a == EXIT_STATUS_DONE;
    return is_worse ? b : a;
}

// --- The number of a task ------------------------------------------------------------------------

// The variables in which schedulers give a task of an array its number, and their first numbers.
static const struct scheduler {
    const char *variable;
    int64_t first;
} schedulers[] = {
    {"SLURM_ARRAY_TASK_ID", 1}, // set so by `farm slurm`
    {"LSB_JOBINDEX", 1},        // 0 in a job that is not an array
    {"SGE_TASK_ID", 1},         // "undefined" in a job that is not an array
    {"PBS_ARRAY_INDEX", 1},
    {"PBS_ARRAYID", 1},          // Torque
    {"JOB_COMPLETION_INDEX", 0}, // an indexed job of Kubernetes
    {"AWS_BATCH_JOB_ARRAY_INDEX", 0},
};

static bool parse(const char *text, uint64_t *number)
{
    char *end;
    if (!text || *text < '0' || *text > '9' || strlen(text) > 18)
        return false;
    *number = strtoull(text, &end, 10);
    return !*end;
}

// Numbers below the scheduler's first one do not count, unless `first` allows them.
static const struct scheduler *find_scheduler(int64_t first, uint64_t *number)
{
    for (size_t i = 0; i < ARRAY_COUNT(schedulers); i++) {
        const struct scheduler *scheduler = &schedulers[i];
        int64_t least = first == 0 ? 0 : scheduler->first;
        if (parse(getenv(scheduler->variable), number) && (int64_t)*number >= least)
            return scheduler;
    }
    return NULL;
}

// The number, from 1, of the task of `count` tasks that this process is to run: `given` by --task,
// or, if that is 0, the number that a scheduler set in the environment. `first` is the scheduler's
// number of the first task; -1: its usual one. STATUS_NOT_FOUND: there is no such number, or it is
// out of range.
static enum status task_number(uint64_t given, int64_t first, uint64_t count, uint64_t *number,
                               struct error *err)
{
    if (given) {
        *number = given;
    } else {
        const struct scheduler *scheduler = find_scheduler(first, number);
        if (!scheduler)
            return error_set(err, STATUS_NOT_FOUND,
                             "no task number: give --task N, or let a scheduler set it "
                             "(SLURM_ARRAY_TASK_ID, LSB_JOBINDEX, SGE_TASK_ID, PBS_ARRAY_INDEX, "
                             "JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX)");
        int64_t from = first >= 0 ? first : scheduler->first;
        if ((int64_t)*number < from)
            return error_set(err, STATUS_NOT_FOUND, "%s is %" PRIu64 ", before --first %" PRId64,
                             scheduler->variable, *number, from);
        *number -= (uint64_t)(from - 1);
    }
    if (*number > count)
        return error_set(err, STATUS_NOT_FOUND, "task %" PRIu64 ": the plan has only %" PRIu64,
                         *number, count);
    return STATUS_OK;
}

// --- The command ---------------------------------------------------------------------------------

static enum exit_status do_tasks(struct task_run *run)
{
    struct error err;
    uint64_t number;
    enum exit_status result = EXIT_STATUS_DONE;
    enum status status = farm_plan_read(&run->plan, run->directory, &err);
    if (status != STATUS_OK)
        return diag_error(&run->diag, &err);
    uint64_t count = farm_plan_task_count(&run->plan), each = run->each ? run->each : 1;
    uint64_t calls = count / each + (count % each != 0);
    if ((status = task_number(run->number, run->first, calls, &number, &err)) != STATUS_OK)
        return diag_error(&run->diag, &err);
    for (uint64_t i = (number - 1) * each; i < u64_min(number * each, count); i++)
        result = worse(result, do_task(run, i + 1));
    // A damaged trace is indexed all the same, and schedulers only know success and failure.
    return result == EXIT_STATUS_DAMAGED ? EXIT_STATUS_DONE : result;
}

static bool take_options(struct task_run *run, struct options_parser *parser)
{
    struct option_match match;
    uint64_t number;
    for (int id; (id = options_next(parser, &match)) != OPTION_END;) {
        if (id == OPTION_STOP)
            return false;
        if (id == OPTION_POSITIONAL) {
            run->directory = match.value;
            continue;
        }
        if (id == TASK_SURVEY) {
            run->surveys = true;
            continue;
        }
        if (!parse(match.value, &number) || (id != TASK_FIRST && !number)) {
            options_bad_value(parser, &match, id == TASK_FIRST ? "a number" : "a number from 1");
            return false;
        }
        if (id == TASK_FIRST)
            run->first = (int64_t)number;
        else
            *(id == TASK_EACH ? &run->each : &run->number) = number;
    }
    return true;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct task_run run = {.first = -1};
    struct options_parser parser;
    diag_begin(&run.diag, stderr, NULL);
    options_begin(&parser, self, argc, argv);
    enum exit_status status = take_options(&run, &parser) ? do_tasks(&run) : parser.status;
    farm_plan_free(&run.plan);
    return status;
}

static const struct option_spec own_options[] = {
    {TASK_NUMBER, 0, "task", "N", "number of the task, from 1 (default: from the scheduler)"},
    {TASK_FIRST, 0, "first", "N",
     "the number that the scheduler gives to the first task (default: 0 for Kubernetes and AWS "
     "Batch, 1 for others)"},
    {TASK_EACH, 0, "each", "N",
     "do N tasks of the plan one after the other, for schedulers whose arrays are small"},
    {TASK_SURVEY, 0, "survey", NULL,
     "only survey the piece; after an array of this, tasks need not read the text before theirs"},
    {0},
};

const struct command_spec farm_task_command = {
    .name = "farm task",
    .option_set = OPTIONS_TRAWL,
    .summary = "run one task of a plan",
    .description =
        "Builds one part of an index, as the plan in DIR says. The number of the part comes from "
        "--task or from the scheduler, in SLURM_ARRAY_TASK_ID, LSB_JOBINDEX, SGE_TASK_ID, "
        "PBS_ARRAY_INDEX, "
        "JOB_COMPLETION_INDEX or AWS_BATCH_JOB_ARRAY_INDEX. A task whose part exists already and "
        "matches the trace does nothing, so any task can be run again at any time. A task reads "
        "its piece alone if all pieces before it were surveyed (--survey), and otherwise the text "
        "before it as well. The exit status "
        "is 0 when the part exists, even if the trace is damaged; the log then says so.",
    .groups = (const struct option_group[]){{"options", own_options}, {0}},
    .positionals =
        (const struct positional_spec[]){{"DIR", "directory of the plan", NULL, false, false}, {0}},
    .examples = "trawl farm task /shared/farm --task 3\n",
    .run = run,
};
