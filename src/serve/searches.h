// The running and finished searches of a trace, by what they look for: a repeated request, for the
// progress or the next hit, finds the existing search.
#ifndef TRAWL_SERVE_SEARCHES_H
#define TRAWL_SERVE_SEARCHES_H

#include "browse/search.h"
#include "serve/desk.h"

struct searches;

// The desk is the searches' own as long as they are open.
enum status searches_open(struct searches **out, struct desk *desk, struct error *err);
void searches_close(struct searches *searches);

// What is looked for: an extended regular expression in the text (or the names of functions, where
// events are rows), or a condition over registers and memory of a lane.
struct search_wish {
    const char *text;
    bool is_condition;
    uint64_t lane; // of a condition
};

// What a poll has to tell.
struct search_answer {
    struct search_progress progress;
    enum search_outcome outcome; // of the first hit
    bool has_wrapped;
    size_t count;     // of hits
    uint64_t *places; // that they are at: bytes where lines begin, or events; the caller's
    bool are_events;
};

// Begins to search, or continues; and finds up to `capacity` hits after a place (SEARCH_START: from
// the beginning), or before it, each once. STATUS_INPUT: it is no expression.
enum status searches_ask(struct searches *searches, const struct search_wish *wish, uint64_t from,
                         bool is_forward, size_t capacity, struct search_answer *answer,
                         struct error *err);

// Stops a search, if it is there.
void searches_stop(struct searches *searches, const struct search_wish *wish);

#endif
