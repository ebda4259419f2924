// The source lines that an index stores from the given images (SECTION_SOURCE_LINES).
#ifndef TRAWL_SESSION_INDEX_LINES_H
#define TRAWL_SESSION_INDEX_LINES_H

#include "elf/image_set.h"
#include "idx/parts.h"

// Writes the section: the address space, cut where the images' answer changes. If the DWARF of an
// image cannot be read, it has no lines; *left_out then describes the first such image, and is
// otherwise unchanged. If all images have more than LIMIT_SOURCE_PLACES places together, no lines
// are stored, and *left_out says so. `left_out` may be NULL. False: no memory.
bool index_lines_write(const struct image_set *images, struct parts_writer *parts,
                       struct error *left_out);

#endif
