// Where functions are according to unwind information: call frame information (.debug_frame,
// .eh_frame) and SFrame have a range for each. The loaded part of these stays when symbols are
// stripped.
#ifndef TRAWL_ELF_FRAME_FUNCTIONS_H
#define TRAWL_ELF_FRAME_FUNCTIONS_H

#include "base/vec.h"
#include "elf/image.h"

struct frame_function {
    uint64_t start, size; // as the image was linked, without the Thumb bit
    bool is_part;         // its frame exists from the start: another function branches to it
};

// All zero is empty; freed by free(functions.items).
VEC(frame_functions, struct frame_function);

// Receives reports of damage.
struct frame_functions_faults {
    void *self;
    void (*fault)(void *self, const struct error *err);
};

// Finds them, in no order; a function may come twice. Damage is reported to `faults`, once for
// each kind of table, and left out. Objects, whose addresses count from sections, have none.
// STATUS_MEMORY or STATUS_OK; freed by the caller either way.
enum status frame_functions_find(struct frame_functions *functions, const struct image *image,
                                 const struct frame_functions_faults *faults, struct error *err);

#endif
