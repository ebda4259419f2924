// The first bytes of an index, and of a part of one: magic, version, and the table of sections
// (index_format.h).
#ifndef TRAWL_IDX_INDEX_HEADER_H
#define TRAWL_IDX_INDEX_HEADER_H

#include "idx/index_format.h"

// Makes the header of a file of `size_bytes` with these sections; `magic` has eight bytes.
void index_header_make(uint8_t header[INDEX_HEADER_BYTES], const char *magic,
                       const struct index_section_entry *sections, size_t count,
                       uint64_t size_bytes);

enum header_fault {
    HEADER_SOUND,
    HEADER_STRANGE, // a different kind of file
    HEADER_OTHER_VERSION,
    HEADER_DAMAGED,
    HEADER_CUT, // the file is not as long as the header says
    HEADER_TOO_MANY_SECTIONS,
};

// Reads the table of sections of a file, INDEX_SECTIONS_MAX at most. `size_bytes` bytes can be
// read.
enum header_fault index_header_read(const uint8_t *file, uint64_t size_bytes, const char *magic,
                                    struct index_section_entry *sections, size_t *count);

// The major version in a header of INDEX_HEADER_BYTES bytes.
unsigned index_header_major(const uint8_t *file);

#endif
