// A unit of which a compiler left only a skeleton in the image, read by libdw.
//
// libdw 0.188 would itself open the files that skeletons name, unchecked, and does not support
// packages. So what a unit needs is copied from checked files (elf/split_file.h) into an ELF file
// in memory, which is all that libdw reads; the connection to the image, where code is, is read
// here.
#ifndef TRAWL_ELF_SPLIT_UNIT_H
#define TRAWL_ELF_SPLIT_UNIT_H

#include "elf/lines.h"
#include "elf/split_file.h"

#include <elfutils/libdw.h>

// The contents of the skeleton.
struct split_skeleton {
    uint64_t id;
    uint64_t base;         // of lists of ranges
    uint64_t address_base; // in .debug_addr
    uint64_t ranges_base;  // in .debug_ranges, before DWARF 5
};

struct split_unit;

// Reads a unit from its pieces, which must outlive it, as must the lines. Copied bytes are charged
// to *work. *out is NULL if it is damaged or another unit; STATUS_MEMORY.
enum status split_unit_open(struct split_unit **out, const struct split_pieces *pieces,
                            const struct split_skeleton *skeleton, const struct image *image,
                            const struct lines *lines, uint64_t *work, struct error *err);

// NULL is allowed.
void split_unit_close(struct split_unit *unit);

// Its entry.
Dwarf_Die split_unit_die(const struct split_unit *unit);

// Whether code of one of its entries is at `pc`, as linked. Bytes read are charged to *work.
bool split_unit_has_pc(const struct split_unit *unit, Dwarf_Die *die, uint64_t pc, uint64_t *work);

#endif
