// xray: chooses one of its commands by the first argument.
#include "cli/options.h"
#include "cmd/commands.h"
#include "cmd/xray/command.h"

static const struct command_spec *const commands[] = {
    &xray_account_command, &xray_stack_command,   &xray_graph_command, &xray_graph_diff_command,
    &xray_convert_command, &xray_extract_command, &xray_dump_command,  NULL,
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    if (argc > 0 && strcmp(argv[0], "fdr-dump") == 0) // the name in llvm-xray
        return xray_dump_command.run(&xray_dump_command, argc - 1, argv + 1);
    return subcommands_run(self, argc, argv);
}

const struct command_spec xray_command = {
    .name = "xray",
    .manner = MANNER_TRAWL,
    .summary =
        "reports on XRay logs with the options and output of llvm-xray: account, stack, graph, "
        "graph-diff, convert, extract, dump",
    .description = "Takes a command and its arguments as llvm-xray does: 'trawl xray account LOG'. "
                   "'trawl xray --help' lists the commands.",
    .positionals =
        (const struct positional_spec[]){{"COMMAND", "what to do", NULL, false, false},
                                         {"ARGUMENT", "its options and logs", NULL, true, true},
                                         {0}},
    .examples = "trawl xray account -m prog xray-log.prog.123\n",
    .commands = commands,
    .run = run,
};
