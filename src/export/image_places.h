// Addresses as an image and an address within it, which is the same in every run of the image,
// wherever it was loaded.
#ifndef TRAWL_EXPORT_IMAGE_PLACES_H
#define TRAWL_EXPORT_IMAGE_PLACES_H

#include "base/limits.h"
#include "elf/image_set.h"

// What an image is known by: its build-id, in hexadecimal digits; without one "file-" and a hash of
// its size and of pages of it (base/fingerprint.h).
struct image_name {
    char text[2 * LIMIT_BUILD_ID_BYTES + 1];
};

struct image_places {
    const struct image_set *images;
    struct image_name *names; // of each; "": it can no longer be read
};

struct image_place {
    const char *image; // NULL: none has it
    uint64_t address;  // in the image, as it was linked
};

// `images` stays as it is and outlives it. False: no memory.
bool image_places_init(struct image_places *places, const struct image_set *images);
void image_places_free(struct image_places *places);

// Of an address without the Thumb bit.
struct image_place image_places_find(const struct image_places *places, uint64_t address);

#endif
