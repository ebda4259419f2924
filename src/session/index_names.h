// The names that an index keeps of the images that were given when it was made (SECTION_SYMBOLS).
#ifndef TRAWL_SESSION_INDEX_NAMES_H
#define TRAWL_SESSION_INDEX_NAMES_H

#include "elf/image_set.h"
#include "idx/file_writer.h"
#include "idx/parts.h"
#include "idx/trawl.h"

// Writes the section: what each address is called, just as the images say. False: no memory.
bool index_names_write(const struct image_set *images, struct parts_writer *parts);

// Whether the index keeps the names of just these images. Fails where it is damaged.
enum status index_names_fit(struct trawl_index *index, const struct image_set *images, bool *fits,
                            struct error *err);

// Writes the index in the file `path`, which is open as `index`, again with the names of these
// images in place of those that it has: nothing else is made anew. It appears whole or not at all,
// and whoever reads the old one goes on to.
enum status index_names_replace(struct trawl_index *index, const char *path,
                                const struct image_set *images, enum file_writer_io io, bool sync,
                                struct error *err);

#endif
