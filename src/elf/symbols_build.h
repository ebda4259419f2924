// The table of symbols while it is filled: for its readers, not for those who ask it.
#ifndef TRAWL_ELF_SYMBOLS_BUILD_H
#define TRAWL_ELF_SYMBOLS_BUILD_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "elf/address_index.h"
#include "elf/name_hash.h"
#include "elf/symbol.h"

struct named_symbol {
    struct name_hash hash;
    uint32_t place; // in the table
};

struct symbols {
    struct arena arena; // the string tables and the display names
    VEC(, struct symbol) table;
    struct name_hasher hasher;
    struct named_symbol *by_name; // by the hashes of names, those of one name in table order
    struct address_index by_address;
    enum symbols_reading reading;
};

// An empty table, or NULL when there is no memory.
struct symbols *symbols_create(enum symbols_reading reading);

// Whether a symbol of this name is let in: one that is not empty, and does not begin like
// those that mark data and instruction sets.
bool symbols_want_name(const char *name);

// Adds a symbol, displayed by its name as yet; the name must stay. False when there is no memory.
bool symbols_add(struct symbols *symbols, const struct symbol *symbol);

// Builds both look-ups, once all symbols are in: *out is `symbols` then. If `status` is not
// STATUS_OK, or there is no memory, frees `symbols` instead.
enum status symbols_finish(struct symbols **out, struct symbols *symbols, enum status status,
                           struct error *err);

// Gives back all of it. NULL is allowed.
void symbols_discard(struct symbols *symbols);

enum status symbols_no_memory(struct error *err);

#endif
