// Tracks open pages: a server for one page ends with it. A page reports when it opens, then
// regularly, and when it closes; a page whose browser was killed sends nothing.
#ifndef TRAWL_SERVE_PAGES_H
#define TRAWL_SERVE_PAGES_H

#include "base/base.h"
#include "base/limits.h"

enum page_event {
    PAGE_BEATS,  // the page is open
    PAGE_SLEEPS, // the browser suspends the page
    PAGE_CLOSES,
};

struct pages {
    struct {
        uint64_t id;       // chosen by the page
        uint64_t until_ns; // considered lost if nothing is heard by then
    } open[LIMIT_SERVE_PAGES];
    size_t count;
    bool had_any;
    uint64_t left_ns; // when the last of them closed
};

// Records what page `id` reports. Pages beyond LIMIT_SERVE_PAGES are not counted.
void pages_tell(struct pages *pages, uint64_t id, enum page_event event, uint64_t now_ns);

// Whether there were open pages, and all have been closed for some seconds, because a page that is
// reloaded is closed in between.
bool pages_are_left(struct pages *pages, uint64_t now_ns);

#endif
