// The help texts. One renderer for both manners: for the tarmac-* names its layout is that of the
// Tarmac Trace Utilities byte for byte.
#ifndef TRAWL_CLI_HELP_H
#define TRAWL_CLI_HELP_H

#include "cli/command_spec.h"

#include <stdio.h>

// --- help.c --------------------------------------------------------------------------------------

// The text before the command's own name: "trawl ", "trawl" for the program itself, nothing for a
// tarmac-* name.
const char *help_program_prefix(const struct command_spec *command);

// Prints the help of one command: usage, description, options, positionals, examples.
void help_print(FILE *out, const struct command_spec *command);

// Prints the output of `trawl help`: the commands of the list that have a summary, and the exit
// statuses. The list ends with NULL. `family` is the command to which they belong, with whose name
// and a space their names begin; NULL: trawl itself.
void help_overview(FILE *out, const struct command_spec *family,
                   const struct command_spec *const *commands);

// The command `name` (in its family), in either manner, or NULL. The caller handles `help` and
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
