// Where a browser opens a trace: at the interesting place, and why.
//
// A run that failed is read from its failure: an exception that never returned, a function that
// programs end in when they give up, or a short loop that it never left. Otherwise its
// story begins with the first call of main. A trace begins with the values of all registers, which
// nobody wants to see first; so what has neither is opened at its end, and logs without such values
// at their beginning.
#ifndef TRAWL_BROWSE_OPENING_H
#define TRAWL_BROWSE_OPENING_H

#include "browse/source.h"
#include "browse/timeline.h"

struct opening {
    uint64_t event; // the point after it; TRAWL_START: before the first
    char reason[256];
};

void opening_find(struct browse_source *source, struct timeline *timeline, struct opening *opening);

#endif
