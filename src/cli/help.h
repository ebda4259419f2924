// How a command describes itself, and the help texts that are made of it. One renderer for both
// option sets: for the tarmac-* names its layout is that of the Tarmac Trace Utilities byte for
// byte.
#ifndef TRAWL_CLI_HELP_H
#define TRAWL_CLI_HELP_H

#include "base/base.h"
#include "cli/diag.h"

#include <stdio.h>

// --- Commands and their options ------------------------------------------------------------------

// The name, texts and arguments of a command: the one table from which its options are read and its
// help is made.

// Whose options, words of complaint and exit statuses a command has: our own, or those of the
// Tarmac Trace Utilities under the tarmac-* names.
enum option_set { OPTIONS_TRAWL, OPTIONS_TTU };

// Room for the description of what a command takes, with its NUL.
#define OPTION_INPUT_BYTES 200

// Sets of alternatives that a command may have.
#define OPTION_ALTERNATIVES_MAX 5

struct option_spec {
    int id;              // above 0; 0 ends a table
    char letter;         // short name, 0 for none
    const char *names;   // long names without dashes, "colour,color"; NULL for none
    const char *metavar; // name of the value in the help; NULL for an option without a value
    const char *help;    // NULL keeps the option out of the help and of suggestions
};

// Options that are shown together, so that commands can share a table.
struct option_group {
    const char *title; // heading in the help; NULL continues under the heading above
    const struct option_spec *options; // NULL ends an array of groups
};

// Options that many commands have. The help of one of them explains its own options and the usual
// ones of these, and only names the others; `trawl help options` explains them.
struct common_options {
    const struct option_group *groups;
    const int *usual; // ids, ended by 0
};

struct positional_spec {
    const char *metavar; // NULL ends a table
    const char *help;    // with {input} where command_spec.describe_input goes
    const char *missing; // the message if it is not given; NULL for the usual one
    bool optional;
    bool repeated; // only the last may be
};

// Who runs a command if it is not a user at a terminal: a program that it is linked into
// (lib/library.h). It gets the messages and the answer.
struct command_host {
    FILE *messages;             // instead of standard error
    struct error failure;       // the last one, with its place; STATUS_OK: none
    char *text;                 // of the answer, if it is not a table; owned by the host
    struct arrow *rows;         // of a table, all of them (report/table.h, table_begin_kept)
    struct table_column *shown; // its columns, with room for TRACE_COLUMNS_MAX
    size_t shown_count;         // 0: the answer is no table
    const char *tick_unit;
};

struct command_spec {
    const char *name; // "profile" for `trawl profile`, "" for `trawl` itself, "tarmac-profile"
    enum option_set option_set;
    const char *summary;     // half a line for the list of commands; NULL keeps it off the list
    const char *description; // paragraphs for the help, separated by '\n'; NULL for none
    const struct option_group *groups;         // NULL for none; the first heading is its own
    const struct common_options *common;       // NULL: its help explains all of its options
    const struct positional_spec *positionals; // NULL for none
    // For a family of commands: their list, ended by NULL; their names begin with the family's and
    // a space. NULL for a single command.
    const struct command_spec *const *commands;
    // Options of which at most one may be given: sets of ids, each set ended by 0, all ended by
    // another 0. NULL for none.
    const int *alternatives;
    const char *examples; // command lines, each ended by '\n'; NULL for none
    unsigned needs;       // abilities that its input must have; defined by the program
    // Describes the input that it takes, from `needs`: "Tarmac trace or XRay log". NULL: {input} is
    // not used.
    void (*describe_input)(const struct command_spec *self, char text[OPTION_INPUT_BYTES]);
    const char *answers[2]; // what the statuses 0 and 1 mean: a sentence each; it ends with 2 if it
                            // failed. NULL: 0 done, 1 failed
    bool takes_one_dash;    // one dash before long names is accepted, and `-m=FILE`, as in LLVM's
                            // tools
    struct command_host *host; // NULL: a user at a terminal
    // Runs the command with the arguments that follow its name.
    enum exit_status (*run)(const struct command_spec *self, int argc, char *const *argv);
};

// Where its messages go.
static inline FILE *messages_of(const struct command_spec *command)
{
    return command->host ? command->host->messages : stderr;
}

// --- help.c --------------------------------------------------------------------------------------

// The text before the command's own name: "trawl ", "trawl" for the program itself, nothing for a
// tarmac-* name.
const char *help_program_prefix(const struct command_spec *command);

enum help_extent { HELP_USUAL, HELP_COMPLETE }; // which options are explained: the usual or all

// Prints the help of one command: usage, description, options, positionals, examples.
void help_print(FILE *out, const struct command_spec *command, enum help_extent extent);

// Prints the output of `trawl help options`: what many commands have in common.
void help_print_common(FILE *out, const struct common_options *common);

// A line of the overview: a purpose, for the commands after it, or a command.
struct overview_line {
    const char *purpose; // NULL: a command
    const struct command_spec *command;
};

// Prints the output of `trawl help`: purposes, each with its commands and an example, the first one
// of its first command; and the exit statuses. Ended by a line without either.
void help_overview(FILE *out, const struct overview_line *lines);

// The same for a family of commands, whose names begin with its own and a space.
void help_family(FILE *out, const struct command_spec *family);

// The command `name` (in its family), in either option set, or NULL. The caller handles `help` and
// options.
const struct command_spec *help_find_command(const struct command_spec *family,
                                             const struct command_spec *const *commands,
                                             const char *name);

// Complains about a command that does not exist and suggests the one that may have been meant.
void help_unknown_command(FILE *out, const struct command_spec *family,
                          const struct command_spec *const *commands, const char *name);

// Whether a command is in the overview.
bool help_is_listed(const struct command_spec *command);

// Room for the description of an argument, with its NUL.
#define HELP_ARGUMENT_BYTES (2 * OPTION_INPUT_BYTES)

// The help of an argument, with {input} replaced by what the command takes.
void help_describe_argument(const struct command_spec *command,
                            const struct positional_spec *positional,
                            char text[HELP_ARGUMENT_BYTES]);

// --- completion.c --------------------------------------------------------------------------------

// Scripts for completion in shells, made from the same tables as the help: names of commands and
// options; values and arguments are completed as files.

// Print the script for a shell, for trawl's own commands and for all its other names.
void completion_print_bash(FILE *out, const struct command_spec *const *commands);
void completion_print_zsh(FILE *out, const struct command_spec *const *commands);
void completion_print_fish(FILE *out, const struct command_spec *const *commands);

// --- manual.c ------------------------------------------------------------------------------------

// The manual page of a command in mdoc(7), from the table that its help is made from.

// The details of a page that are not in the table.
struct manual_edition {
    const char *version; // as "1.1.0"
    const char *date;    // as in "November 22, 2026"
};

// Room for the name of a page, with its NUL.
#define MANUAL_NAME_BYTES 64

// The name of a command's page: "trawl-xray-account", "tarmac-profile"; of `trawl` itself, which is
// NULL, "trawl".
void manual_name(const struct command_spec *command, char name[MANUAL_NAME_BYTES]);

// Prints the page of a command.
void manual_print(FILE *out, const struct command_spec *command,
                  const struct manual_edition *edition);

// Prints the page of a family of commands, by its list; NULL: of trawl itself.
void manual_print_family(FILE *out, const struct command_spec *family,
                         const struct command_spec *const *commands,
                         const struct manual_edition *edition);

#endif
