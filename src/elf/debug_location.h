// Where a variable is, by DWARF's location descriptions (DWARF 5, 2.6). For the files of this
// floor.
#ifndef TRAWL_ELF_DEBUG_LOCATION_H
#define TRAWL_ELF_DEBUG_LOCATION_H

#include "elf/debug_value.h"

// The value of the variable that an entry describes; optimized out if it has no location.
struct debug_value debug_location_value(struct debug_frame *frame, Dwarf_Die *entry,
                                        const struct debug_type *type);

#endif
