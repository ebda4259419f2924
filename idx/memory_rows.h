// The records of memory that a segment has of a range of words. As words are in order of address,
// those of neighbours stand together: one search finds them all. Private to the reader.
#ifndef TRAWL_IDX_MEMORY_ROWS_H
#define TRAWL_IDX_MEMORY_ROWS_H

#include "idx/index.h"

// Words in hand at once.
#define MEMORY_ROWS_WORDS 64

// Records that are decoded at once: all of those in hand if they are no more, else a few.
#define MEMORY_ROWS_RUN 256
#define MEMORY_ROWS_FEW 16

struct memory_rows {
    struct trawl_index *index;
    uint64_t segment, first_event, event_count; // of the segment
    const struct column *words, *starts, *events, *kinds, *values, *touched;
    uint64_t first, last, at, end; // words wanted; rows of `words` that are still to come
    // Those in hand, which rise and are in [first, last]: word numbers[i] has the records
    // [from[i], from[i + 1]).
    size_t count;
    uint64_t numbers[MEMORY_ROWS_WORDS], from[MEMORY_ROWS_WORDS + 1];
    // Decoded records.
    uint64_t run_from, run_count;
    uint64_t run_events[MEMORY_ROWS_RUN], run_kinds[MEMORY_ROWS_RUN];
};

// A record, and where it stands.
struct memory_row {
    uint64_t at;
    uint64_t event; // of the trace
    uint64_t kind;  // MEMORY_STORE, MEMORY_STORE_UNKNOWN or MEMORY_LOAD
    uint8_t mask;
    bool is_before_host_call;
};

// Finds the records of the words [first, last] in the segment. Takes none in hand.
enum status memory_rows_find(struct trawl_index *index, uint64_t segment, uint64_t first,
                             uint64_t last, struct memory_rows *rows, struct error *err);

// Takes the next words in hand; rows->count is 0 when there are no more.
enum status memory_rows_next(struct memory_rows *rows, struct error *err);

// Whether an event of the trace is one of the segment.
static inline bool memory_rows_hold(const struct memory_rows *rows, uint64_t event)
{
    return event - rows->first_event < rows->event_count; // wraps before it
}

// The record after the last one of word `i` in hand that is at or before event `event` of the
// trace.
enum status memory_rows_until(const struct memory_rows *rows, size_t i, uint64_t event,
                              uint64_t *at, struct error *err);

// The nearest record of word `i` in hand, below `at` (back), or at or above it, that touches any of
// `mask`; row->at is UINT64_MAX: none. With `stores` loads may be passed over, and need not be.
enum status memory_rows_seek(struct memory_rows *rows, size_t i, uint64_t at, uint8_t mask,
                             bool stores, bool back, struct memory_row *row, struct error *err);

// From where to seek on after a record, or before it (back), past others that are known to be of
// its kind, mask and event: those of its block, if they are all alike.
uint64_t memory_rows_past_alike(const struct memory_rows *rows, const struct memory_row *row,
                                bool back);

// The same, for which the few that are all decoded are not worth a look.
static inline uint64_t memory_rows_past(const struct memory_rows *rows,
                                        const struct memory_row *row, bool back)
{
    if (rows->run_count < rows->from[rows->count] - rows->from[0])
        return memory_rows_past_alike(rows, row, back);
    return back ? row->at : row->at + 1;
}

// What a record stored or showed, each byte in its place in the word.
enum status memory_rows_value(const struct memory_rows *rows, const struct memory_row *row,
                              uint64_t *value, struct error *err);

#endif
