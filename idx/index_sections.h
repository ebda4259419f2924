// Writes an index again with some of its sections replaced.
#ifndef TRAWL_IDX_INDEX_SECTIONS_H
#define TRAWL_IDX_INDEX_SECTIONS_H

#include "idx/file_writer.h"
#include "idx/index.h"
#include "idx/index_header.h"

// A section to be written, which readers may skip.
struct index_new_section {
    enum index_section number;
    const struct parts_writer *parts;
};

#define INDEX_NEW_SECTIONS 2

// Writes an open index again, as the file `path`, with these sections (at most INDEX_NEW_SECTIONS).
// They replace sections with the same number, which must be at the end of the file; others are
// added. The file appears when it is complete. STATUS_INPUT: the sections are elsewhere in the
// file, there is no room for more, or the index was changed.
enum status index_replace_sections(struct trawl_index *index, const char *path,
                                   const struct index_new_section *wanted, size_t wanted_count,
                                   enum file_writer_io io, bool sync, struct error *err);

#endif
