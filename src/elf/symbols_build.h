// The table of symbols while it is being filled: for the code that reads symbols from files.
#ifndef TRAWL_ELF_SYMBOLS_BUILD_H
#define TRAWL_ELF_SYMBOLS_BUILD_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "elf/address_index.h"
#include "elf/symbols.h"

struct name_hash {
    uint64_t values[2];
};

struct name_hasher {
    uint64_t points[2];
};

struct named_symbol {
    struct name_hash hash;
    uint32_t place; // in the table
};

struct symbols {
    struct arena arena; // the string tables and the display names
    VEC(, struct symbol) table;
    struct name_hasher hasher;
    struct named_symbol *by_name; // by the hashes of names; equal names in table order
    struct address_index by_address;
    enum symbols_reading reading;
    uint64_t display_bytes_max; // of all names that are made for symbols that share one
};

// An empty table, or NULL: no memory.
struct symbols *symbols_create(enum symbols_reading reading);

// Whether a symbol with this name is accepted: not empty, and not one that marks data and
// instruction sets.
bool symbols_want_name(const char *name);

// Adds a symbol, for now displayed by its name, which must stay. False: no memory.
bool symbols_add(struct symbols *symbols, const struct symbol *symbol);

// Builds both look-ups after all symbols were added; *out becomes `symbols`. If `status` is not
// STATUS_OK, or there is no memory, frees `symbols` instead.
enum status symbols_finish(struct symbols **out, struct symbols *symbols, enum status status,
                           struct error *err);

enum status symbols_no_memory(struct error *err);

#endif
