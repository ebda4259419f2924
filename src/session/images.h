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

// Whether the image runs in turn with others: in some places of the trace nearly all instructions
// at its addresses are its own, and in others, where `with_others` matters, nearly none. Code that
// was relocated or modified is partly its own everywhere, and another build has at most its
// beginning in common. Sorts the instructions.
enum status image_fit_places(bool *runs, bool with_others, const struct image_set *images,
                             size_t number, struct trace_instruction *instructions, size_t count,
                             struct error *err);

// is_other: the image belongs to another program or another build, because more than half of at
// least 8 instructions differ. Fewer differ in code that was relocated, patched (a few instructions
// of each function), or modifies itself. is_doubtful: a quarter of at least 32 differs, which the
// user should know. is_other_build: of at least 32, more are alike than by chance, for an image
// that shares its addresses with others, and where it fits no place. is_other_core: more than half
// of at least 4 differ, for an image that fits other cores of the trace. is_changing: at a quarter
// of at least 8, other instructions were executed at other times, as where two programs have the
// same addresses.
bool image_fit_is_other(const struct image_fit *fit);
bool image_fit_is_other_build(const struct image_fit *fit);
bool image_fit_is_doubtful(const struct image_fit *fit);
bool image_fit_is_other_core(const struct image_fit *fit);
bool image_fit_is_changing(const struct image_fit *fit);

// --- Where images were loaded --------------------------------------------------------------------

// Where a position-independent image was loaded, by the instructions that the trace shows: a kernel
// with a random base (KASLR), a program or shared object, the vdso.
//
// Stretches of instructions in sequence are looked for in the code of the image, wherever it may
// be; each that is there says by how much it was moved. Two that agree, and more than for any other
// place, decide. (The register with the base of vectors, less their symbol, says the same of a
// kernel, but is written once, at boot, so most traces do not have it.) The whole code is read
// once: 40 ms for a kernel of 20 MB. An image with an offset, or that fits where it was linked, is
// not moved.

// Finds the place of a member, from instructions in the order of the trace. *is_found: `offset` is
// how much it was moved. STATUS_MEMORY or STATUS_OK.
enum status image_place_find(const struct image_set *images, size_t number,
                             const struct trace_instruction *instructions, size_t count,
                             uint64_t *offset, bool *is_found, struct error *err);

// --- Functions of images -------------------------------------------------------------------------

// Where the functions of images are, for distinguishing calls from other branches.

// Finds the functions of images where they were loaded: by symbols, or, in an image without symbols
// of functions, by the unwinding information. Compilers put rarely executed parts of a function
// elsewhere, under a name like "main.cold": that is a separate part, not a function. Damage is
// reported to `faults`. On failure the map is empty.
enum status image_functions_find(struct function_map *map, const struct image_set *images,
                                 const struct frame_functions_faults *faults, struct error *err);

#endif
