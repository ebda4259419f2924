// The table of sections at the start of an index, and an index with another one of them.
#ifndef TRAWL_IDX_INDEX_SECTIONS_H
#define TRAWL_IDX_INDEX_SECTIONS_H

#include "idx/file_writer.h"
#include "idx/index.h"
#include "idx/index_header.h"

// A section to be written. A reader need not know it.
struct index_new_section {
    enum index_section number;
    const struct parts_writer *parts;
};

#define INDEX_NEW_SECTIONS 2

// Writes an open index again, as the file `path`, with these sections, at most INDEX_NEW_SECTIONS,
// in place of those of their numbers, which have to be the last things in the file, or besides the
// others. The file appears when it is whole. STATUS_INPUT: they stand elsewhere, there is no room
// for more, or the index was changed.
enum status index_replace_sections(struct trawl_index *index, const char *path,
                                   const struct index_new_section *wanted, size_t wanted_count,
                                   enum file_writer_io io, bool sync, struct error *err);

#endif
