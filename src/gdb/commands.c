#include "gdb/commands.h"

#include "base/embed.h"

#ifdef __has_embed

// clang-format off
const char gdb_commands_python[] = {
#embed "commands.py" suffix(, 0)
};

const char gdb_commands_plain[] = {
#embed "commands.gdb" suffix(, 0)
};
// clang-format on

#else

EMBED(gdb_commands_python, "gdb/commands.py");
EMBED(gdb_commands_plain, "gdb/commands.gdb");

#endif
