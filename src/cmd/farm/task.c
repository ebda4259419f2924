// farm task: does one task of a plan.
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

// Words of a task except for those of the plan.
enum { OWN_WORDS = 13 };

struct task_run {
    const char *directory;
    uint64_t number; // 0: as the scheduler says
    int64_t first;   // -1: as it counts
    uint64_t each;   // tasks of the plan that are done one after the other
    bool surveys;    // pieces are surveyed, and not indexed
    struct farm_plan plan;
    struct diag diag;
};

// A process of its own, so that it is confined to what its command line names.
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

// `surveys`: a pattern of those of the pieces before; NULL: there are none.
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

// Whether all pieces before a task's were surveyed, and are as they were.
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

// Done is what was done before: by this task when it was tried first, or by one that ran twice.
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
    if (run->surveys && task.shard == task.trace->shards) // which nobody needs
        return EXIT_STATUS_DONE;
    if (!task.shard) // which finds out itself whether its index fits
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
    if ((status = farm_task_number(run->number, run->first, calls, &number, &err)) != STATUS_OK)
        return diag_error(&run->diag, &err);
    for (uint64_t i = (number - 1) * each; i < u64_min(number * each, count); i++)
        result = worse(result, do_task(run, i + 1));
    // A damaged trace is indexed nevertheless, and schedulers know but done and failed.
    return result == EXIT_STATUS_DAMAGED ? EXIT_STATUS_DONE : result;
}

static bool parse(const char *text, uint64_t *number)
{
    char *end;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && strlen(text) <= 18;
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
    .manner = MANNER_TRAWL,
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
