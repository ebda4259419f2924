// farm: chooses one of its commands by the first argument. `farm plan`, which writes the plan that
// the others follow, is here, too.
#include "cli/diag.h"
#include "cli/options.h"
#include "cmd/commands.h"
#include "cmd/farm/commands.h"

#include <inttypes.h>

static bool take_options(struct farm_planner *planner, struct options_parser *parser)
{
    struct option_match match;
    for (int id; (id = options_next(parser, &match)) != OPTION_END;) {
        if (id == OPTION_STOP || farm_planner_take(planner, parser, id, &match) != OPTION_END)
            return false;
    }
    return true;
}

static enum exit_status make_plan(struct farm_planner *planner)
{
    struct diag diag;
    struct error err;
    diag_begin(&diag, stderr, NULL);
    enum status status = farm_planner_make(planner, &err);
    if (status == STATUS_OK)
        status = farm_plan_write(&planner->plan, &err);
    if (status != STATUS_OK)
        return diag_error(&diag, &err);
    uint64_t tasks = farm_plan_task_count(&planner->plan);
    printf("%" PRIu64 " task%s, %zu merge%s\n", tasks, plural(tasks), planner->plan.traces.count,
           plural(planner->plan.traces.count));
    return EXIT_STATUS_DONE;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct farm_planner planner = {0};
    struct options_parser parser;
    options_begin(&parser, self, argc, argv);
    enum exit_status status = take_options(&planner, &parser) ? make_plan(&planner) : parser.status;
    farm_planner_free(&planner);
    return status;
}

const struct command_spec farm_plan_command = {
    .name = "farm plan",
    .option_set = OPTIONS_TRAWL,
    .summary = "write the plan of what the tasks of an array do",
    .description =
        "Writes a plan for indexing traces by an array of tasks of any scheduler: each task runs "
        "'trawl farm task DIR', which builds one part of the index of one trace, and when all are "
        "done 'trawl farm merge DIR' makes the indexes. Prints the number of tasks and merges. "
        "Traces that cannot be cut (XRay logs, GDB trace files, compressed ones) are one "
        "task each. Parts that another plan left in DIR are removed.",
    .groups = (const struct option_group[]){{"options", farm_plan_options},
                                            {"how to index", farm_index_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){
            {"TRACE", "trace to index, or a directory of them, with all below", NULL, false, true},
            {0}},
    .examples = "trawl farm plan --dir /shared/farm --shards 16 /shared/run.tarmac\n",
    .run = run,
};

static const struct command_spec *const commands[] = {
    &farm_plan_command, &farm_task_command, &farm_merge_command, &farm_slurm_command, NULL,
};

const struct command_spec farm_command = {
    .name = "farm",
    .option_set = OPTIONS_TRAWL,
    .summary = "index on many machines: plan, task, merge, slurm",
    .description = "Takes a command and its arguments. 'trawl farm --help' lists the commands; "
                   "docs/farm.md has job scripts for several schedulers.",
    .positionals =
        (const struct positional_spec[]){{"COMMAND", "what to do", NULL, false, false},
                                         {"ARGUMENT", "its options and files", NULL, true, true},
                                         {0}},
    .examples = "trawl farm slurm --dir /shared/farm --submit /shared/run.tarmac\n",
    .commands = commands,
    .run = subcommands_run,
};
