// Handles the replacement of a trace's index while the user browses: the new one is used if it
// describes the same events, and the position, folds and panes stay.
#ifndef TRAWL_BROWSE_RENEWAL_H
#define TRAWL_BROWSE_RENEWAL_H

#include "browse/browser.h"

// What is to be said of it.
struct renewal {
    bool is_told; // something is
    bool is_fault;
    char text[MESSAGE_BYTES];
};

// Looks at the file that the index of a source is in, and takes another one there up in all of the
// browsers, NULL if there is none, that look at the source.
struct renewal renew_index(struct browse_source *source, struct browser *const *browsers,
                           size_t count);

// The same where the index of a source has grown. Nothing is said of that, but that the whole is
// there where a search ended for it.
struct renewal renew_grown(struct browse_source *source, struct browser *const *browsers,
                           size_t count);

#endif
