// A command that is a family of commands: `trawl xray account`.
#ifndef TRAWL_CLI_SUBCOMMANDS_H
#define TRAWL_CLI_SUBCOMMANDS_H

#include "cli/options.h"

// Runs the command of `family` named by the first argument, or lists them.
enum exit_status subcommands_run(const struct command_spec *family, int argc, char *const *argv);

#endif
