// completion: prints the script by which a shell completes what is typed after trawl.
#include "cli/help.h"
#include "cmd/commands.h"

static const struct {
    const char *shell;
    void (*print)(FILE *out, const struct command_spec *const *commands);
} scripts[] = {
    {"bash", completion_print_bash},
    {"zsh", completion_print_zsh},
    {"fish", completion_print_fish},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct options_parser parser;
    struct option_match match;
    const char *shell = NULL;
    options_begin(&parser, self, argc, argv);
    for (int id; (id = options_next(&parser, &match)) != OPTION_END;) {
        if (id == OPTION_STOP)
            return parser.status;
        shell = match.value;
    }
    for (size_t i = 0; i < ARRAY_COUNT(scripts); i++) {
        if (strcmp(scripts[i].shell, shell) == 0) {
            scripts[i].print(stdout, all_commands);
            return EXIT_STATUS_DONE;
        }
    }
    options_error(&parser, "'%s': expected bash, zsh or fish", shell);
    return parser.status;
}

static const struct positional_spec positionals[] = {
    {"SHELL", "bash, zsh or fish", "the shell to complete for is missing", false, false},
    {0},
};

const struct command_spec completion_command = {
    .name = "completion",
    .manner = MANNER_TRAWL,
    .summary = "a script that completes commands and options in a shell",
    .description =
        "Prints a script that completes commands, options and their values. An installed trawl "
        "brings these scripts along; the examples show how to load one otherwise.",
    .positionals = positionals,
    .examples = "source <(trawl completion bash)\n"
                "trawl completion zsh > ~/.zfunc/_trawl\n"
                "trawl completion fish > ~/.config/fish/completions/trawl.fish\n",
    .run = run,
};
