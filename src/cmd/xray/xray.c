// xray: picks one of its commands by the first argument.
#include "cli/help.h"
#include "cmd/commands.h"
#include "cmd/xray/commands.h"

static const struct command_spec *const commands[] = {
    &xray_account_command, &xray_stack_command,   &xray_graph_command, &xray_graph_diff_command,
    &xray_convert_command, &xray_extract_command, &xray_dump_command,  NULL,
};

static const struct command_spec *find(const char *name)
{
    if (strcmp(name, "fdr-dump") == 0)
        return &xray_dump_command;
    for (const struct command_spec *const *command = commands; *command; command++) {
        if (strcmp((*command)->name + sizeof "xray", name) == 0)
            return *command;
    }
    return NULL;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    (void)self;
    if (argc < 1) {
        help_overview(stderr, commands);
        return EXIT_STATUS_USAGE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0 ||
        strcmp(argv[0], "help") == 0) {
        help_overview(stdout, commands);
        return EXIT_STATUS_DONE;
    }
    const struct command_spec *command = find(argv[0]);
    if (!command) {
        fprintf(stderr, "trawl: 'xray %s': unknown command\ntry 'trawl xray --help'\n", argv[0]);
        return EXIT_STATUS_USAGE;
    }
    return command->run(command, argc - 1, argv + 1);
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
    .run = run,
};
