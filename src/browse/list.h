// A list of rows in a pane, one of which is selected: how keys move it, and which part is seen.
#ifndef TRAWL_BROWSE_LIST_H
#define TRAWL_BROWSE_LIST_H

#include "browse/screen.h"

// Fields are for reading.
struct list {
    size_t selected, top; // `top` is the first row that is seen
};

// Moves the selection by an arrow, a page, Home or End. Of no rows nothing is selected.
void list_key(struct list *list, uint32_t key, size_t count, unsigned rows);

// Scrolls so that the selection is seen in so many rows, and these are filled where there are
// enough.
void list_scroll(struct list *list, size_t count, unsigned rows);

// Begins row `y` of a screen. Of the selection in a pane with the focus, the cursor is there
// and what is written is highlighted.
struct row list_row(struct screen *screen, unsigned y, bool is_selected);

#endif
