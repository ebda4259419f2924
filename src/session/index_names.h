// The names of the images given when an index is made, which the index stores (SECTION_SYMBOLS),
// together with their source lines.
#ifndef TRAWL_SESSION_INDEX_NAMES_H
#define TRAWL_SESSION_INDEX_NAMES_H

#include "elf/image_set.h"
#include "idx/file_writer.h"
#include "idx/parts.h"
#include "idx/trawl.h"
#include "names/names.h"

// Writes the sections: the name of each PC according to the images of `names` (of each address, or
// for ids of each function), and its source lines (index_lines_write defines *left_out; ids have no
// lines). False: no memory.
bool index_names_write(const struct names *names, struct parts_writer *symbols,
                       struct parts_writer *lines, struct error *left_out);

// Whether the index contains the names and lines of exactly these images. Fails if it is damaged.
enum status index_names_fit(struct trawl_index *index, const struct names *names, bool *fits,
                            struct error *err);

// Writes the index in the file `path`, which is open as `index`, again with the names and source
// lines of these images (index_lines_write defines *left_out) in place of its own; nothing else is
// built again. The new index appears whole or not at all, and readers of the old one can continue.
enum status index_names_replace(struct trawl_index *index, const char *path,
                                const struct names *names, enum file_writer_io io, bool sync,
                                struct error *left_out, struct error *err);

// --- Source lines (index_lines.c) ----------------------------------------------------------------

// Writes the section: the address space, cut where the images' answer changes. If the DWARF of an
// image cannot be read, it has no lines; *left_out then describes the first such image, and is
// otherwise unchanged. If all images have more than LIMIT_SOURCE_PLACES places together, no lines
// are stored, and *left_out says so. `left_out` may be NULL. False: no memory.
bool index_lines_write(const struct image_set *images, struct parts_writer *parts,
                       struct error *left_out);

#endif
