// The symbols of an image, with look-ups by name and by address.
#ifndef TRAWL_ELF_SYMBOLS_H
#define TRAWL_ELF_SYMBOLS_H

#include "base/error.h"
#include "elf/image.h"

// The two readings of one table.
//
// SYMBOLS_AS_TTU is what Arm's Tarmac Trace Utilities do, including quirks, and accepts damaged
// files.
//
// SYMBOLS_RIGHT differs from it so:
// - symbols at the lowest address of the table are found;
// - undefined symbols are left out; indirect functions (STT_GNU_IFUNC) and unique symbols
//   (STB_GNU_UNIQUE) are taken;
// - of symbols of one address and size, a function goes before anything else;
// - on 32-bit Arm the Thumb bit of a function is no part of its address;
// - a name that has a '#' in it is found by its full name first;
// - what is displayed is also found: NAME@0xVALUE;
// - a symbol with a size names nothing beyond its end; one without names nothing beyond its
// section,
//   the next symbol, or the end of a symbol with a size that it is in;
// - absolute symbols (SHN_ABS) are numbers: they are found by name, but name no address.
enum symbols_reading { SYMBOLS_AS_TTU, SYMBOLS_RIGHT };

struct symbol {
    const char *name;    // as the table has it
    const char *display; // the name, or NAME@0xVALUE if the table has the name twice or more
    uint64_t value;      // as the table has it, Thumb bit included
    uint64_t address;    // used for comparisons: the value, in SYMBOLS_RIGHT without the Thumb bit
    uint64_t size;       // 0: unknown
    uint64_t reach;      // SYMBOLS_RIGHT: the most bytes from `address` that it names, if no other
                         // symbol does; 0: none
    uint32_t name_length;
    bool is_function;
    bool is_data; // SYMBOLS_RIGHT: an object, or in a section without code
};

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
