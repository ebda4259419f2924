// manual: prints the manual page of a command, for man(1).
#include "base/version.h"
#include "cli/help.h"
#include "cmd/commands.h"

static const struct manual_edition edition = {TRAWL_VERSION, TRAWL_VERSION_DATE};

enum { OPT_LIST = 2 };

// Lists the name of each page, and the words of its command.
static void list_pages(const struct command_spec *const *commands)
{
    for (; *commands; commands++) {
        char name[MANUAL_NAME_BYTES];
        manual_name(*commands, name);
        printf("%s %s\n", name, (*commands)->name);
        if ((*commands)->commands)
            list_pages((*commands)->commands);
    }
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct options_parser parser;
    struct option_match match;
    const struct command_spec *command = NULL;
    const struct command_spec *const *list = all_commands;
    bool is_list = false;
    options_begin(&parser, self, argc, argv);
    for (int id; (id = options_next(&parser, &match)) != OPTION_END;) {
        if (id == OPTION_STOP)
            return parser.status;
        if (id == OPT_LIST) {
            is_list = true;
            continue;
        }
        const struct command_spec *found =
            list ? help_find_command(command, list, match.value) : NULL;
        if (!found) {
            if (list)
                help_unknown_command(stderr, command, list, match.value);
            else
                options_error(&parser, "'%s' is not a family of commands", command->name);
            return EXIT_STATUS_USAGE;
        }
        command = found;
        list = found->commands;
    }
    if (is_list)
        list_pages(all_commands);
    else if (!command || command->commands)
        manual_print_family(stdout, command, command ? command->commands : all_commands, &edition);
    else
        manual_print(stdout, command, &edition);
    return EXIT_STATUS_DONE;
}

static const struct option_spec own_options[] = {
    {OPT_LIST, 0, "list", NULL, "the names of all pages, each with its command"},
    {0},
};

static const struct option_group groups[] = {{NULL, own_options}, {0}};

static const struct positional_spec positionals[] = {
    {"COMMAND", "the command; without one, the page of trawl itself", NULL, true, true},
    {0},
};

const struct command_spec manual_command = {
    .name = "manual",
    .option_set = OPTIONS_TRAWL,
    .summary = "the manual page of a command, for man",
    .description =
        "Prints the manual page of a command in mdoc, the source that man(1) and mandoc(1) "
        "display.",
    .groups = groups,
    .positionals = positionals,
    .examples = "trawl manual profile | man -l -\n"
                "trawl manual xray account | mandoc -T html > account.html\n",
    .run = run,
};

// --- completion ----------------------------------------------------------------------------------

// Prints the script by which a shell completes what is typed after trawl.

static const struct {
    const char *shell;
    void (*print)(FILE *out, const struct command_spec *const *commands);
} scripts[] = {
    {"bash", completion_print_bash},
    {"zsh", completion_print_zsh},
    {"fish", completion_print_fish},
};

static enum exit_status run_completion(const struct command_spec *self, int argc, char *const *argv)
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

static const struct positional_spec shells_positionals[] = {
    {"SHELL", "bash, zsh or fish", "the shell to complete for is missing", false, false},
    {0},
};

const struct command_spec completion_command = {
    .name = "completion",
    .option_set = OPTIONS_TRAWL,
    .summary = "a script that completes commands and options in a shell",
    .description =
        "Prints a script that completes commands, options and their values. An installed trawl "
        "brings these scripts along; the examples show how to load one otherwise.",
    .positionals = shells_positionals,
    .examples = "source <(trawl completion bash)\n"
                "trawl completion zsh > ~/.zfunc/_trawl\n"
                "trawl completion fish > ~/.config/fish/completions/trawl.fish\n",
    .run = run_completion,
};
