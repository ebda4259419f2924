// A question about a stopped program (dwarf/debug_values.h) and what all of its parts share: the
// scopes around the PC, names, and memory. For the files of this layer.
#ifndef TRAWL_DWARF_DEBUG_FRAME_H
#define TRAWL_DWARF_DEBUG_FRAME_H

#include "dwarf/debug_info.h"
#include "dwarf/debug_type.h"
#include "dwarf/split_units.h"
#include "elf/cfi.h"
#include "elf/lines.h"

struct debug_frame {
    struct debug_info *info;
    const struct debug_point *point;
    struct debug_types types;
    uint64_t pc; // as linked
    bool has_unit;
    Dwarf_Die unit;
    const struct split_unit *split; // the unit of the scopes; NULL: they are in the image itself
    // From the outermost function to the innermost block; `inlined` is the index of the last one
    // that is a function, 0 if none is inlined.
    Dwarf_Die scopes[LIMIT_DEBUG_SCOPES];
    size_t scope_count, inlined;
};

// Begins a question; `point` may be NULL for one that only asks about `pc`, as linked. Ended by
// debug_frame_end in any case.
void debug_frame_begin(struct debug_frame *frame, struct debug_info *info,
                       const struct debug_point *point, uint64_t pc);
void debug_frame_end(struct debug_frame *frame);

// Finds a name at the point: the innermost variable, then those of the unit, then of all units.
// Scopes of other functions are not searched. False: not found.
bool debug_frame_name(struct debug_frame *frame, const char *name, Dwarf_Die *found);

// The type of a name, as "struct node" or "small".
bool debug_frame_type_name(struct debug_frame *frame, const char *name, Dwarf_Die *found);

// The file with a number from an entry of the unit at the PC, as a place without a line. False:
// none.
bool debug_frame_file(const struct debug_frame *frame, uint64_t number,
                      struct source_location *out);

// Memory as it was collected, otherwise from read-only sections of the image.
void debug_frame_memory(struct debug_frame *frame, uint64_t address, size_t size_bytes,
                        uint8_t *bytes, uint8_t *known);

// The canonical frame address of the function at the point. False: unknown.
bool debug_frame_cfa(struct debug_frame *frame, uint64_t *cfa);

// A number of up to 8 bytes in the byte order of the target.
uint64_t debug_load(const struct debug_frame *frame, const uint8_t *bytes, size_t size_bytes);
void debug_store(const struct debug_frame *frame, uint64_t value, uint8_t *bytes,
                 size_t size_bytes);

#endif
