// Values of which not every byte is known, as text.
#ifndef TRAWL_REPORT_VALUE_H
#define TRAWL_REPORT_VALUE_H

#include "base/base.h"
#include "base/limits.h"

#define VALUE_TEXT_MAX (2 * LIMIT_VALUE_BYTES + 3)

// A number, lowest byte first in `values`: "0x00c0ffee", ".." for each byte that is unknown.
// Returns the length.
size_t value_number(char text[VALUE_TEXT_MAX], const uint8_t *values, const uint8_t *known,
                    size_t size_bytes);

// The bytes in their order: "00c0ffee", ".." likewise, with a NUL: 2 * size_bytes + 1 in all.
void value_bytes(char *text, const uint8_t *values, const uint8_t *known, size_t size_bytes);

#endif
