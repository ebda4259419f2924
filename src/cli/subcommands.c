#include "cli/subcommands.h"

#include "cli/help.h"
#include "cli/visible.h"

static const struct command_spec *find(const struct command_spec *family,
                                       const struct command_spec *const *commands, const char *name)
{
    size_t prefix = strlen(family->name) + 1;
    for (; *commands; commands++) {
        if (strcmp((*commands)->name + prefix, name) == 0)
            return *commands;
    }
    return NULL;
}

enum exit_status subcommands_run(const struct command_spec *family,
                                 const struct command_spec *const *commands, int argc,
                                 char *const *argv)
{
    if (argc < 1) {
        help_overview(stderr, commands);
        return EXIT_STATUS_USAGE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0 ||
        strcmp(argv[0], "help") == 0) {
        help_overview(stdout, commands);
        return EXIT_STATUS_DONE;
    }
    const struct command_spec *command = find(family, commands, argv[0]);
    if (command)
        return command->run(command, argc - 1, argv + 1);
    visible_print(stderr, "trawl: '%s %s': unknown command", family->name, argv[0]);
    fprintf(stderr, "\ntry 'trawl %s --help'\n", family->name);
    return EXIT_STATUS_USAGE;
}
