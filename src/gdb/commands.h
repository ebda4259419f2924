// Commands for GDB itself, which must look again after the position has changed, and which knows
// where its expressions are: for one with Python, and as far as they go for others.
#ifndef TRAWL_GDB_COMMANDS_H
#define TRAWL_GDB_COMMANDS_H

extern const char gdb_commands_python[];
extern const char gdb_commands_plain[];

#endif
