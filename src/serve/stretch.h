// A stretch of a lane as questions name it: from a place on, up to one that is not in it, by the
// numbers of events in the lane or by times.
#ifndef TRAWL_SERVE_STRETCH_H
#define TRAWL_SERVE_STRETCH_H

#include "serve/desk.h"
#include "serve/request.h"

struct stretch {
    uint64_t lane;
    bool is_by_time;
    uint64_t from, to; // from < to
};

// Of `lane`, `by`, `from` and `to`; all of the first lane where they are not given.
enum status stretch_read(const struct request *request, const struct desk *desk,
                         struct stretch *stretch, struct error *err);

// Where column number `column` of so many, which cut it into equal parts, ends.
uint64_t stretch_end_of(const struct stretch *stretch, uint64_t column, uint64_t columns);

#endif
