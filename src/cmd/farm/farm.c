// farm: chooses one of its commands by the first argument.
#include "cli/options.h"
#include "cmd/commands.h"
#include "cmd/farm/commands.h"

static const struct command_spec *const commands[] = {
    &farm_plan_command, &farm_task_command, &farm_merge_command, &farm_slurm_command, NULL,
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    return subcommands_run(self, argc, argv);
}

const struct command_spec farm_command = {
    .name = "farm",
    .manner = MANNER_TRAWL,
    .summary = "index on many machines: plan, task, merge, slurm",
    .description = "Takes a command and its arguments. 'trawl farm --help' lists the commands; "
                   "docs/farm.md has job scripts for several schedulers.",
    .positionals =
        (const struct positional_spec[]){{"COMMAND", "what to do", NULL, false, false},
                                         {"ARGUMENT", "its options and files", NULL, true, true},
                                         {0}},
    .examples = "trawl farm slurm --dir /shared/farm --submit /shared/run.tarmac\n",
    .commands = commands,
    .run = run,
};
