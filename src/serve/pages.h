// The pages that are open, as they tell: who serves one page ends with it. A page says when it
// opens, from then on time and again, and when it closes; of one whose browser was killed nothing
// is heard.
#ifndef TRAWL_SERVE_PAGES_H
#define TRAWL_SERVE_PAGES_H

#include "base/base.h"
#include "base/limits.h"

enum page_event {
    PAGE_BEATS,  // it is there
    PAGE_SLEEPS, // the browser stops its clock
    PAGE_CLOSES,
};

struct pages {
    struct {
        uint64_t id;       // that it chose
        uint64_t until_ns; // taken for lost if it is not heard of by then
    } open[LIMIT_SERVE_PAGES];
    size_t count;
    bool had_any;
    uint64_t left_ns; // when the last of them closed
};

// What page `id` tells at a time. Of more than LIMIT_SERVE_PAGES some are not counted.
void pages_tell(struct pages *pages, uint64_t id, enum page_event event, uint64_t now_ns);

// Whether some were open, and all have been closed for some seconds: one that is loaded again is
// closed in between.
bool pages_are_left(struct pages *pages, uint64_t now_ns);

#endif
