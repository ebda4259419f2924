#include "cli/subcommands.h"

#include "cli/help.h"
#include "cli/visible.h"

enum exit_status subcommands_run(const struct command_spec *family, int argc, char *const *argv)
{
    if (argc < 1) {
        help_overview(stderr, family, family->commands);
        return EXIT_STATUS_USAGE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0 ||
        strcmp(argv[0], "help") == 0) {
        help_overview(stdout, family, family->commands);
        return EXIT_STATUS_DONE;
    }
    const struct command_spec *command = help_find_command(family, family->commands, argv[0]);
    if (command)
        return command->run(command, argc - 1, argv + 1);
    help_unknown_command(stderr, family, family->commands, argv[0]);
    return EXIT_STATUS_USAGE;
}
