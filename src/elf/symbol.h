// A symbol, and how a table of them is read.
#ifndef TRAWL_ELF_SYMBOL_H
#define TRAWL_ELF_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
