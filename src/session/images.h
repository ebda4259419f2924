// Images of a session: which ones fit the trace, and the functions that they know.
#ifndef TRAWL_SESSION_IMAGES_H
#define TRAWL_SESSION_IMAGES_H

#include "elf/frame_functions.h"
#include "elf/image_set.h"
#include "flow/function_map.h"
#include "trace/trace.h"

// --- Whether images fit the trace ----------------------------------------------------------------

// Whether an image belongs to the program that was traced: whether it contains the instructions
// that the trace shows.

// The number of distinct addresses of instructions that both have, of those where the image has
// something else, and of those where the trace also shows something else than the image has; for
// the lowest that differs (if none does: that changes), the contents of both.
struct image_fit {
    size_t compared, different, changed;
    uint64_t address;
    uint32_t in_trace, in_image;
    unsigned size_bytes;
};

// Compares an image of a set with instructions of the trace, which it sorts. An address fits if the
// trace showed the image's contents there at any time: so code that modifies itself fits where it
// was not modified yet. STATUS_MEMORY or STATUS_OK.
enum status image_fit_compare(struct image_fit *fit, const struct image_set *images, size_t number,
                              struct trace_instruction *instructions, size_t count,
                              struct error *err);

// is_other: the image belongs to another program or another build, because more than half of at
// least 8 instructions differ. Fewer differ in code that was relocated, patched (a few instructions
// of each function), or modifies itself. is_doubtful: a quarter of at least 32 differs, which the
// user should know. is_other_core: more than half of at least 4 differ, for an image that fits
// other cores of the trace. is_changing: at a quarter of at least 8, other instructions were
// executed at other times, as where two programs have the same addresses.
bool image_fit_is_other(const struct image_fit *fit);
bool image_fit_is_doubtful(const struct image_fit *fit);
bool image_fit_is_other_core(const struct image_fit *fit);
bool image_fit_is_changing(const struct image_fit *fit);

// --- Functions of images -------------------------------------------------------------------------

// Where the functions of images are, for distinguishing calls from other branches.

// Finds the functions of images where they were loaded: by symbols, or, in an image without symbols
// of functions, by the unwinding information. Compilers put rarely executed parts of a function
// elsewhere, under a name like "main.cold": that is a separate part, not a function. Damage is
// reported to `faults`. On failure the map is empty.
enum status image_functions_find(struct function_map *map, const struct image_set *images,
                                 const struct frame_functions_faults *faults, struct error *err);

#endif
