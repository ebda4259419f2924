// File, line and column of an address, from the DWARF of an image (versions 2 to 5), by libdw.
//
// Opening reads where the code of each unit is; the line table of a unit is read when an address in
// it is first looked up. For an image without DWARF, its debug file is read (elf/debug_file.h), and
// also the file into which dwz moved shared parts. Split units (dwarf/debug_value.h) have no lines.
// Sections .zdebug and objects that are not linked are not supported.
#ifndef TRAWL_ELF_LINES_H
#define TRAWL_ELF_LINES_H

#include "base/error.h"
#include "elf/address_index.h"
#include "elf/image.h"

struct lines;

struct source_location {
    const char *file; // without directories; lives as long as the lines
    const char *path; // with the directories in the image
    uint32_t line, column;
    const char *directory; // in which it was compiled, for a relative path; NULL: unknown
};

// Opens the lines of `image`, which must outlive them. Without DWARF, *out is NULL and the status
// STATUS_OK. STATUS_INPUT: its sections are outside the file, or claim to unpack to absurd sizes;
// STATUS_LIMIT: units share so much that reading them would take far more than the file's size.
enum status lines_open(struct lines **out, const struct image *image, struct error *err);

// The place of the code at `address`, as the image was linked. False: it is in no unit, or the line
// table is damaged. `lines` may be NULL.
bool lines_find(struct lines *lines, uint64_t address, struct source_location *out);

// Adds the addresses, as the image was linked, where the answer of lines_find may change, in no
// order; some more than once. `lines` may be NULL. STATUS_LIMIT: there are more than
// LIMIT_SOURCE_PLACES; STATUS_MEMORY.
enum status lines_add_bounds(struct lines *lines, struct address_vec *bounds, struct error *err);

// The bytes of the line tables: in the file of an image itself, without opening its lines, and of
// open lines; 0: there are none, or `lines` is NULL.
uint64_t lines_table_bytes_of(const struct image *image);
uint64_t lines_table_bytes(const struct lines *lines);

// The bytes of the file with the DWARF; 0 for NULL.
uint64_t lines_file_bytes(const struct lines *lines);

// Whether lines_find failed for lack of memory. `lines` may be NULL.
bool lines_lacked_memory(const struct lines *lines);

// For the other files of this layer: libdw's handle, the units that have code, the unit with the
// code at `address`, and the place of a unit's entry in .debug_info. They may read entries by the
// handle: its sections were checked.
struct Dwarf *lines_dwarf(const struct lines *lines);
size_t lines_unit_count(const struct lines *lines);
uint64_t lines_unit_offset(const struct lines *lines, size_t unit);
bool lines_unit_at(const struct lines *lines, uint64_t address, size_t *unit);

// The file with a number from an entry of a unit, as in a place without a line. False: there is
// none, or the line table is damaged.
bool lines_unit_file(struct lines *lines, size_t unit, uint64_t number,
                     struct source_location *out);

// The bytes of .debug_addr and .debug_ranges; NULL and 0: it has none.
const uint8_t *lines_addresses(const struct lines *lines, uint64_t *size_bytes);
const uint8_t *lines_ranges(const struct lines *lines, uint64_t *size_bytes);

// The name of the debug file with the DWARF; NULL: it is in the image itself.
const char *lines_debug_path(const struct lines *lines);

// Records that there was no memory while its entries were read.
void lines_lack_memory(struct lines *lines);

// Gives everything back. NULL is allowed.
void lines_close(struct lines *lines);

#endif
