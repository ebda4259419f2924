// Values and memory of which some bytes may be unknown, as text.
#ifndef TRAWL_REPORT_VALUE_H
#define TRAWL_REPORT_VALUE_H

#include "base/base.h"
#include "base/limits.h"
#include "report/out.h"

#define VALUE_TEXT_MAX (2 * LIMIT_VALUE_BYTES + 3)

// Formats a number, whose lowest byte is first in `values`: "0x00c0ffee", with ".." for each
// unknown byte. Returns the length.
size_t value_number(char text[VALUE_TEXT_MAX], const uint8_t *values, const uint8_t *known,
                    size_t size_bytes);

// Formats bytes in order: "00c0ffee", with ".." likewise, and a NUL: 2 * size_bytes + 1 bytes in
// total.
void value_bytes(char *text, const uint8_t *values, const uint8_t *known, size_t size_bytes);

// --- Memory --------------------------------------------------------------------------------------

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

#define HEXDUMP_ROW_BYTES 16

// Fields are private.
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
