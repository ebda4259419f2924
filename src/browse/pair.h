// One browser on the screen, or several side by side that move together: cores of a trace, places
// in it, or two traces.
//
// Sides of one trace share its source, so when its index is replaced or has grown, all of them take
// the new one at once; position, folds and panes stay, because it describes the same events.
#ifndef TRAWL_BROWSE_PAIR_H
#define TRAWL_BROWSE_PAIR_H

#include "browse/browser.h"

struct pair {
    struct browser *sides[LIMIT_BROWSER_SIDES]; // the others are NULL
    unsigned count;                             // of sides
    unsigned focus;                             // the side that gets keys
    bool is_coupled;
    uint64_t anchors[2];    // for two traces: corresponding events of their lanes
    uint64_t difference[2]; // the positions before the last difference found
    bool has_difference;
    unsigned width, height;
    struct screen part;
    // The further sides of a trace.
    struct own_side {
        struct browser browser;
        struct timeline timeline;
    } own[LIMIT_BROWSER_SIDES - 1];
    unsigned own_count;
};

// The browsers still belong to the caller; `second` may be NULL.
void pair_open(struct pair *pair, struct browser *first, struct browser *second);
void pair_close(struct pair *pair);

void pair_key(struct pair *pair, uint32_t key);
void pair_resize(struct pair *pair, unsigned width, unsigned height);
void pair_click(struct pair *pair, unsigned x, unsigned y);
void pair_wheel(struct pair *pair, int lines);

// As for one browser (browse/browser.h).
bool pair_is_busy(const struct pair *pair);
void pair_tick(struct pair *pair);
bool pair_is_done(const struct pair *pair);
// Whether it ended for now, because the trace continues where its index so far ends.
bool pair_wants_text(const struct pair *pair);
bool pair_failed(const struct pair *pair, struct error *err);
bool pair_draw(struct pair *pair, struct screen *screen);

#endif
