
#include "cli/help.h"

#include "base/characters.h"

#include <ctype.h>

// --- Text ----------------------------------------------------------------------------------------

// Lines of a page are no longer.
#define LINE_LENGTH 78

// Prints text so that roff does not interpret it. Dashes of options stay dashes.
static void put_literal(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else if (text[i] == '"')
            fputs("\\(dq", out);
        else
            fputc(text[i], out);
    }
}

// Whether a word ends a sentence, after which roff needs a new line.
static bool ends_sentence(const char *word, size_t length)
{
    return length > 1 && (word[length - 1] == '.' || word[length - 1] == '?') &&
           is_alphanumeric(word[length - 2]) && word[length] == ' ' &&
           isupper((unsigned char)word[length + 1]);
}

// Prints a paragraph of text, up to its end or a newline; returns where it stopped. Escapes are
// counted with twice the length, so lines are shorter than they could be.
static const char *put_paragraph(FILE *out, const char *text)
{
    size_t column = 0;
    while (*text && *text != '\n') {
        size_t length = strcspn(text, " \n"), dashes = 0;
        for (size_t i = 0; i < length; i++)
            dashes += text[i] == '-' || text[i] == '\\' || text[i] == '"';
        size_t width = length + 3 * dashes;
        if (column && column + 1 + width > LINE_LENGTH) {
            fputc('\n', out);
            column = 0;
        }
        if (column)
            fputc(' ', out);
        else if (*text == '.' || *text == '\'')
            fputs("\\&", out);
        put_literal(out, text, length);
        column = ends_sentence(text, length) ? LINE_LENGTH : column + 1 + width;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
    return text;
}

static void put_paragraphs(FILE *out, const char *text)
{
    for (bool is_first = true; text && *text; is_first = false) {
        if (!is_first)
            fputs(".Pp\n", out);
        text = put_paragraph(out, text);
        text += *text == '\n';
    }
}

// --- Parts of a page -----------------------------------------------------------------------------

void manual_name(const struct command_spec *command, char name[MANUAL_NAME_BYTES])
{
    bool is_ours = !command || command->option_set == OPTIONS_TRAWL;
    snprintf(name, MANUAL_NAME_BYTES, "%s%s%s", is_ours ? "trawl" : "",
             command && is_ours && *command->name ? "-" : "", command ? command->name : "");
    for (char *at = name; *at; at++)
        *at = *at == ' ' ? '-' : *at;
}

static void put_head(FILE *out, const struct command_spec *command,
                     const struct manual_edition *edition)
{
    char name[MANUAL_NAME_BYTES];
    manual_name(command, name);
    fprintf(out, ".\\\" trawl %s\n.Dd %s\n.Dt ", edition->version, edition->date);
    for (const char *at = name; *at; at++)
        fputc(toupper((unsigned char)*at), out);
    fprintf(out, " 1\n.Os\n.Sh NAME\n.Nm %s\n.Nd ", name);
    // The summary for the page's NAME section: without the list of commands after a colon.
    const char *text = command ? command->summary : "a fast analyzer of execution traces";
    if (!text)
        text = "a command of the Tarmac Trace Utilities, as trawl does it";
    put_literal(out, text, strcspn(text, ":"));
    fputc('\n', out);
}

static void put_command_name(FILE *out, const struct command_spec *command)
{
    fprintf(out, ".Nm %s%s\n", command ? help_program_prefix(command) : "trawl",
            command ? command->name : "");
}

static bool has_help(const struct option_group *group)
{
    for (const struct option_spec *option = group->options; option->id; option++) {
        if (option->help)
            return true;
    }
    return false;
}

static void put_options(FILE *out, const struct command_spec *command)
{
    bool is_open = false;
    fputs(".Sh OPTIONS\n", out);
    for (const struct option_group *group = command->groups; group && group->options; group++) {
        if (!has_help(group))
            continue;
        if (group->title && is_open)
            fputs(".El\n", out);
        if (group->title && strcmp(group->title, "options") != 0) {
            // A heading begins with a capital.
            const char *title = group->title;
            fprintf(out, ".Ss %c%s\n", toupper((unsigned char)*title), title + 1);
        }
        if (group->title || !is_open)
            fputs(".Bl -tag -width Ds\n", out);
        is_open = true;
        for (const struct option_spec *option = group->options; option->id; option++) {
            if (!option->help)
                continue;
            bool is_first = true;
            fputs(".It ", out);
            if (option->letter) {
                fprintf(out, "Fl %c", option->letter);
                is_first = false;
            }
            for (const char *at = option->names; at && *at; is_first = false) {
                size_t length = strcspn(at, ",");
                fprintf(out, "%sFl \\-", is_first ? "" : " , ");
                put_literal(out, at, length);
                at += length + (at[length] == ',');
            }
            if (option->metavar) {
                fputs(option->names ? " Ns = Ns Ar \"" : " Ar \"", out);
                put_literal(out, option->metavar, strlen(option->metavar));
                fputc('"', out);
            }
            fputc('\n', out);
            put_paragraphs(out, option->help);
        }
    }
    fputs(is_open ? ".El\n" : "", out);
    fputs(".Ss All commands\n.Bl -tag -width Ds\n.It Fl h , Fl \\-help\nShow a summary of the "
          "options.\n.El\n",
          out);
}

static void put_exit_status(FILE *out, const struct command_spec *command)
{
    fputs(".Sh EXIT STATUS\n.Bl -tag -width Ds\n", out);
    if (command && command->answers[0]) {
        fprintf(out,
                ".It 0\n%s\n.It 1\n%s\n"
                ".It 2\nBad input, an invalid command line, or a job that failed.\n"
                ".It 3\nDone, but damaged or missing parts are not in it.\n",
                command->answers[0], command->answers[1]);
    } else if (command && command->option_set == OPTIONS_TTU) {
        fputs(".It 0\nDone.\n.It 1\nBad input, an invalid command line, or a job that failed.\n",
              out);
    } else {
        fputs(".It 0\nDone.\n.It 1\nBad input, or a job that failed.\n"
              ".It 2\nAn invalid command line.\n"
              ".It 3\nDone, but damaged or missing parts are not in it.\n",
              out);
    }
    fputs(".El\n", out);
}

static void put_see_also(FILE *out, const struct command_spec *command)
{
    fputs(".Sh SEE ALSO\n", out);
    if (command)
        fputs(".Xr trawl 1 ,\n", out);
    fputs(".Xr trawl-index 5 ,\n.Xr trawl-formats 7 ,\n.Xr trawl-positions 7\n", out);
}

// --- Pages ---------------------------------------------------------------------------------------

void manual_print(FILE *out, const struct command_spec *command,
                  const struct manual_edition *edition)
{
    put_head(out, command, edition);
    fputs(".Sh SYNOPSIS\n", out);
    put_command_name(out, command);
    fputs(".Op Ar options\n", out);
    for (const struct positional_spec *positional = command->positionals;
         positional && positional->metavar; positional++)
        fprintf(out, positional->optional ? ".Op Ar %s%s\n" : ".Ar %s%s\n", positional->metavar,
                positional->repeated ? " ..." : "");
    fputs(".Sh DESCRIPTION\n", out);
    if (command->description)
        put_paragraphs(out, command->description);
    else
        put_command_name(out, command);
    const struct positional_spec *positional = command->positionals;
    if (positional && positional->metavar) {
        fputs(".Pp\nThe arguments are as follows:\n.Bl -tag -width Ds\n", out);
        for (; positional->metavar; positional++) {
            char text[HELP_ARGUMENT_BYTES];
            help_describe_argument(command, positional, text);
            fprintf(out, ".It Ar %s\n", positional->metavar);
            put_paragraphs(out, text);
        }
        fputs(".El\n", out);
    }
    put_options(out, command);
    put_exit_status(out, command);
    const char *examples = command->examples;
    if (examples) {
        fputs(".Sh EXAMPLES\n.Bd -literal\n", out);
        while (*examples) {
            size_t length = strcspn(examples, "\n");
            put_literal(out, examples, length);
            fputc('\n', out);
            examples += length;
            examples += *examples == '\n';
        }
        fputs(".Ed\n", out);
    }
    put_see_also(out, command);
}

void manual_print_family(FILE *out, const struct command_spec *family,
                         const struct command_spec *const *commands,
                         const struct manual_edition *edition)
{
    put_head(out, family, edition);
    fputs(".Sh SYNOPSIS\n", out);
    put_command_name(out, family);
    fputs(".Ar command\n.Op Ar options\n.Ar argument ...\n.Sh DESCRIPTION\n", out);
    if (family && family->description)
        put_paragraphs(out, family->description);
    fputs(family && family->description ? ".Pp\n" : "", out);
    fputs("The commands, each with a page of its own, are:\n.Bl -tag -width Ds\n", out);
    for (; *commands; commands++) {
        if (!help_is_listed(*commands))
            continue;
        char name[MANUAL_NAME_BYTES];
        manual_name(*commands, name);
        fprintf(out, ".It Xr %s 1\n", name);
        put_paragraphs(out, (*commands)->summary);
    }
    fputs(".El\n", out);
    put_exit_status(out, NULL);
    put_see_also(out, family);
}
