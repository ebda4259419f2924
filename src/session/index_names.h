// The names that an index keeps of the images that were given when it was made (SECTION_SYMBOLS),
// and with them their source lines.
#ifndef TRAWL_SESSION_INDEX_NAMES_H
#define TRAWL_SESSION_INDEX_NAMES_H

#include "analysis/names.h"
#include "idx/file_writer.h"
#include "idx/parts.h"
#include "idx/trawl.h"

// Writes the sections: what each PC is called, just as the images of `names` say (each address, or
// with ids each function), and which lines they are from (index_lines.h has *left_out; of ids no
// line is known). False: no memory.
bool index_names_write(const struct names *names, struct parts_writer *symbols,
                       struct parts_writer *lines, struct error *left_out);

// Whether the index keeps the names and lines of just these images. Fails where it is damaged.
enum status index_names_fit(struct trawl_index *index, const struct names *names, bool *fits,
                            struct error *err);

// Writes the index in the file `path`, which is open as `index`, again with the names and source
// lines (index_lines.h has *left_out) of these images in place of those that it has: nothing else
// is made again. It appears whole or not at all, and whoever reads the old one continues to.
enum status index_names_replace(struct trawl_index *index, const char *path,
                                const struct names *names, enum file_writer_io io, bool sync,
                                struct error *left_out, struct error *err);

#endif
