// Writes memory of which some bytes may be unknown, as a table of hexadecimal digits and
// characters:
//
//     0x00008000  48 65 6c 6c 6f .. .. ..  00 01 02 03 ff .. .. ..  |Hello   .....   |
//     *
//     0x00008040  0a                                                |.|
//
// An unknown byte is ".." in the table and a blank among the characters; a byte that is no
// printable ASCII character is a dot among the characters. `*` stands for any number of rows
// without a known byte, if that is requested; a dump that ends in such rows has the address after
// its last byte on a line of its own.
#ifndef TRAWL_REPORT_HEXDUMP_H
#define TRAWL_REPORT_HEXDUMP_H

#include "report/out.h"

#define HEXDUMP_ROW_BYTES 16

// Fields are for hexdump.c.
struct hexdump {
    struct out *out;
    uint64_t address; // of the row
    unsigned address_digits;
    bool collapse, is_collapsed; // is_collapsed: the previous line is a *
    size_t count;                // bytes in the row so far
    uint8_t values[HEXDUMP_ROW_BYTES];
    bool known[HEXDUMP_ROW_BYTES];
};

// Begins a dump of `size_bytes` at `address`, where the first row begins. With `collapse`, rows
// without a known byte are left out.
void hexdump_begin(struct hexdump *dump, struct out *out, uint64_t address, uint64_t size_bytes,
                   bool collapse);

// Adds the next `count` bytes. `known` NULL: all of them are known.
void hexdump_bytes(struct hexdump *dump, const uint8_t *values, const bool *known, size_t count);

// Writes the last row if it is not full.
void hexdump_end(struct hexdump *dump);

#endif
