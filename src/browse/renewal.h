// Handles the replacement of a trace's index while the user browses: the new one is used if it
// describes the same events, and the position, folds and panes stay.
#ifndef TRAWL_BROWSE_RENEWAL_H
#define TRAWL_BROWSE_RENEWAL_H

#include "browse/browser.h"

// What to report.
struct renewal {
    bool is_told; // there is something to report
    bool is_fault;
    char text[MESSAGE_BYTES];
};

// Checks the index file of a source. If it was replaced, all browsers of the source (NULL: none)
// use the new index.
struct renewal renew_index(struct browse_source *source, struct browser *const *browsers,
                           size_t count);

// The same if the index of a source has grown. This is only reported when it is complete and a
// search ended because of it.
struct renewal renew_grown(struct browse_source *source, struct browser *const *browsers,
                           size_t count);

#endif
