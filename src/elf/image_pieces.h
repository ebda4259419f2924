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

enum image_pieces_wanted {
    PIECES_LOADED,
    PIECES_CODE,
    PIECES_INSTRUCTIONS, // the same by sections, if there are any: segments also have other things
    // What the program cannot write, so that it is known without a trace. By sections, if there are
    // any: segments of firmware often allow everything.
    PIECES_READ_ONLY,
};

// Finds what is loaded, or a part of it. The image must outlive it. STATUS_MEMORY or STATUS_OK;
// freed either way by image_pieces_free.
enum status image_pieces_find(struct image_pieces *pieces, const struct image *image,
                              enum image_pieces_wanted wanted, struct error *err);
void image_pieces_free(struct image_pieces *pieces);

bool image_pieces_have(const struct image_pieces *pieces, uint64_t address);

// Reads bytes at an address. False: the file does not have them all.
bool image_pieces_read(const struct image_pieces *pieces, uint64_t address, uint8_t *bytes,
                       size_t size_bytes);

#endif
