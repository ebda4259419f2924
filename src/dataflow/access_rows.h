// The accesses of an index in blocks, for those who go through events in order: what an event
// accesses is taken from rows that were read ahead, and asking for it where there is none costs a
// comparison.
#ifndef TRAWL_DATAFLOW_ACCESS_ROWS_H
#define TRAWL_DATAFLOW_ACCESS_ROWS_H

#include "trace/index_view.h"

enum { ACCESS_ROWS = 1024 };

// Loads or stores. All zero except for `place`, `until` and `are_loads`: before the first.
struct access_rows {
    struct trawl_access_cursor place;
    uint64_t until; // the first event of which they are not wanted
    bool are_loads, is_end;
    size_t at, count;
    uint64_t event[ACCESS_ROWS], address[ACCESS_ROWS], size_bytes[ACCESS_ROWS], kind[ACCESS_ROWS];
};

// Reads the next block.
enum status access_rows_fill(struct access_rows *rows, const struct index_view *view,
                             struct error *err);

// Moves to the next access of an event, and passes over those of earlier ones. False: it has none
// (any more), or *status tells a failure. The access is the one at `rows->at`, which the caller
// moves on.
static inline bool access_rows_next(struct access_rows *rows, const struct index_view *view,
                                    uint64_t event, enum status *status, struct error *err)
{
    for (;; rows->at++) {
        if (UNLIKELY(rows->at >= rows->count)) {
            if (rows->is_end || (*status = access_rows_fill(rows, view, err)) != STATUS_OK ||
                !rows->count)
                return false;
        }
        const size_t at = rows->at;
        if (rows->event[at] > event)
            return false;
        // Among the stores are loads of what the index did not know, which are loads as well.
        if (rows->event[at] == event && rows->size_bytes[at] &&
            (rows->are_loads || rows->kind[at] != TRAWL_ACCESS_LOAD))
            return true;
    }
}

#endif
