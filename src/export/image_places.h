// Addresses as an image and an address in it, which are the same in every run, wherever the image
// was loaded.
#ifndef TRAWL_EXPORT_IMAGE_PLACES_H
#define TRAWL_EXPORT_IMAGE_PLACES_H

#include "base/limits.h"
#include "elf/image_set.h"

// The identity of an image: its build-id in hexadecimal digits; without one, "file-" and a hash of
// its size and of some of its pages (base/fingerprint.h).
struct image_name {
    char text[2 * LIMIT_BUILD_ID_BYTES + 1];
};

struct image_places {
    const struct image_set *images;
    struct image_name *names; // of each; "": no longer readable
};

struct image_place {
    const char *image; // NULL: in none
    uint64_t address;  // in the image, as it was linked
};

// `images` must outlive it and not change. False: no memory.
bool image_places_init(struct image_places *places, const struct image_set *images);
void image_places_free(struct image_places *places);

// Of an address without the Thumb bit.
struct image_place image_places_find(const struct image_places *places, uint64_t address);

#endif
