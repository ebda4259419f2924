#include "cli/options.h"

#include "cli/help.h"
#include "cli/suggest.h"
#include "cli/visible.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

// The wording of each complaint about an argument in an option set, after "'ARGUMENT': ".
struct complaints {
    const char *unknown, *needs_value, *takes_no_value, *badly_formed, *too_many;
    enum exit_status status;
};

static const struct complaints complaints_of[] = {
    [OPTIONS_TRAWL] = {"unknown option", "option needs a value", "option takes no value",
                       "unknown option", "one argument too many", EXIT_STATUS_USAGE},
    [OPTIONS_TTU] = {"unrecognised option name", "option expects a value",
                     "option expects no value", "badly formatted option",
                     "unexpected positional argument", EXIT_STATUS_FAILED},
};

// The options that every command has; the command never sees them.
enum { ID_HELP = 1 };
static const struct option_spec help_option = {ID_HELP, 'h', "help", NULL, ""};

void options_begin(struct options_parser *parser, const struct command_spec *command, int argc,
                   char *const *argv)
{
    *parser = (struct options_parser){.command = command, .argv = argv, .argc = argc};
}

int options_error(struct options_parser *parser, const char *format, ...)
{
    const struct command_spec *command = parser->command;
    const char *prefix = help_program_prefix(command);
    va_list args;
    va_start(args, format);
    FILE *out = messages_of(command);
    fprintf(out, "%s%s: ", prefix, command->name);
    if (command->option_set == OPTIONS_TRAWL || isatty(STDERR_FILENO))
        visible_format(out, format, args);
    else
        vfprintf(out, format, args);
    va_end(args);
    if (command->option_set == OPTIONS_TTU)
        fprintf(out, "\n%*stry '%s --help' for help\n", (int)strlen(command->name) + 2, "",
                command->name);
    else
        fprintf(out, "\ntry '%s%s --help'\n", prefix, command->name);
    parser->status = complaints_of[command->option_set].status;
    return OPTION_STOP;
}

bool options_refuse(struct options_parser *parser, const char *why)
{
    options_error(parser, "%s", why);
    return false;
}

int options_no_memory(struct options_parser *parser)
{
    const struct command_spec *command = parser->command;
    fprintf(messages_of(command), "%s%s: out of memory\n", help_program_prefix(command),
            command->name);
    parser->status = EXIT_STATUS_FAILED;
    return OPTION_STOP;
}

void option_text(const struct option_spec *option, char text[OPTION_TEXT_BYTES])
{
    if (option->names)
        snprintf(text, OPTION_TEXT_BYTES, "--%.*s", (int)strcspn(option->names, ","),
                 option->names);
    else
        snprintf(text, OPTION_TEXT_BYTES, "-%c", option->letter);
}

int options_bad_value(struct options_parser *parser, const struct option_match *match,
                      const char *expected)
{
    char name[OPTION_TEXT_BYTES];
    option_text(match->option, name);
    return options_error(parser, "'%s': '%s': expected %s", name, match->value, expected);
}

// Complains about `length` bytes of an argument, with `dashes` before them.
static int complain(struct options_parser *parser, const char *complaint, const char *dashes,
                    const char *name, size_t length)
{
    return options_error(parser, "'%s%.*s': %s", dashes, (int)length, name, complaint);
}

static bool has_name(const struct option_spec *option, const char *name, size_t length)
{
    for (const char *at = option->names; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
            return true;
    }
    return false;
}

static void suggest_names(struct suggestion *suggestion, const struct option_spec *option)
{
    for (const char *at = option->help ? option->names : NULL; at; at = strchr(at, ',')) {
        at += *at == ',';
        suggest_offer(suggestion, at, strcspn(at, ","));
    }
}

static const struct option_spec *find_long(const struct command_spec *command, const char *name,
                                           size_t length)
{
    if (has_name(&help_option, name, length))
        return &help_option;
    for (const struct option_group *group = command->groups; group && group->options; group++)
        for (const struct option_spec *option = group->options; option->id; option++)
            if (has_name(option, name, length))
                return option;
    return NULL;
}

static const struct option_spec *find_short(const struct command_spec *command, char letter)
{
    for (const struct option_group *group = command->groups; group && group->options; group++)
        for (const struct option_spec *option = group->options; option->id; option++)
            if (option->letter && option->letter == letter)
                return option;
    return command->option_set == OPTIONS_TRAWL && letter == 'h' ? &help_option : NULL;
}

// Complains about an unknown option; `meant` may be a misspelled long name.
static int unknown_option(struct options_parser *parser, const char *dashes, const char *name,
                          size_t length, const char *meant, size_t meant_length)
{
    const struct command_spec *command = parser->command;
    const char *complaint = complaints_of[command->option_set].unknown;
    if (command->option_set == OPTIONS_TTU)
        return complain(parser, complaint, dashes, name, length);
    struct suggestion near;
    suggest_begin(&near, meant, meant_length);
    suggest_names(&near, &help_option);
    for (const struct option_group *group = command->groups; group && group->options; group++)
        for (const struct option_spec *option = group->options; option->id; option++)
            suggest_names(&near, option);
    if (!near.near[0].name)
        return complain(parser, complaint, dashes, name, length);
    return options_error(parser, "'%s%.*s': %s (did you mean '--%.*s'?)", dashes, (int)length, name,
                         complaint, (int)near.near[0].length, near.near[0].name);
}

static int stop_with_help(struct options_parser *parser)
{
    const struct command_spec *command = parser->command;
    help_print(command->host ? command->host->messages : stdout, command, HELP_USUAL);
    parser->status = EXIT_STATUS_DONE;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "%s%s: cannot write the help: %s\n", help_program_prefix(command),
                command->name, strerror(errno));
        parser->status = EXIT_STATUS_FAILED;
    }
    return OPTION_STOP;
}

static const char *next_argument(struct options_parser *parser)
{
    return parser->next < parser->argc ? parser->argv[parser->next++] : NULL;
}

// The set of alternatives that contains the option; SIZE_MAX: none.
static size_t alternatives_of(const struct command_spec *command, int id)
{
    const int *at = command->alternatives;
    for (size_t set = 0; at && *at; set++) {
        for (; *at; at++) {
            if (*at == id)
                return set;
        }
        at++;
    }
    return SIZE_MAX;
}

// Takes the option, unless one was given that it contradicts.
static int choose(struct options_parser *parser, const struct option_spec *option)
{
    size_t set = alternatives_of(parser->command, option->id);
    if (set == SIZE_MAX)
        return option->id;
    ASSERT(set < OPTION_ALTERNATIVES_MAX);
    const struct option_spec *before = parser->chosen[set];
    char names[2][OPTION_TEXT_BYTES];
    parser->chosen[set] = option;
    if (!before || before->id == option->id)
        return option->id;
    option_text(before, names[0]);
    option_text(option, names[1]);
    return options_error(parser, "'%s' and '%s' cannot be combined", names[0], names[1]);
}

// --- Values of flags -----------------------------------------------------------------------------

// LLVM's tools accept "=true" and "=false" after a flag.
static bool is_one_of(const char *value, const char *const *texts)
{
    while (*texts && strcmp(*texts, value) != 0)
        texts++;
    return *texts != NULL;
}

static bool is_truth(const char *value, bool *is_on)
{
    static const char *const on[] = {"1", "true", "True", "TRUE", NULL};
    static const char *const off[] = {"0", "false", "False", "FALSE", NULL};
    *is_on = is_one_of(value, on);
    return *is_on || is_one_of(value, off);
}

// "--no-sort" for "--sort", and the other way round; NULL: there is none.
static const struct option_spec *opposite(const struct command_spec *command,
                                          const struct option_spec *option)
{
    char name[OPTION_TEXT_BYTES];
    const char *names = option->names ? option->names : "";
    size_t length = strcspn(names, ",");
    if (strncmp(names, "no-", 3) == 0)
        return find_long(command, names + 3, length - 3);
    int written = snprintf(name, sizeof name, "no-%.*s", (int)length, names);
    return find_long(command, name, (size_t)written);
}

// A flag with a value. If off, it counts as not given, unless it has an opposite.
static int match_flag(struct options_parser *parser, struct option_match *match,
                      const struct option_spec *option, bool is_on)
{
    if (!is_on)
        option = opposite(parser->command, option);
    *match = (struct option_match){.option = option};
    return option ? choose(parser, option) : options_next(parser, match);
}

// A long option; `name` is what follows the dashes.
static int match_long(struct options_parser *parser, struct option_match *match, const char *name)
{
    const struct command_spec *command = parser->command;
    const struct complaints *complaints = &complaints_of[command->option_set];
    size_t length = strcspn(name, "=");
    const char *value = name[length] ? name + length + 1 : NULL;
    const struct option_spec *option = find_long(command, name, length);
    if (!option)
        return unknown_option(parser, "--", name, length, name, length);
    if (option == &help_option && (!value || command->option_set == OPTIONS_TTU))
        return stop_with_help(parser);
    bool is_on;
    if (value && !option->metavar && command->takes_one_dash && is_truth(value, &is_on))
        return match_flag(parser, match, option, is_on);
    if (value && !option->metavar)
        return complain(parser, complaints->takes_no_value, "--", name, length);
    if (!value && option->metavar && !(value = next_argument(parser)))
        return complain(parser, complaints->needs_value, "--", name, length);
    *match = (struct option_match){.option = option, .value = value};
    return choose(parser, option);
}

// The next letter of the cluster; the value of an option is the rest of it or the next argument.
static int match_short(struct options_parser *parser, struct option_match *match)
{
    const struct command_spec *command = parser->command;
    const char *letter = parser->cluster++;
    const char *value = NULL;
    const struct option_spec *option = find_short(command, *letter);
    if (!option) {
        bool is_whole = letter[-1] == '-'; // "-threads": a long name with a dash too few
        return unknown_option(parser, "-", letter, 1, letter, is_whole ? strcspn(letter, "=") : 1);
    }
    if (option == &help_option)
        return stop_with_help(parser);
    if (option->metavar) {
        if (command->takes_one_dash && *parser->cluster == '=')
            parser->cluster++;
        value = *parser->cluster ? parser->cluster : next_argument(parser);
        parser->cluster = NULL;
        if (!value)
            return complain(parser, complaints_of[command->option_set].needs_value, "-", letter, 1);
    }
    bool is_on;
    if (!option->metavar && command->takes_one_dash && *parser->cluster == '=' &&
        is_truth(parser->cluster + 1, &is_on)) {
        parser->cluster = NULL;
        return match_flag(parser, match, option, is_on);
    }
    *match = (struct option_match){.option = option, .value = value};
    return choose(parser, option);
}

int options_next(struct options_parser *parser, struct option_match *match)
{
    const struct command_spec *command = parser->command;
    enum option_set set = command->option_set;
    if (parser->cluster && *parser->cluster)
        return match_short(parser, match);
    parser->cluster = NULL;
    const char *argument = next_argument(parser);
    if (!argument) {
        size_t index = 0;
        for (const struct positional_spec *wanted = parser->command->positionals;
             wanted && wanted->metavar; wanted++) {
            if (index++ < parser->positional_count || wanted->optional)
                continue;
            if (wanted->missing)
                return options_error(parser, "%s", wanted->missing);
            if (parser->command->option_set == OPTIONS_TTU)
                return options_error(parser, "expected additional arguments (starting with '%s')",
                                     wanted->metavar);
            return options_error(parser, "no %s given", wanted->metavar);
        }
        return OPTION_END;
    }
    if (parser->options_ended || argument[0] != '-' || (!argument[1] && set == OPTIONS_TRAWL)) {
        const struct positional_spec *positionals = command->positionals;
        size_t index = 0;
        while (positionals && positionals[index].metavar && index < parser->positional_count &&
               !positionals[index].repeated)
            index++;
        if (!positionals || !positionals[index].metavar) {
            // The name of an image, as other programs take it.
            if (set == OPTIONS_TRAWL && find_long(command, "image", strlen("image")))
                return options_error(parser, "'%s': one argument too many (images: --image FILE)",
                                     argument);
            return complain(parser, complaints_of[set].too_many, "", argument, strlen(argument));
        }
        parser->positional_count++;
        *match = (struct option_match){.value = argument, .positional = index};
        return OPTION_POSITIONAL;
    }
    if (strcmp(argument, "--") == 0) {
        parser->options_ended = true;
        return options_next(parser, match);
    }
    if (!argument[1] || strncmp(argument, "---", 3) == 0)
        return complain(parser, complaints_of[set].badly_formed, "", argument, strlen(argument));
    if (argument[1] == '-')
        return match_long(parser, match, argument + 2);
    // "-name" or "-name=value".
    if (command->takes_one_dash && find_long(command, argument + 1, strcspn(argument + 1, "=")))
        return match_long(parser, match, argument + 1);
    parser->cluster = argument + 1;
    return match_short(parser, match);
}

int options_choice(struct options_parser *parser, const struct option_match *match,
                   const char *const *words, const char *expected, unsigned *choice)
{
    for (unsigned i = 0; words[i]; i++) {
        if (strcmp(words[i], match->value) == 0) {
            *choice = i;
            return OPTION_END;
        }
    }
    return options_bad_value(parser, match, expected);
}

// --- Families of commands ------------------------------------------------------------------------

enum exit_status subcommands_run(const struct command_spec *family, int argc, char *const *argv)
{
    if (argc < 1) {
        help_family(stderr, family);
        return EXIT_STATUS_USAGE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0 ||
        strcmp(argv[0], "help") == 0) {
        help_family(stdout, family);
        return EXIT_STATUS_DONE;
    }
    const struct command_spec *command = help_find_command(family, family->commands, argv[0]);
    if (command)
        return command->run(command, argc - 1, argv + 1);
    help_unknown_command(stderr, family, family->commands, argv[0]);
    return EXIT_STATUS_USAGE;
}
