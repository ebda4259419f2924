// What a name in DWARF stands for. For the files of this floor.
#ifndef TRAWL_ELF_DEBUG_VARIABLE_H
#define TRAWL_ELF_DEBUG_VARIABLE_H

#include "elf/debug_value.h"

// What a variable, a parameter, a function or a constant has.
struct debug_value debug_variable(struct debug_frame *frame, Dwarf_Die *entry);

#endif
