// A command that is a family of commands: `trawl xray account`.
#ifndef TRAWL_CLI_SUBCOMMANDS_H
#define TRAWL_CLI_SUBCOMMANDS_H

#include "cli/options.h"

// Runs the command of `family` that the first argument names, or lists them. Their names begin with
// the family's and a blank; the list ends with NULL.
enum exit_status subcommands_run(const struct command_spec *family,
                                 const struct command_spec *const *commands, int argc,
                                 char *const *argv);

#endif
