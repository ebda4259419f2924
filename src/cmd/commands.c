#include "cmd/commands.h"

#define COMMAND_ADDRESS(name) &name##_command,
const struct command_spec *const all_commands[] = {ALL_COMMANDS(COMMAND_ADDRESS) NULL};
