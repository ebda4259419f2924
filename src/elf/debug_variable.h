// The values of names in DWARF. For the files of this layer.
#ifndef TRAWL_ELF_DEBUG_VARIABLE_H
#define TRAWL_ELF_DEBUG_VARIABLE_H

#include "elf/debug_value.h"

// The value of a variable, a parameter, a function or a constant.
struct debug_value debug_variable(struct debug_frame *frame, Dwarf_Die *entry);

#endif
