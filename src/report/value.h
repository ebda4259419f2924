// Formats values of which some bytes may be unknown.
#ifndef TRAWL_REPORT_VALUE_H
#define TRAWL_REPORT_VALUE_H

#include "base/base.h"
#include "base/limits.h"

#define VALUE_TEXT_MAX (2 * LIMIT_VALUE_BYTES + 3)

// Formats a number, whose lowest byte is first in `values`: "0x00c0ffee", with ".." for each
// unknown byte. Returns the length.
size_t value_number(char text[VALUE_TEXT_MAX], const uint8_t *values, const uint8_t *known,
                    size_t size_bytes);

// Formats bytes in order: "00c0ffee", with ".." likewise, and a NUL: 2 * size_bytes + 1 bytes in
// total.
void value_bytes(char *text, const uint8_t *values, const uint8_t *known, size_t size_bytes);

#endif
