// farm slurm: makes a plan, and job scripts with which Slurm runs it.
#include "base/limits.h"
#include "cli/diag.h"
#include "cmd/farm/commands.h"
#include "cmd/system.h"
#include "report/out.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLURM_SUBMIT = FARM_OWN, SLURM_DRY_RUN, SLURM_RETRIES, SLURM_SBATCH };

struct slurm {
    struct farm_planner planner;
    bool submits;
    unsigned retries;
    VEC(, const char *) sbatch; // options for sbatch, from the command line
    char program[PATH_MAX];     // the absolute path of trawl, for tasks
    uint64_t tasks, each;
};

// --- Scripts -------------------------------------------------------------------------------------

static void put_head(struct out *out, const struct slurm *slurm, const char *name, const char *log,
                     uint64_t threads)
{
    out_text(out, "#!/bin/sh\n#SBATCH --job-name=");
    out_text(out, name);
    out_text(out, "\n#SBATCH --output=\"");
    out_text(out, slurm->planner.plan.directory);
    out_text(out, "/logs/");
    out_text(out, log);
    out_text(out, "\"\n#SBATCH --open-mode=append\n#SBATCH --requeue\n#SBATCH --cpus-per-task=");
    out_u64(out, threads);
    out_byte(out, '\n');
    for (size_t i = 0; i < slurm->sbatch.count; i++) {
        out_text(out, "#SBATCH ");
        out_text(out, slurm->sbatch.items[i]);
        out_byte(out, '\n');
    }
}

// There is one log for each task; later attempts append to it.
static void put_array(struct out *out, const struct slurm *slurm, const char *name, const char *log,
                      const char *command)
{
    uint64_t threads = slurm->planner.threads ? slurm->planner.threads : 4;
    put_head(out, slurm, name, log, threads);
    out_text(out, "#SBATCH --array=1-");
    out_u64(out, slurm->tasks);
    out_text(out, "\nexec ");
    out_shell_word(out, slurm->program);
    out_text(out, command);
    out_text(out, " --each ");
    out_u64(out, slurm->each);
    out_byte(out, ' ');
    out_shell_word(out, slurm->planner.plan.directory);
    out_byte(out, '\n');
}

static void put_survey(struct out *out, const struct slurm *slurm)
{
    put_array(out, slurm, "trawl-survey", "survey-%a.log", " farm task --survey");
}

static void put_map(struct out *out, const struct slurm *slurm)
{
    put_array(out, slurm, "trawl-map", "map-%a.log", " farm task");
}

static void put_merge(struct out *out, const struct slurm *slurm)
{
    put_head(out, slurm, "trawl-merge", "merge.log", 1);
    out_text(out, "exec ");
    out_shell_word(out, slurm->program);
    out_text(out, " farm merge ");
    out_shell_word(out, slurm->planner.plan.directory);
    out_byte(out, '\n');
}

// Each attempt waits until the previous one has ended, successfully or not. Tasks that are done do
// nothing, and tasks without all surveys read more of the trace. The merge reports what is missing.
static void put_submit(struct out *out, const struct slurm *slurm)
{
    out_text(out, "#!/bin/sh\nset -eu\ncd ");
    out_shell_word(out, slurm->planner.plan.directory);
    out_text(out, "\nsurvey=$(sbatch --parsable survey.sbatch)\nsurvey=${survey%%;*}\n"
                  "echo \"survey: job $survey\"\n"
                  "map=$(sbatch --parsable --dependency=\"afterany:$survey\" map.sbatch)\n"
                  "map=${map%%;*}\necho \"map: job $map\"\n");
    for (unsigned i = 0; i < slurm->retries; i++)
        out_text(out, "map=$(sbatch --parsable --dependency=\"afterany:$map\" map.sbatch)\n"
                      "map=${map%%;*}\necho \"retry: job $map\"\n");
    out_text(out, "merge=$(sbatch --parsable --dependency=\"afterany:$map\" merge.sbatch)\n"
                  "merge=${merge%%;*}\necho \"merge: job $merge\"\n");
}

static const struct script {
    const char *name;
    void (*put)(struct out *out, const struct slurm *slurm);
} scripts[] = {
    {"survey.sbatch", put_survey},
    {"map.sbatch", put_map},
    {"merge.sbatch", put_merge},
    {"submit.sh", put_submit},
};

static enum status write_script(const struct slurm *slurm, const struct script *script,
                                struct error *err)
{
    struct out out;
    char *path = farm_plan_file(&slurm->planner.plan, script->name);
    if (!path)
        return error_set(err, STATUS_MEMORY, "no memory for the job scripts");
    enum status status = out_open(&out, path, err);
    if (status == STATUS_OK) {
        script->put(&out, slurm);
        status = out_close(&out, err);
    }
    if (status == STATUS_OK && chmod(path, 0755) != 0)
        status = error_set(err, STATUS_IO, "%s: %s", path, strerror(errno));
    free(path);
    return status;
}

static enum status show_scripts(const struct slurm *slurm, struct error *err)
{
    struct out out;
    enum status status = out_open_fd(&out, STDOUT_FILENO, "standard output", err);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < ARRAY_COUNT(scripts); i++) {
        out_text(&out, i ? "\n==> " : "==> ");
        out_text(&out, scripts[i].name);
        out_text(&out, " <==\n");
        scripts[i].put(&out, slurm);
    }
    return out_close(&out, err);
}

// --- The whole -----------------------------------------------------------------------------------

static enum status submit(const struct slurm *slurm, struct error *err)
{
    char *path = farm_plan_file(&slurm->planner.plan, "submit.sh");
    char *words[] = {(char[]){"sh"}, path, NULL};
    pid_t child;
    int status = 0;
    if (!path)
        return error_set(err, STATUS_MEMORY, "no memory for the job scripts");
    int failure = posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ);
    while (!failure && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    free(path);
    if (failure)
        return error_set(err, STATUS_IO, "/bin/sh: %s", strerror(failure));
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return error_set(err, STATUS_IO, "sbatch refused the jobs");
    return STATUS_OK;
}

// Whether a path has no character with a special meaning in an #SBATCH line.
static bool is_plain(const char *path)
{
    return !strpbrk(path, "\"\\%\n");
}

static enum status prepare(struct slurm *slurm, struct error *err)
{
    enum status status = farm_planner_make(&slurm->planner, err);
    if (status != STATUS_OK)
        return status;
    status = program_own_path(slurm->program, err);
    if (status != STATUS_OK)
        return status;
    uint64_t count = farm_plan_task_count(&slurm->planner.plan);
    slurm->each = (count + LIMIT_SLURM_ARRAY - 1) / LIMIT_SLURM_ARRAY;
    slurm->tasks = (count + slurm->each - 1) / slurm->each;
    if (!is_plain(slurm->planner.plan.directory))
        return error_set(
            err, STATUS_INPUT,
            "%s: contains \", \\ or %%, which Slurm interprets; choose another directory",
            slurm->planner.plan.directory);
    return STATUS_OK;
}

static enum status make_all(struct slurm *slurm, struct error *err)
{
    enum status status = prepare(slurm, err);
    if (status != STATUS_OK || slurm->planner.is_dry)
        return status == STATUS_OK ? show_scripts(slurm, err) : status;
    if ((status = farm_plan_write(&slurm->planner.plan, err)) != STATUS_OK)
        return status;
    if (!is_plain(slurm->planner.plan.directory))
        return error_set(
            err, STATUS_INPUT,
            "%s: contains \", \\ or %%, which Slurm interprets; choose another directory",
            slurm->planner.plan.directory);
    for (size_t i = 0; i < ARRAY_COUNT(scripts) && status == STATUS_OK; i++)
        status = write_script(slurm, &scripts[i], err);
    if (status != STATUS_OK || slurm->submits)
        return status == STATUS_OK ? submit(slurm, err) : status;
    printf("%" PRIu64 " task%s; to run them: sh %s/submit.sh\n", slurm->tasks, plural(slurm->tasks),
           slurm->planner.plan.directory);
    return STATUS_OK;
}

static bool take_options(struct slurm *slurm, struct options_parser *parser)
{
    struct option_match match;
    for (int id; (id = options_next(parser, &match)) != OPTION_END;) {
        if (id == OPTION_STOP)
            return false;
        if (id == SLURM_SUBMIT) {
            slurm->submits = true;
        } else if (id == SLURM_DRY_RUN) {
            slurm->planner.is_dry = true;
        } else if (id == SLURM_RETRIES) {
            char *end;
            slurm->retries = (unsigned)strtoul(match.value, &end, 10);
            if (*match.value < '0' || *match.value > '9' || *end ||
                slurm->retries > LIMIT_RETRIES) {
                options_bad_value(parser, &match, "a number from 0 to " TEXT_OF(LIMIT_RETRIES));
                return false;
            }
        } else if (id == SLURM_SBATCH) {
            if (match.value[0] != '-' || strchr(match.value, '\n')) {
                options_bad_value(parser, &match, "an option of sbatch, as --partition=night");
                return false;
            }
            if (!VEC_ROOM(&slurm->sbatch, 1)) {
                options_no_memory(parser);
                return false;
            }
            slurm->sbatch.items[slurm->sbatch.count++] = match.value;
        } else if (farm_planner_take(&slurm->planner, parser, id, &match) != OPTION_END) {
            return false;
        }
    }
    return true;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct slurm slurm = {.retries = 2};
    struct options_parser parser;
    struct diag diag;
    struct error err;
    diag_begin(&diag, stderr, NULL);
    options_begin(&parser, self, argc, argv);
    enum exit_status status = parser.status;
    if (take_options(&slurm, &parser))
        status = make_all(&slurm, &err) == STATUS_OK ? EXIT_STATUS_DONE : diag_error(&diag, &err);
    else
        status = parser.status;
    free(slurm.sbatch.items);
    farm_planner_free(&slurm.planner);
    return status;
}

static const struct option_spec own_options[] = {
    {SLURM_SUBMIT, 0, "submit", NULL, "also submit the jobs"},
    {SLURM_DRY_RUN, 0, "dry-run", NULL, "only print the job scripts, and write nothing"},
    {SLURM_RETRIES, 0, "retries", "N", "how often tasks that failed are run again (default 2)"},
    {SLURM_SBATCH, 0, "sbatch", "OPTION",
     "an option for all jobs (--sbatch=--partition=night); may be given several times"},
    {0},
};

const struct command_spec farm_slurm_command = {
    .name = "farm slurm",
    .option_set = OPTIONS_TRAWL,
    .summary = "index large or many traces in job arrays of Slurm",
    .description =
        "Makes a plan (see 'trawl farm plan') and the job scripts with which Slurm carries it out: "
        "an array of tasks, one more array for each retry, each after the previous one, and "
        "finally one job that merges the parts. Tasks that are already done do nothing when they "
        "run again; Slurm also requeues a task whose node fails. DIR/logs has a log for each "
        "task. Without --submit, trawl prints how to submit the jobs.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"the plan", farm_plan_options},
                                            {"how to index", farm_index_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){
            {"TRACE", "trace to index, or a directory of them, with all below", NULL, false, true},
            {0}},
    .examples = "trawl farm slurm --dir /shared/farm --submit /shared/run.tarmac\n"
                "trawl farm slurm --dry-run --sbatch=--partition=night --shards 32 run.tarmac\n",
    .run = run,
};
