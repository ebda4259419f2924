#include "cli/help.h"

#include "cli/suggest.h"
#include "cli/visible.h"

#include <unistd.h>

// The layout of the Tarmac Trace Utilities, in columns from 0.
enum {
    PAGE_WIDTH = 79,
    USAGE_INDENT = 8,
    ENTRY_INDENT = 4,
    ENTRY_END_MAX = 22, // a longer entry has its description on the next line
    TEXT_INDENT = 24,
    TEXT_INDENT_MORE = 26, // second and further lines of a description
    HELP_HINT_INDENT = 32,
    SUMMARY_INDENT = 16, // of our overview, in which most summaries then have one line
};

// Prints words with line breaks. `column` is where the next byte goes.
struct wrapper {
    FILE *out;
    int column;
    int indent; // of the lines after the first
};

static void break_line(struct wrapper *wrapper)
{
    fputc('\n', wrapper->out);
    wrapper->column = 0;
}

static void move_to(struct wrapper *wrapper, int column)
{
    if (wrapper->column > column)
        break_line(wrapper);
    fprintf(wrapper->out, "%*s", column - wrapper->column, "");
    wrapper->column = column;
}

static void put_text(struct wrapper *wrapper, const char *text, size_t length)
{
    fwrite(text, 1, length, wrapper->out);
    wrapper->column += (int)length;
}

// Prints one word, after a space if `parted`, on a new line if it does not fit.
static void put_word(struct wrapper *wrapper, const char *word, size_t length, bool parted)
{
    if (parted && wrapper->column + 1 + (int)length > PAGE_WIDTH) {
        break_line(wrapper);
        move_to(wrapper, wrapper->indent);
        parted = false;
    }
    if (parted)
        put_text(wrapper, " ", 1);
    put_text(wrapper, word, length);
}

// Prints the words of `text` up to its end or first newline; returns where it stopped.
static const char *put_words(struct wrapper *wrapper, const char *text)
{
    for (bool parted = false; *text && *text != '\n'; parted = true) {
        size_t length = strcspn(text, " \n");
        put_word(wrapper, text, length, parted);
        text += length;
        text += strspn(text, " ");
    }
    return text;
}

// Ends an entry at ENTRY_INDENT with its description.
static void put_description(struct wrapper *wrapper, const char *help)
{
    if (wrapper->column > ENTRY_END_MAX)
        break_line(wrapper);
    move_to(wrapper, TEXT_INDENT);
    put_words(wrapper, help);
    fputc('\n', wrapper->out);
}

// Prints the line of something else that one can type.
static void put_hint(FILE *out, const char *before, const char *name, const char *after,
                     const char *help)
{
    struct wrapper wrapper = {.out = out};
    const char *const words[] = {before, name, after};
    move_to(&wrapper, ENTRY_INDENT);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        put_text(&wrapper, words[i], strlen(words[i]));
    if (wrapper.column == HELP_HINT_INDENT)
        break_line(&wrapper);
    move_to(&wrapper, HELP_HINT_INDENT);
    fprintf(out, "%s\n", help);
}

const char *help_program_prefix(const struct command_spec *command)
{
    if (command->option_set == OPTIONS_TTU)
        return "";
    return *command->name ? "trawl " : "trawl";
}

static void print_usage(FILE *out, const struct command_spec *command)
{
    struct wrapper wrapper = {.out = out, .indent = USAGE_INDENT};
    char word[128];
    int length =
        snprintf(word, sizeof word, "usage: %s%s", help_program_prefix(command), command->name);
    put_word(&wrapper, word, (size_t)length, false);
    put_word(&wrapper, "[options]", strlen("[options]"), true);
    for (const struct positional_spec *positional = command->positionals;
         positional && positional->metavar; positional++) {
        const char *dots = positional->repeated ? "..." : "";
        length = snprintf(word, sizeof word, positional->optional ? "[%s%s]" : "%s%s",
                          positional->metavar, dots);
        put_word(&wrapper, word, (size_t)length, true);
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const struct option_spec *option)
{
    struct wrapper wrapper = {.out = out, .indent = TEXT_INDENT_MORE};
    move_to(&wrapper, ENTRY_INDENT);
    if (option->letter) {
        const char text[] = {'-', option->letter, ',', ' '};
        put_text(&wrapper, text, option->names ? 4 : 2);
    }
    for (const char *at = option->names; at; at = strchr(at, ',')) {
        if (*at == ',') {
            at++;
            put_text(&wrapper, ", ", 2);
        }
        put_text(&wrapper, "--", 2);
        put_text(&wrapper, at, strcspn(at, ","));
    }
    if (option->metavar) {
        put_text(&wrapper, option->names ? "=" : " ", 1);
        put_text(&wrapper, option->metavar, strlen(option->metavar));
    }
    put_description(&wrapper, option->help);
}

void help_describe_argument(const struct command_spec *command,
                            const struct positional_spec *positional,
                            char text[HELP_ARGUMENT_BYTES])
{
    static const char mark[] = "{input}";
    const char *help = positional->help, *at = strstr(help, mark);
    char input[OPTION_INPUT_BYTES] = "";
    ASSERT(!at || command->describe_input);
    if (at)
        command->describe_input(command, input);
    snprintf(text, HELP_ARGUMENT_BYTES, "%.*s%s%s", at ? (int)(at - help) : 0, help, input,
             at ? at + strlen(mark) : help);
}

static void print_positionals(FILE *out, const struct command_spec *command)
{
    const struct positional_spec *positional = command->positionals;
    if (!positional || !positional->metavar)
        return;
    fputs("positional arguments:\n", out);
    for (; positional->metavar; positional++) {
        struct wrapper wrapper = {.out = out, .indent = TEXT_INDENT_MORE};
        char text[HELP_ARGUMENT_BYTES];
        help_describe_argument(command, positional, text);
        move_to(&wrapper, ENTRY_INDENT);
        put_text(&wrapper, positional->metavar, strlen(positional->metavar));
        put_description(&wrapper, text);
    }
}

// --- Options -------------------------------------------------------------------------------------

static bool is_in(const int *ids, int id)
{
    while (*ids && *ids != id)
        ids++;
    return *ids != 0;
}

static bool is_common(const struct common_options *common, int id)
{
    for (const struct option_group *group = common->groups; group->options; group++) {
        for (const struct option_spec *option = group->options; option->id; option++) {
            if (option->id == id && option->help)
                return true;
        }
    }
    return false;
}

// Whether the help of the command only names an option, which is under the heading of this number.
static bool is_only_named(const struct command_spec *command, const struct option_spec *option,
                          size_t heading)
{
    return heading > 1 && is_common(command->common, option->id) &&
           !is_in(command->common->usual, option->id);
}

static bool is_own(const struct command_spec *command, const struct option_spec *option,
                   size_t heading)
{
    return heading <= 1 || !is_common(command->common, option->id);
}

static void print_groups(FILE *out, const struct option_group *group)
{
    const char *title = "options";
    for (; group && group->options; group++) {
        if (group->title)
            title = group->title;
        for (const struct option_spec *option = group->options; option->id; option++) {
            if (!option->help)
                continue;
            if (title)
                fprintf(out, "%s:\n", title);
            title = NULL;
            print_option(out, option);
        }
    }
}

// The option among those that are not the command's own; NULL: it has none of this id.
static const struct option_spec *find_shared(const struct command_spec *command, int id)
{
    size_t heading = 0;
    for (const struct option_group *group = command->groups; group->options; group++) {
        heading += group->title != NULL;
        for (const struct option_spec *option = group->options; option->id; option++) {
            if (heading > 1 && option->id == id)
                return option;
        }
    }
    return NULL;
}

// Explains the command's own options, or names those that are not explained.
static void print_options_of(FILE *out, const struct command_spec *command, bool names_them)
{
    struct wrapper names = {.out = out, .indent = ENTRY_INDENT};
    size_t heading = 0;
    for (const struct option_group *group = command->groups; group->options; group++) {
        heading += group->title != NULL;
        for (const struct option_spec *option = group->options; option->id; option++) {
            char word[64];
            bool is_wanted = names_them ? is_only_named(command, option, heading)
                                        : is_own(command, option, heading);
            if (!option->help || !is_wanted)
                continue;
            if (!names_them) {
                print_option(out, option);
                continue;
            }
            if (!names.column)
                move_to(&names, ENTRY_INDENT);
            int length = snprintf(word, sizeof word, "--%.*s", (int)strcspn(option->names, ","),
                                  option->names);
            put_word(&names, word, (size_t)length, names.column > ENTRY_INDENT);
        }
    }
    if (names.column)
        break_line(&names);
}

// --- Helps ---------------------------------------------------------------------------------------

static void put_paragraphs(FILE *out, const char *text)
{
    while (text && *text) {
        struct wrapper wrapper = {.out = out};
        text = put_words(&wrapper, text);
        fputc('\n', out);
        text += *text == '\n';
    }
}

// The length of the first of several lines.
static int first_line(const char *lines)
{
    return (int)strcspn(lines, "\n");
}

void help_print(FILE *out, const struct command_spec *command, enum help_extent extent)
{
    print_usage(out, command);
    put_paragraphs(out, command->description);
    if (command->common && extent == HELP_USUAL) {
        fputs("options:\n", out);
        print_options_of(out, command, false);
        fputs("common options:\n", out);
        for (const int *id = command->common->usual; *id; id++) {
            const struct option_spec *option = find_shared(command, *id);
            if (option)
                print_option(out, option);
        }
        fprintf(out, "more options ('trawl help options %s' explains them):\n", command->name);
        print_options_of(out, command, true);
    } else {
        print_groups(out, command->groups);
    }
    print_positionals(out, command);
    const char *examples = command->examples;
    if (examples) {
        fputs("examples:\n", out);
        while (*examples) {
            int length = first_line(examples);
            fprintf(out, "    %.*s\n", length, examples);
            examples += length;
            examples += *examples == '\n';
        }
    }
    fputs("also:\n", out);
    put_hint(out, help_program_prefix(command), command->name, " --help", "display this text");
}

void help_print_common(FILE *out, const struct common_options *common)
{
    put_paragraphs(out,
                   "Options that many commands have. 'trawl help COMMAND' says which of them a "
                   "command has, 'trawl help options COMMAND' explains all of its options.");
    print_groups(out, common->groups);
}

bool help_is_listed(const struct command_spec *command)
{
    return command->option_set == OPTIONS_TRAWL && command->summary && *command->name;
}

static void print_exit_statuses(FILE *out)
{
    fputs("exit status:\n"
          "    0                   done\n"
          "    1                   bad input, or a job that failed\n"
          "    2                   an invalid command line\n"
          "    3                   done, but damaged or missing parts were skipped\n"
          "also:\n",
          out);
}

void help_overview(FILE *out, const struct overview_line *line)
{
    const char *examples = NULL; // of the first command of a purpose
    fputs("usage: trawl COMMAND [options] ARGUMENT...\n", out);
    for (; line->purpose || line->command; line++) {
        if (line->purpose) {
            fprintf(out, "%s:\n", line->purpose);
            examples = line[1].command->examples;
        } else if (help_is_listed(line->command)) {
            struct wrapper wrapper = {.out = out, .indent = SUMMARY_INDENT};
            move_to(&wrapper, ENTRY_INDENT);
            put_text(&wrapper, line->command->name, strlen(line->command->name));
            move_to(&wrapper, SUMMARY_INDENT);
            put_words(&wrapper, line->command->summary);
            fputc('\n', out);
        }
        if (examples && !line[1].command)
            fprintf(out, "    $ %.*s\n", first_line(examples), examples);
    }
    print_exit_statuses(out);
    put_hint(out, "trawl ", "COMMAND", " --help", "options and examples of a command");
    put_hint(out, "trawl ", "help", " options", "options that many commands have");
    put_hint(out, "trawl ", "--version", "", "display the version");
    put_hint(out, "--no-sandbox", "", "", "do not confine a command to its files");
}

void help_family(FILE *out, const struct command_spec *family)
{
    fprintf(out, "usage: trawl %s COMMAND [options] ARGUMENT...\ncommands:\n", family->name);
    for (const struct command_spec *const *command = family->commands; *command; command++) {
        if (!help_is_listed(*command))
            continue;
        struct wrapper wrapper = {.out = out, .indent = TEXT_INDENT_MORE};
        move_to(&wrapper, ENTRY_INDENT);
        put_text(&wrapper, (*command)->name, strlen((*command)->name));
        put_description(&wrapper, (*command)->summary);
    }
    print_exit_statuses(out);
    put_hint(out, "trawl ", family->name, " COMMAND --help", "options and examples of a command");
    put_hint(out, "trawl ", "--version", "", "display the version");
    put_hint(out, "--no-sandbox", "", "", "do not confine a command to its files");
}

// The name without that of the family, with which it begins.
static const char *name_in_family(const struct command_spec *family,
                                  const struct command_spec *command)
{
    return command->name + (family ? strlen(family->name) + 1 : 0);
}

const struct command_spec *help_find_command(const struct command_spec *family,
                                             const struct command_spec *const *commands,
                                             const char *name)
{
    for (; *commands; commands++)
        if (*name && strcmp(name_in_family(family, *commands), name) == 0)
            return *commands;
    return NULL;
}

void help_unknown_command(FILE *out, const struct command_spec *family,
                          const struct command_spec *const *commands, const char *name)
{
    static const char *const options[] = {"--help", "--version"};
    const char *prefix = family ? family->name : "", *blank = family ? " " : "";
    struct suggestion near;
    if (*name != '-' && (strpbrk(name, "./") || access(name, F_OK) == 0)) {
        visible_line(out, "trawl: '%s': is no command, but seems to be a file", name);
        if (family)
            visible_line(out, "try 'trawl %s %s'", (*commands)->name, name);
        else
            visible_line(out, "try 'trawl profile %s' or 'trawl browse %s'", name, name);
        return;
    }
    suggest_begin(&near, name, strlen(name));
    for (; *commands; commands++) {
        const char *offered = name_in_family(family, *commands);
        if (help_is_listed(*commands))
            suggest_offer(&near, offered, strlen(offered));
    }
    for (size_t i = 0; *name == '-' && i < (family ? 1 : ARRAY_COUNT(options)); i++)
        suggest_offer(&near, options[i], strlen(options[i]));
    visible_print(out, "trawl: '%s%s%s': unknown %s", prefix, blank, name,
                  *name == '-' ? "option" : "command");
    if (near.near[0].name)
        fprintf(out, " (did you mean '%s%s%.*s'?)", prefix, blank, (int)near.near[0].length,
                near.near[0].name);
    fprintf(out, family ? "\ntry 'trawl %s --help'\n" : "\ntry 'trawl help'\n", prefix);
}
