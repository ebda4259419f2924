// Rows of a trace by number, from 0, for a scroll bar.
#ifndef TRAWL_SERVE_ROW_NUMBERS_H
#define TRAWL_SERVE_ROW_NUMBERS_H

#include "serve/desk.h"
#include "serve/sums.h"

struct row_numbers {
    struct timeline *timeline;
    const struct level_sums *sums; // NULL: nothing is folded, or folds are ignored
    uint64_t header_lines;
    bool is_exact; // otherwise folds and left-out lanes are ignored
    uint64_t count;
};

void row_numbers_begin(struct row_numbers *numbers, struct desk *desk, struct sums *sums);

// The number of the first row of a visible event; the number of rows for one past the last event.
uint64_t row_number_of(const struct row_numbers *numbers, uint64_t event);

// The row with a number, or the last one; if numbers are not exact, a visible row near it. False:
// there are no rows.
bool row_number_find(const struct row_numbers *numbers, uint64_t number, struct line_at *at);

#endif
