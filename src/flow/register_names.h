// Registers that a trace names and that its kind does not have by default: system registers, and
// registers of a mode. They are numbered in the order of their first occurrence; case does not
// matter.
#ifndef TRAWL_FLOW_REGISTER_NAMES_H
#define TRAWL_FLOW_REGISTER_NAMES_H

#include "base/hash_index.h"
#include "base/limits.h"
#include "base/vec.h"
#include "idx/register_layout.h"
#include "idx/segment_rows.h"

// Where a register that a trace names is in the register space.
#define NAMED_REGISTER_CELLS (LIMIT_NAMED_REGISTER_BYTES / 8)
#define NAMED_REGISTER_CELL(number) (REGISTER_CELLS + (uint32_t)(number)*NAMED_REGISTER_CELLS)

_Static_assert(NAMED_REGISTER_CELL(LIMIT_NAMED_REGISTERS) <= REGISTER_CELLS_MAX,
               "numbers of cells");

#define NO_REGISTER_NAME HASH_INDEX_NONE

struct named_register {
    char name[LIMIT_REGISTER_NAME_BYTES + 1]; // as first written
    uint32_t line, position;                  // where that was; for its user
    uint32_t number;                          // in another table; likewise
    uint32_t size_bytes;                      // of the widest value
    uint64_t write_count;                     // lines that write it
};

// All zero: none yet.
struct register_names {
    VEC(, struct named_register) items;
    struct hash_index by_name;
    uint64_t refused_writes; // writes to names that are only counted; for its user
    uint32_t vector_bytes;   // of the longest scalable vector that was written; for its user
};

// Whether a name of that length is kept.
static inline bool register_name_fits(size_t length)
{
    return length > 0 && length <= LIMIT_REGISTER_NAME_BYTES;
}

// The number of a name that fits; NO_REGISTER_NAME: there is none.
uint32_t register_names_find(const struct register_names *names, const char *name, size_t length);

// The same; a new name is added. NO_REGISTER_NAME: no memory.
uint32_t register_names_add(struct register_names *names, const char *name, size_t length);

// Forgets the names and keeps the memory.
void register_names_clear(struct register_names *names);
void register_names_free(struct register_names *names);

// The registers of a trace: those of its architecture, with those that the trace names.

// Those that the trace names are between the registers that are shown and other names of these, in
// the order of their names; `isas` has a bit for each instruction set of the architecture. To be
// freed; NULL: no memory. Names must outlive it.
struct register_run *named_layout_make(const struct register_run *runs, size_t count,
                                       const struct register_names *names, uint8_t isas,
                                       size_t *made);

#endif
