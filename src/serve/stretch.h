// A range of a lane in a request: from a place up to before another, by the numbers of events in
// the lane or by times.
#ifndef TRAWL_SERVE_STRETCH_H
#define TRAWL_SERVE_STRETCH_H

#include "serve/desk.h"
#include "serve/request.h"

struct stretch {
    uint64_t lane;
    bool is_by_time;
    uint64_t from, to; // from < to
};

// Reads `lane`, `by`, `from` and `to`; by default all of the first lane.
enum status stretch_read(const struct request *request, const struct desk *desk,
                         struct stretch *stretch, struct error *err);

// Where column number `column` of `columns` equal parts ends.
uint64_t stretch_end_of(const struct stretch *stretch, uint64_t column, uint64_t columns);

#endif
