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

const char *help_program_prefix(const struct command_spec *command)
{
    if (command->manner == MANNER_TTU)
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

void help_print(FILE *out, const struct command_spec *command)
{
    print_usage(out, command);
    const char *text = command->description;
    while (text && *text) {
        struct wrapper wrapper = {.out = out};
        text = put_words(&wrapper, text);
        fputc('\n', out);
        text += *text == '\n';
    }
    const char *title = "options";
    for (const struct option_group *group = command->groups; group && group->options; group++) {
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
    print_positionals(out, command);
    const char *examples = command->examples;
    if (examples) {
        fputs("examples:\n", out);
        while (*examples) {
            size_t length = strcspn(examples, "\n");
            fprintf(out, "    %.*s\n", (int)length, examples);
            examples += length;
            examples += *examples == '\n';
        }
    }
    fputs("also:\n", out);
    struct wrapper wrapper = {.out = out};
    move_to(&wrapper, ENTRY_INDENT);
    const char *const words[] = {help_program_prefix(command), command->name, " --help"};
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        put_text(&wrapper, words[i], strlen(words[i]));
    if (wrapper.column == HELP_HINT_INDENT)
        break_line(&wrapper);
    move_to(&wrapper, HELP_HINT_INDENT);
    fputs("display this text\n", out);
}

bool help_is_listed(const struct command_spec *command)
{
    return command->manner == MANNER_TRAWL && command->summary && *command->name;
}

void help_overview(FILE *out, const struct command_spec *family,
                   const struct command_spec *const *commands)
{
    const char *name = family ? family->name : "", *blank = family ? " " : "";
    fprintf(out, "usage: trawl %s%sCOMMAND [options] ARGUMENT...\ncommands:\n", name, blank);
    for (; *commands; commands++) {
        if (!help_is_listed(*commands))
            continue;
        struct wrapper wrapper = {.out = out, .indent = TEXT_INDENT_MORE};
        move_to(&wrapper, ENTRY_INDENT);
        put_text(&wrapper, (*commands)->name, strlen((*commands)->name));
        put_description(&wrapper, (*commands)->summary);
    }
    fprintf(out,
            "exit status:\n"
            "    0                   done\n"
            "    1                   bad input, or a job that failed\n"
            "    2                   an invalid command line\n"
            "    3                   done, but damaged or missing parts were skipped\n"
            "also:\n"
            "    trawl %s%sCOMMAND --help%*soptions and examples of a command\n"
            "    trawl --version             display the version\n"
            "    --no-sandbox                with any command: do not confine it to the files that "
            "it names\n",
            name, blank, 8 - (family ? (int)strlen(name) + 1 : 0), "");
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
    if (!family && *name != '-' && (strpbrk(name, "./") || access(name, F_OK) == 0)) {
        visible_line(out, "trawl: '%s': is no command, but seems to be a file", name);
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
