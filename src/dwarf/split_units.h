// The split units of an image: found and opened when they are first needed. A package next to the
// image (IMAGE.dwp) comes first; then the file that the skeleton names, relative to the directory
// of the compilation, and next to the image. The id of a unit must match its skeleton.
#ifndef TRAWL_DWARF_SPLIT_UNITS_H
#define TRAWL_DWARF_SPLIT_UNITS_H

#include "elf/lines.h"

#include <elfutils/libdw.h>

struct split_unit;
struct split_units;

// For the image of the lines; both must outlive it. NULL: no memory.
struct split_units *split_units_new(const struct lines *lines, const struct image *image);

// NULL is allowed.
void split_units_free(struct split_units *units);

// The split unit of unit `number` of the lines. NULL: not split, or not found.
const struct split_unit *split_units_at(struct split_units *units, size_t number);

// Whether one was not found for lack of memory.
bool split_units_lacked_memory(const struct split_units *units);

// Its entry.
Dwarf_Die split_unit_die(const struct split_unit *unit);

// Whether code of one of its entries is at `pc`, as linked. Bytes read are charged to *work.
bool split_unit_has_pc(const struct split_unit *unit, Dwarf_Die *die, uint64_t pc, uint64_t *work);

#endif
