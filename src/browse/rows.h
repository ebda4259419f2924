// What the rows of a trace are: its lines, if it is text; otherwise entries and exits of functions,
// or snapshots, one event per row.
#ifndef TRAWL_BROWSE_ROWS_H
#define TRAWL_BROWSE_ROWS_H

#include "analysis/index_view.h"

enum browse_rows { ROWS_LINES, ROWS_CALLS, ROWS_SNAPSHOTS };

static inline enum browse_rows browse_rows_of(const struct index_view *indexed)
{
    if (indexed->info.lines)
        return ROWS_LINES;
    return indexed->info.is_snapshots ? ROWS_SNAPSHOTS : ROWS_CALLS;
}

#endif
