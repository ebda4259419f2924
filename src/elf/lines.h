// File, line and column of an address, from the DWARF of an image (versions 2 to 5), by libdw.
//
// Opening reads where the code of each unit is; the line table of a unit is read when an address in
// it is first asked for. Of an image without DWARF that of its debug file is read
// (elf/debug_file.h), and of either what dwz moved into another file. What compilers split off
// (elf/split_units.h) has no lines. Not read are .zdebug sections, and objects that are not linked.
#ifndef TRAWL_ELF_LINES_H
#define TRAWL_ELF_LINES_H

#include "base/error.h"
#include "elf/address_vec.h"
#include "elf/image.h"

struct lines;

struct source_location {
    const char *file; // without directories; lives as long as the lines
    const char *path; // with those that the image has
    uint32_t line, column;
};

// Opens the lines of `image`, which must stay open as long as they. Without DWARF *out is NULL and
// all is well. STATUS_INPUT: its sections are outside the file, or claim to unpack to absurd
// sizes; STATUS_LIMIT: units share so much that reading it would take far more than its size.
enum status lines_open(struct lines **out, const struct image *image, struct error *err);

// The place of the code at `address`, as the image was linked. False: no unit has it, or its line
// table is damaged. `lines` may be NULL.
bool lines_find(struct lines *lines, uint64_t address, struct source_location *out);

// Adds the addresses, as the image was linked, where another answer of lines_find may begin, in no
// order; some more than once. `lines` may be NULL. STATUS_LIMIT: there are more than
// LIMIT_SOURCE_PLACES; STATUS_MEMORY.
enum status lines_add_bounds(struct lines *lines, struct address_vec *bounds, struct error *err);

// Whether lines_find said no for lack of memory. `lines` may be NULL.
bool lines_lacked_memory(const struct lines *lines);

// For the other files of this floor: libdw's handle, the units that have code, and which of them
// has that at `address`; of a unit where its entry is in .debug_info. The handle is theirs to
// read entries by: its sections were checked.
struct Dwarf *lines_dwarf(const struct lines *lines);
size_t lines_unit_count(const struct lines *lines);
uint64_t lines_unit_offset(const struct lines *lines, size_t unit);
bool lines_unit_at(const struct lines *lines, uint64_t address, size_t *unit);

// The file of a number that entries of a unit have, without directories. NULL: there is none of it,
// or the line table is damaged.
const char *lines_unit_file(struct lines *lines, size_t unit, uint64_t number);

// The bytes of .debug_addr and .debug_ranges; NULL and 0: it has none.
const uint8_t *lines_addresses(const struct lines *lines, uint64_t *size_bytes);
const uint8_t *lines_ranges(const struct lines *lines, uint64_t *size_bytes);

// The name of the debug file that the DWARF is of; NULL: it is the image's own.
const char *lines_debug_path(const struct lines *lines);

// Notes that somebody who reads its entries lacked memory.
void lines_lack_memory(struct lines *lines);

// Gives everything back. NULL is allowed.
void lines_close(struct lines *lines);

#endif
