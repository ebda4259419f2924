// Values as GDB prints those of C: {x = 1, y = 2}, 0x404010 <counter>, "text", '\000' <repeats 12
// times>. For the files of this floor.
#ifndef TRAWL_ELF_DEBUG_PRINT_H
#define TRAWL_ELF_DEBUG_PRINT_H

#include "elf/debug_value.h"

// Writes a value. `is_whole`: it is the requested value itself, so a pointer is printed with its
// type.
void debug_print(struct debug_frame *frame, const struct debug_value *value, bool is_whole,
                 struct out *out);

#endif
