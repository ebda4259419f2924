// The table of sections at the start of an index, and an index with another one of them.
#ifndef TRAWL_IDX_INDEX_SECTIONS_H
#define TRAWL_IDX_INDEX_SECTIONS_H

#include "idx/file_writer.h"
#include "idx/index.h"

// The header of a file of `size_bytes` with these sections.
void index_header_make(uint8_t header[INDEX_HEADER_BYTES],
                       const struct index_section_entry *sections, size_t count,
                       uint64_t size_bytes);

// Writes an open index again, as the file `path`, with the section in place of the one of that
// number, which has to be the last thing in the file, or besides the others. A reader need not know
// it. The file appears when it is whole. STATUS_INPUT: the section stands elsewhere, there is no
// room for another, or the index was changed.
enum status index_replace_section(struct trawl_index *index, const char *path,
                                  enum index_section number, const struct parts_writer *parts,
                                  enum file_writer_io io, bool sync, struct error *err);

#endif
