// The first bytes of an index, and of a part of one: magic, version, and the table of sections
// (index_format.h). The header has room for 20; a file with more has SECTION_FURTHER, a check and
// the rest of the table, so that files with fewer are as ever, and older readers refuse it for a
// section that they have to know.
#ifndef TRAWL_IDX_INDEX_HEADER_H
#define TRAWL_IDX_INDEX_HEADER_H

#include "idx/index_format.h"

#define INDEX_FURTHER_ROOM_BYTES (4 + INDEX_SECTIONS_MAX * INDEX_SECTION_BYTES)

// The bytes of the list of those sections for which the header has no room; 0 if it has.
uint64_t index_further_bytes(size_t count);

// Makes that list, which has to be at the end of the file.
void index_further_make(uint8_t *bytes, const struct index_section_entry *sections, size_t count);

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

// Reads the table of sections in a header, INDEX_HEADER_SECTIONS at most. Its bytes can be read, of
// a file of `size_bytes`.
enum header_fault index_header_read(const uint8_t *file, uint64_t size_bytes, const char *magic,
                                    struct index_section_entry *sections, size_t *count);

// Adds to a table of INDEX_SECTIONS_MAX those sections that the file lists elsewhere, and takes
// SECTION_FURTHER, where they are listed, out of it. All of the file can be read.
enum header_fault index_further_read(const uint8_t *file, uint64_t size_bytes,
                                     struct index_section_entry *sections, size_t *count,
                                     struct index_section_entry *further);

// The major version in a header of INDEX_HEADER_BYTES bytes.
unsigned index_header_major(const uint8_t *file);

#endif
