// All values that a place in memory had in a segment. For code that asks about the same place at
// many events: a lookup (trawl_memory) takes half a microsecond and more, a row of this some ten
// nanoseconds. Between the public functions and the private parts of the reader.
#ifndef TRAWL_IDX_MEMORY_SERIES_H
#define TRAWL_IDX_MEMORY_SERIES_H

#include "base/error.h"
#include "base/vec.h"
#include "idx/trawl.h"

// From an event on, up to that of the next row.
struct memory_value {
    uint64_t event;
    uint64_t value; // the byte of the lowest address is the least significant
    // Bit i: byte i is known. As far as it is not, look it up: it may be known from a later load.
    uint8_t known;
    bool is_final; // it was looked up; for the caller
};

struct memory_series {
    VEC(, struct memory_value) rows; // the first is that of the first event of the segment
};

// Replaces the series by that of a place of at most eight bytes in one aligned word. STATUS_LIMIT:
// there is none, as the segment has more than `rows_max` records of that word, or host calls may
// write there, or events are snapshots, or addresses depend on the event (trawl_has_places), or
// loads do not count.
enum status index_memory_series(struct trawl_index *index, uint64_t segment, uint64_t address,
                                size_t size_bytes, size_t rows_max, struct memory_series *series,
                                struct error *err);

#endif
