// The first bytes of an index, and of a part of one: magic, version, and where its sections are
// (index_format.h).
#ifndef TRAWL_IDX_INDEX_HEADER_H
#define TRAWL_IDX_INDEX_HEADER_H

#include "idx/index_format.h"

// The header of a file of `size_bytes` with these sections; `magic` has eight bytes.
void index_header_make(uint8_t header[INDEX_HEADER_BYTES], const char *magic,
                       const struct index_section_entry *sections, size_t count,
                       uint64_t size_bytes);

enum header_fault {
    HEADER_SOUND,
    HEADER_STRANGE, // another kind of file
    HEADER_OTHER_VERSION,
    HEADER_DAMAGED,
    HEADER_CUT, // the file has not the length that it says
    HEADER_TOO_MANY_SECTIONS,
};

// The sections of a file, INDEX_SECTIONS_MAX at most, of which `size_bytes` can be read.
enum header_fault index_header_read(const uint8_t *file, uint64_t size_bytes, const char *magic,
                                    struct index_section_entry *sections, size_t *count);

// The major version of a header that has INDEX_HEADER_BYTES.
unsigned index_header_major(const uint8_t *file);

#endif
