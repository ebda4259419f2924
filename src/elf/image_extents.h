// The contents of an image at an address, as it was linked: its segments, or its sections if it has
// none.
#ifndef TRAWL_ELF_IMAGE_EXTENTS_H
#define TRAWL_ELF_IMAGE_EXTENTS_H

#include "base/vec.h"
#include "elf/image.h"

// From `first` to just before `end`; the first `file_bytes` of them are in the file.
struct image_extent {
    uint64_t first, end;
    uint64_t file_offset, file_bytes;
};

// All zero is empty.
struct image_extents {
    const struct image *image;
    VEC(, struct image_extent) items; // in the order of the file, LIMIT_IMAGE_EXTENTS at most
};

enum image_extents_wanted {
    EXTENTS_LOADED,
    EXTENTS_CODE,
    EXTENTS_INSTRUCTIONS, // the same by sections, if there are any: segments also have other things
    // What the program cannot write, so that it is known without a trace. By sections, if there are
    // any: segments of firmware often allow everything.
    EXTENTS_READ_ONLY,
};

// Finds what is loaded, or a part of it. The image must outlive it. STATUS_MEMORY or STATUS_OK;
// freed either way by image_extents_free.
enum status image_extents_find(struct image_extents *extents, const struct image *image,
                               enum image_extents_wanted wanted, struct error *err);
void image_extents_free(struct image_extents *extents);

bool image_extents_have(const struct image_extents *extents, uint64_t address);

// Reads bytes at an address. False: the file does not have them all.
bool image_extents_read(const struct image_extents *extents, uint64_t address, uint8_t *bytes,
                        size_t size_bytes);

#endif
