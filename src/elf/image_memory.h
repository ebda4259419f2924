// The read-only bytes of images as memory: what a trace need not show to be known, because no
// program changes it: constants, names, tables of jumps, code.
//
// Which sections are writable is what counts: segments of firmware are often writable as a whole.
// If an image has no sections, its segments count.
#ifndef TRAWL_ELF_IMAGE_MEMORY_H
#define TRAWL_ELF_IMAGE_MEMORY_H

#include "elf/image_extents.h"
#include "elf/image_set.h"

// The address of the first byte in memory, and its extents as they were linked.
struct image_memory_part {
    struct image_extents extents;
    uint64_t offset, address_mask; // of the member
    size_t member;
};

// All zero is empty.
struct image_memory {
    const struct image_set *images;
    VEC(, struct image_memory_part) parts;
};

// Finds them. The images must outlive it. STATUS_MEMORY or STATUS_OK; freed either way by
// image_memory_free.
enum status image_memory_find(struct image_memory *memory, const struct image_set *images,
                              struct error *err);
void image_memory_free(struct image_memory *memory);

// Sets the bytes of [address, address + size) that are not known and that an image has; their
// known[] becomes IMAGE_MEMORY_KNOWN. Returns whether there are any.
#define IMAGE_MEMORY_KNOWN 2
bool image_memory_fill(const struct image_memory *memory, uint64_t address, size_t size_bytes,
                       uint8_t *values, uint8_t *known);

#endif
