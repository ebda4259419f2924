// The memory records of a range of words in a segment. Words are ordered by address, so the records
// of neighbouring words are adjacent and one search finds them all. Private to the reader.
#ifndef TRAWL_IDX_MEMORY_ROWS_H
#define TRAWL_IDX_MEMORY_ROWS_H

#include "idx/index.h"

// The number of words that are current at once.
#define MEMORY_ROWS_WORDS 64

// The number of records that are decoded at once: all of the current ones if they fit into
// MEMORY_ROWS_RUN, otherwise a few.
#define MEMORY_ROWS_RUN 256
#define MEMORY_ROWS_FEW 16

struct memory_rows {
    struct trawl_index *index;
    uint64_t segment, first_event, event_count; // of the segment
    const struct column *words, *starts, *events, *kinds, *values, *touched;
    uint64_t first, last, at, end; // requested words; the remaining rows of `words`
    // The current words, which ascend and are in [first, last]: word numbers[i] has the records
    // [from[i], from[i + 1]).
    size_t count;
    uint64_t numbers[MEMORY_ROWS_WORDS], from[MEMORY_ROWS_WORDS + 1];
    // Decoded records.
    uint64_t run_from, run_count;
    uint64_t run_events[MEMORY_ROWS_RUN], run_kinds[MEMORY_ROWS_RUN];
};

// A record, and its place.
struct memory_row {
    uint64_t at;
    uint64_t event; // of the trace
    uint64_t kind;  // MEMORY_STORE, MEMORY_STORE_UNKNOWN or MEMORY_LOAD
    uint8_t mask;
    bool is_before_host_call;
    bool is_outside; // MEMORY_OUTSIDE
};

// Finds the records of the words [first, last] in the segment. No words are current yet.
enum status memory_rows_find(struct trawl_index *index, uint64_t segment, uint64_t first,
                             uint64_t last, struct memory_rows *rows, struct error *err);

// Makes the next words current; rows->count is 0 if there are no more.
enum status memory_rows_next(struct memory_rows *rows, struct error *err);

// Whether an event of the trace is in the segment.
static inline bool memory_rows_hold(const struct memory_rows *rows, uint64_t event)
{
    return event - rows->first_event < rows->event_count; // wraps before it
}

// The record after the last record of current word `i` that is at or before event `event` of the
// trace.
enum status memory_rows_until(const struct memory_rows *rows, size_t i, uint64_t event,
                              uint64_t *at, struct error *err);

// The nearest record of current word `i`, below `at` (back) or otherwise at or above it, that
// touches any byte of `mask`. row->at is UINT64_MAX: none. With `stores`, loads may be skipped, but
// need not be.
enum status memory_rows_seek(struct memory_rows *rows, size_t i, uint64_t at, uint8_t mask,
                             bool stores, bool back, struct memory_row *row, struct error *err);

// Where to continue seeking after a record, or before it (back). Skips other records of its block
// if all are known to have its kind, mask and event.
uint64_t memory_rows_past_alike(const struct memory_rows *rows, const struct memory_row *row,
                                bool back);

// The same, but does not look for equal records if all of the few records are decoded.
static inline uint64_t memory_rows_past(const struct memory_rows *rows,
                                        const struct memory_row *row, bool back)
{
    if (rows->run_count < rows->from[rows->count] - rows->from[0])
        return memory_rows_past_alike(rows, row, back);
    return back ? row->at : row->at + 1;
}

// The value that a record stored or showed, each byte at its place in the word.
enum status memory_rows_value(const struct memory_rows *rows, const struct memory_row *row,
                              uint64_t *value, struct error *err);

#endif
