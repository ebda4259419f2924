// An index that grows while the user browses: it covers the part of the trace read so far, until it
// is complete.
#ifndef TRAWL_BROWSE_GROWTH_H
#define TRAWL_BROWSE_GROWTH_H

#include "browse/screen.h"
#include "cli/progress.h"
#include "session/session_index.h"

struct growth {
    void *self;
    // What has happened since the last call; with `only_whole`, partial indexes are ignored. *fresh
    // is set for INDEX_HAS_GROWN and INDEX_IS_WHOLE.
    enum index_turn (*look)(void *self, bool only_whole, struct index_view *fresh);
    struct progress *progress; // of what builds the index; NULL: not known
    uint64_t total_bytes;      // of the trace
    bool is_cancelled;         // building it was cancelled, until this is unset
    bool wants_text;           // the trace continues where the index ends,
    bool goes_to_end;          // and its end is wanted
    // Of the current index: how much text it covers, and before which event everything is as in the
    // index of the whole trace.
    uint64_t text_bytes, known_events;
};

// Records what an index of the first bytes of the trace covers.
void growth_take(struct growth *growth, const struct index_view *indexed, uint64_t text_bytes);

// Writes the progress of the index into a status line.
void growth_put_status(const struct growth *growth, struct row *row);

#endif
