// A question about a stopped program (elf/debug_values.h) and what all of its parts share: the
// scopes around the PC, names, and memory. For the files of this floor.
#ifndef TRAWL_ELF_DEBUG_FRAME_H
#define TRAWL_ELF_DEBUG_FRAME_H

#include "elf/cfi.h"
#include "elf/debug_info.h"
#include "elf/debug_type.h"
#include "elf/lines.h"
#include "elf/split_units.h"

struct debug_frame {
    struct debug_info *info;
    const struct debug_point *point;
    struct debug_types types;
    uint64_t pc; // as linked
    bool has_unit;
    Dwarf_Die unit;
    const struct split_unit *split; // that the scopes are of; NULL: they are of the image itself
    // From the function outward in to the innermost block; `inlined` is the last of them that is a
    // function, which is 0 except for inlined ones.
    Dwarf_Die scopes[LIMIT_DEBUG_SCOPES];
    size_t scope_count, inlined;
};

// Begins a question; `point` may be NULL for one that only asks about `pc`, as linked. Ended by
// debug_frame_end in any case.
void debug_frame_begin(struct debug_frame *frame, struct debug_info *info,
                       const struct debug_point *point, uint64_t pc);
void debug_frame_end(struct debug_frame *frame);

// What a name means at the point: the innermost variable, then those of its unit, then of all. The
// scopes of other functions are not looked into. False: nothing.
bool debug_frame_name(struct debug_frame *frame, const char *name, Dwarf_Die *found);

// The type of a name, as "struct node" or "small".
bool debug_frame_type_name(struct debug_frame *frame, const char *name, Dwarf_Die *found);

// The file of a number that entries of the unit at the PC have, without directories. NULL: none.
const char *debug_frame_file(const struct debug_frame *frame, uint64_t number);

// Memory as it was collected, else what sections of the image have that nobody writes.
void debug_frame_memory(struct debug_frame *frame, uint64_t address, size_t size_bytes,
                        uint8_t *bytes, uint8_t *known);

// The canonical frame address of the function at the point. False: it is unknown.
bool debug_frame_cfa(struct debug_frame *frame, uint64_t *cfa);

// A number of up to 8 bytes in the order of the target.
uint64_t debug_load(const struct debug_frame *frame, const uint8_t *bytes, size_t size_bytes);
void debug_store(const struct debug_frame *frame, uint64_t value, uint8_t *bytes,
                 size_t size_bytes);

#endif
