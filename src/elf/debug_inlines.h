// The inlined functions at an address, according to the DWARF of an image.
#ifndef TRAWL_ELF_DEBUG_INLINES_H
#define TRAWL_ELF_DEBUG_INLINES_H

#include "elf/debug_info.h"
#include "elf/lines.h"

// A function at an address, and the place where it was inlined into the next one. Texts live as
// long as the debugging information.
struct debug_inline {
    const char *name; // NULL: none
    const char *file; // of the call, without directories; NULL: unknown, or it was not inlined
    uint32_t line;    // likewise; 0: unknown
    uint64_t entry;   // identifies this inlining
    struct source_location call; // the same place, with its directories, without a line
};

// The functions at a PC (as linked), the innermost first; the last was not inlined. Returns how
// many were written, at most `capacity`; 0: no DWARF describes a function there.
size_t debug_inlines(struct debug_info *info, uint64_t pc, struct debug_inline *chain,
                     size_t capacity);

#endif
