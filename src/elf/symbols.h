// The symbols of an image, with look-ups by name and by address.
#ifndef TRAWL_ELF_SYMBOLS_H
#define TRAWL_ELF_SYMBOLS_H

#include "base/error.h"
#include "elf/image.h"
#include "elf/symbol.h"

struct symbols;

// Reads every SHT_SYMTAB of `image` whose linked section is a string table, and builds both
// look-ups: O(n log n). An image without one has zero symbols. In SYMBOLS_RIGHT damage (a table or
// a name outside its file or section, a wrong entry size) is STATUS_INPUT; SYMBOLS_AS_TTU is
// symbols_load_as_ttu of the image's path. The result has its own copies, so the image may be
// closed. On failure *out is NULL.
enum status symbols_load(struct symbols **out, const struct image *image,
                         enum symbols_reading reading, struct error *err);

// The same for a file that image_open may refuse, in SYMBOLS_AS_TTU: accepts whatever Arm's tool
// accepts, so damaged parts are only missing symbols. STATUS_IO or STATUS_INPUT if Arm's tool
// cannot open the file: it cannot be read or is not a regular file, ends within its ELF header, or
// its magic, class or byte order is wrong. STATUS_LIMIT for a file whose tables and names overlap
// so much that memory and time would be out of proportion to its size. The byte order is the
// default one of the trace.
enum status symbols_load_as_ttu(struct symbols **out, const char *path, bool *is_big_endian,
                                struct error *err);

// Gives everything back. NULL is allowed.
void symbols_free(struct symbols *symbols);

// The symbols that the reading accepts, in table order.
const struct symbol *symbols_all(const struct symbols *symbols, size_t *count);

// The first symbol in table order with that name, or for NAME#K the K-th, from 0, of those called
// NAME: split at the last '#', K an integer in decimal with anything after it. NULL: there is none.
// O(log n).
const struct symbol *symbols_by_name(const struct symbols *symbols, const char *name);

// The symbol that names `address`, or NULL. In SYMBOLS_RIGHT, of the symbols with a size that
// contain it the one that begins last; if none does, the last one without a size as far as that may
// reach (struct symbol). In SYMBOLS_AS_TTU, the rule of address_index_find over all symbols, but
// those at the lowest address of the table are never found. O(log n).
const struct symbol *symbols_by_address(const struct symbols *symbols, uint64_t address);

#endif
