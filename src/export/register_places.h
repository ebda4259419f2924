// Which register is where in the register space of a lane: it names writes of which only the place
// is known.
#ifndef TRAWL_EXPORT_REGISTER_PLACES_H
#define TRAWL_EXPORT_REGISTER_PLACES_H

#include "base/base.h"

struct register_places;
struct register_table; // idx/register_layout.h

// NULL: no memory.
struct register_places *register_places_new(const struct register_table *table);
void register_places_free(struct register_places *places);

// The register that contains a byte of the space in an instruction set: preferably one that is
// shown there, and not a view of another. *offset_bytes: the offset of the byte in it. NULL: there
// is none.
const char *register_places_find(const struct register_places *places, unsigned isa,
                                 uint64_t place_bytes, uint64_t *offset_bytes);

#endif
