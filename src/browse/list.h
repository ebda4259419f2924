// A list of rows in a pane, one of which is selected: how keys move the selection, and which part
// is visible.
#ifndef TRAWL_BROWSE_LIST_H
#define TRAWL_BROWSE_LIST_H

#include "browse/screen.h"

// Fields are for reading.
struct list {
    size_t selected, top; // `top` is the first visible row
};

// Moves the selection by an arrow, a page, Home or End.
void list_key(struct list *list, uint32_t key, size_t count, unsigned rows);

// Scrolls so that the selection is visible in `rows` rows, which are filled if the list is long
// enough.
void list_scroll(struct list *list, size_t count, unsigned rows);

// Begins row `y` of a screen. For the selection in the focused pane, puts the cursor there and
// highlights the row.
struct row list_row(struct screen *screen, unsigned y, bool is_selected);

#endif
