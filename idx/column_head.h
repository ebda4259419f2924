// Shared by the writer and the reader of columns: the head, whose layout is in column.h, and the
// check.
#ifndef TRAWL_IDX_COLUMN_HEAD_H
#define TRAWL_IDX_COLUMN_HEAD_H

#include "base/base.h"

#define COLUMN_CHECK_BYTES 4

// The shortest and longest head: check, widths, three varints.
#define COLUMN_HEAD_BYTES_MIN 9
#define COLUMN_HEAD_BYTES_MAX 36

// If all payloads together have at most this many bytes, they have no checks of their own: hashing
// them takes no longer than finding out whether they were checked.
#define COLUMN_SHORT_BYTES 256

struct column_head {
    uint64_t count;
    uint64_t payload_bytes;
    uint64_t base;
    uint8_t min_bytes, range_bytes, start_bytes; // 0 to 8
    bool is_short;
};

// The check of these bytes.
uint32_t column_check(const uint8_t *bytes, size_t count);

// Whether it equals the stored one. Always true in builds for fuzzing, because damaged input would
// almost never pass this check.
bool column_check_fits(const uint8_t *stored, const uint8_t *bytes, size_t count);

#endif
