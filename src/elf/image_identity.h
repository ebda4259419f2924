// The identity of an image, in a line of text.
#ifndef TRAWL_ELF_IMAGE_IDENTITY_H
#define TRAWL_ELF_IMAGE_IDENTITY_H

#include "base/limits.h"
#include "elf/image.h"

#define IMAGE_IDENTITY_BYTES 512

// "prog.elf, build-id 1a2b3c, moved by 0x1000"; without a build-id, the size and time of the file.
// A long name is truncated. Returns the length.
int image_identity(const struct image *image, uint64_t offset, char text[IMAGE_IDENTITY_BYTES]);

// The build-id as hexadecimal digits. False: it has none.
bool image_build_id(const struct image *image, char digits[2 * LIMIT_BUILD_ID_BYTES + 1]);

#endif
