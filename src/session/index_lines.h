// The source lines that an index keeps of the images that were given (SECTION_SOURCE_LINES).
#ifndef TRAWL_SESSION_INDEX_LINES_H
#define TRAWL_SESSION_INDEX_LINES_H

#include "elf/image_set.h"
#include "idx/parts.h"

// Writes the section: the address space cut where the images' answer changes. The DWARF of an image
// that cannot be read has none; *left_out then tells of the first of these, and is else as it was.
// Where all have more than LIMIT_SOURCE_PLACES it tells of that, and none is kept. NULL: it is not
// wanted. False: no memory.
bool index_lines_write(const struct image_set *images, struct parts_writer *parts,
                       struct error *left_out);

#endif
