// The tools of a request: its own index handle, names and browser, because each of these serves one
// thread at a time. A trace has a few desks, which requests use in turn.
#ifndef TRAWL_SERVE_DESK_H
#define TRAWL_SERVE_DESK_H

#include "browse/browser.h"

struct desk {
    struct session session;
    struct browse_source source;
    struct timeline timeline;
    struct browser browser;
    struct screen screen;
    size_t lane;       // shown by default; 0: all
    struct desk *next; // of free desks
};

struct source_search;
struct desks;

// The session must have a view of its index and outlive the desks; so must `sources`.
struct desks_plan {
    const struct session *session;
    const struct source_search *source_search;
    unsigned count_max;
};

enum status desks_open(struct desks **out, const struct desks_plan *plan, struct error *err);
// All desks must have been given back.
void desks_close(struct desks *desks);

// Takes a free desk, or a new one, or waits for one. Nothing is folded on it, and no lane is left
// out.
enum status desks_take(struct desks *desks, struct desk **desk, struct error *err);
void desks_give_back(struct desks *desks, struct desk *desk);

// The failure while the desk was used, after which the desk is unusable. False: none.
bool desk_failed(struct desk *desk, struct error *err);

#endif
