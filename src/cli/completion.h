// Scripts for completion in shells, made from the same tables as the help: names of commands and
// options; values and arguments are completed as files.
#ifndef TRAWL_CLI_COMPLETION_H
#define TRAWL_CLI_COMPLETION_H

#include "cli/command_spec.h"

#include <stdio.h>

// Print the script for a shell, for trawl's own commands and for all its other names.
void completion_print_bash(FILE *out, const struct command_spec *const *commands);
void completion_print_zsh(FILE *out, const struct command_spec *const *commands);
void completion_print_fish(FILE *out, const struct command_spec *const *commands);

#endif
