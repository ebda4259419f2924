#include "cmd/commands.h"

#define COMMAND_ADDRESS(name) &name##_command,
const struct command_spec *const all_commands[] = {ALL_COMMANDS(NO_PURPOSE, COMMAND_ADDRESS) NULL};

#define PURPOSE_LINE(text) {text, NULL},
#define COMMAND_LINE(name) {NULL, &name##_command},
const struct overview_line overview[] = {ALL_COMMANDS(PURPOSE_LINE, COMMAND_LINE){0}};
