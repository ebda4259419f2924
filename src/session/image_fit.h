// Whether an image is that of the program that was traced: whether it has the instructions that the
// trace shows.
#ifndef TRAWL_SESSION_IMAGE_FIT_H
#define TRAWL_SESSION_IMAGE_FIT_H

#include "elf/image_set.h"
#include "trace/trace.h"

// Distinct addresses of instructions that both show, and those of them where the image has
// something else; of the lowest of these what either has.
struct image_fit {
    size_t compared, different;
    uint64_t address;
    uint32_t in_trace, in_image;
    unsigned size_bytes;
};

// Compares one image of a set with instructions of the trace, which are put in order. What an
// address has at any time counts, so that code that changes itself fits where it has not yet.
// STATUS_MEMORY or STATUS_OK.
enum status image_fit_compare(struct image_fit *fit, const struct image_set *images, size_t number,
                              struct trace_instruction *instructions, size_t count,
                              struct error *err);

// Whether the image is another program's, or another build's: more than half of at least 8
// instructions differ. Code that was relocated, patched (a few instructions of each function) or
// that changes itself differs in less. And whether a quarter of at least 32 does, which is worth a
// word.
bool image_fit_is_other(const struct image_fit *fit);
bool image_fit_is_doubtful(const struct image_fit *fit);

#endif
