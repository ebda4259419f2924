// An index that grows while the user browses: it covers what was read of the trace so far, until it
// is complete.
#ifndef TRAWL_BROWSE_GROWTH_H
#define TRAWL_BROWSE_GROWTH_H

#include "analysis/index_view.h"
#include "browse/screen.h"
#include "cli/progress.h"

enum growth_news {
    GROWTH_NONE,
    GROWTH_MORE,   // an index of more of the trace
    GROWTH_WHOLE,  // and of all of it
    GROWTH_FAILED, // there will be none
};

struct growth {
    void *self;
    // What there is since it was asked last, with `only_whole` unless it is of a part. *fresh is of
    // GROWTH_MORE and GROWTH_WHOLE.
    enum growth_news (*look)(void *self, bool only_whole, struct index_view *fresh);
    struct progress *progress; // of what builds the index; NULL: not known
    uint64_t total_bytes;      // of the trace
    bool is_cancelled;         // what builds it, until this is unset
    bool wants_text;           // the trace continues where the index ends,
    bool goes_to_end;          // and its end is wanted
    // Of the index that there is: how much text it is of, and before which event all is shown as
    // the index of the whole trace will tell it.
    uint64_t text_bytes, known_events;
};

// Takes an index of the first bytes of the trace for what is known.
void growth_take(struct growth *growth, const struct index_view *indexed, uint64_t text_bytes);

// How far the index is, into a status line.
void growth_put_status(const struct growth *growth, struct row *row);

#endif
