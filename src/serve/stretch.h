// A stretch of a lane as questions name it: from a place on, up to one that is not in it, by the
// numbers of events in the lane or by times.
#ifndef TRAWL_SERVE_STRETCH_H
#define TRAWL_SERVE_STRETCH_H

#include "serve/answer.h"

struct stretch {
    uint64_t lane;
    bool is_by_time;
    uint64_t from, to; // from < to
};

// Of `lane`, `by`, `from` and `to`; all of the first lane where they are not given.
enum status stretch_read(struct asking *asking, struct stretch *stretch, struct error *err);

#endif
