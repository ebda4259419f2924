// What tells address spaces apart: the registers that select the tables by which a core translates
// addresses, at its exception level. A trace names them (R TTBR0_EL1 ...), so the space at an event
// follows from the values that they have there; one whose registers the trace never shows is one
// space.
#ifndef TRAWL_IDX_SPACES_H
#define TRAWL_IDX_SPACES_H

#include "base/base.h"
#include "idx/segment_rows.h"

// An address space: the registers that select its tables. The upper half of addresses has its own.
struct index_space {
    uint64_t table, asid, machine; // INDEX_SPACE_UNKNOWN: the trace has not shown it
    uint8_t source;                // the register with the table
    uint8_t regime;                // enum address_regime; REGIME_UNKNOWN: any
    bool is_upper;
};

#define INDEX_SPACE_UNKNOWN UINT64_MAX

// The number of a register that tells address spaces apart, below SPACE_REGISTER_ROOM, by its name;
// -1: it does not.
int index_space_register(const char *name);

// Whether a text is meant to be the name of a space, or a part of it, as index_space_text has it.
bool index_space_is_name(const char *text);

// Whether the space has this in its name, in any case.
bool index_space_has(const struct index_space *space, const char *text);

// A number for the space, the same for spaces that are the same; 0: the trace shows nothing that
// would tell it from others.
uint64_t index_space_key(const struct index_space *space);

// Its name; NULL: there are fewer.
const char *index_space_register_name(int number);

// The space that a core uses for an address with these values of those registers
// (INDEX_SPACE_UNKNOWN: the trace has not shown it).
struct index_space index_space_of(const uint64_t values[SPACE_REGISTER_ROOM], uint8_t regime,
                                  bool is_upper);
bool index_is_upper(uint64_t virtual_page);
bool index_is_same_space(const struct index_space *a, const struct index_space *b);

// "EL1 TTBR0_EL1=0x1000081000000"
#define INDEX_SPACE_TEXT_BYTES 128
void index_space_text(const struct index_space *space, char text[INDEX_SPACE_TEXT_BYTES]);

#endif
