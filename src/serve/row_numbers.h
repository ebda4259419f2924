// Rows of a trace by their numbers, from 0, as a scroll bar counts them.
#ifndef TRAWL_SERVE_ROW_NUMBERS_H
#define TRAWL_SERVE_ROW_NUMBERS_H

#include "serve/desk.h"
#include "serve/sums.h"

struct row_numbers {
    struct timeline *timeline;
    const struct level_sums
        *sums; // NULL: nothing is folded, or rows are counted as if nothing were
    uint64_t header_lines;
    bool is_exact; // else as if nothing were folded or left out
    uint64_t count;
};

void row_numbers_begin(struct row_numbers *numbers, struct desk *desk, struct sums *sums);

// The number of the first row of a visible event; one that is past the last event is the count.
uint64_t row_number_of(const struct row_numbers *numbers, uint64_t event);

// The row of a number, or the last one; where numbers are not exact, a visible one near it. False:
// there are no rows.
bool row_number_find(const struct row_numbers *numbers, uint64_t number, struct line_at *at);

#endif
