// The contents of an image at an address, as it was linked: its segments, or its sections if it has
// none.
#ifndef TRAWL_ELF_IMAGE_PIECES_H
#define TRAWL_ELF_IMAGE_PIECES_H

#include "base/vec.h"
#include "elf/image.h"

// From `first` to just before `end`; the first `file_bytes` of them are in the file.
struct image_piece {
    uint64_t first, end;
    uint64_t file_offset, file_bytes;
};

// All zero is empty.
struct image_pieces {
    const struct image *image;
    VEC(, struct image_piece) items; // in the order of the file, LIMIT_IMAGE_PIECES at most
};

// Finds what is loaded, or only the code of it. The image must outlive it. STATUS_MEMORY or
// STATUS_OK; freed either way by image_pieces_free.
enum status image_pieces_find(struct image_pieces *pieces, const struct image *image, bool is_code,
                              struct error *err);
void image_pieces_free(struct image_pieces *pieces);

bool image_pieces_have(const struct image_pieces *pieces, uint64_t address);

// Reads bytes at an address. False: the file does not have them all.
bool image_pieces_read(const struct image_pieces *pieces, uint64_t address, uint8_t *bytes,
                       size_t size_bytes);

#endif
