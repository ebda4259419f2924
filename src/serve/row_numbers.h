// Rows of a trace by number, from 0, for a scroll bar.
//
// Without folds the numbers are those of lines. With folds they need sums over all calls, which are
// made for traces with one lane; in others, and where lanes are left out, folds are ignored: the
// scroll bar is then only nearly right, and says so (is_exact).
#ifndef TRAWL_SERVE_ROW_NUMBERS_H
#define TRAWL_SERVE_ROW_NUMBERS_H

#include "browse/level_sums.h"
#include "serve/request_context.h"

// The sums by which rows of a lane are numbered while some are folded (browse/level_sums.h), for
// all requests about a trace: made once, in the background, and then only read.
struct sums;

// Starts to make them for the only lane of the index; with several lanes there are none.
enum status sums_open(struct sums **out, const struct index_view *view, struct error *err);
void sums_close(struct sums *sums);

struct row_numbers {
    struct timeline *timeline;
    const struct level_sums *sums; // NULL: nothing is folded, or folds are ignored
    uint64_t header_lines;
    bool is_exact; // otherwise folds and left-out lanes are ignored
    uint64_t count;
};

void row_numbers_begin(struct row_numbers *numbers, struct request_context *context,
                       struct sums *sums);

// The number of the first row of a visible event; the number of rows for one past the last event.
uint64_t row_number_of(const struct row_numbers *numbers, uint64_t event);

// The row with a number, or the last one; if numbers are not exact, a visible row near it. False:
// there are no rows.
bool row_number_find(const struct row_numbers *numbers, uint64_t number, struct line_at *at);

#endif
