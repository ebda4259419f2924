// The running and finished searches of a trace, by what they search for: a repeated request, for
// the progress or the next hit, uses the existing search.
#ifndef TRAWL_SERVE_SEARCHES_H
#define TRAWL_SERVE_SEARCHES_H

#include "browse/search.h"
#include "serve/request_context.h"

struct searches;

// The context belongs to the searches while they are open.
enum status searches_open(struct searches **out, struct request_context *context,
                          struct error *err);
void searches_close(struct searches *searches);

// What to search for: an extended regular expression in the text (or in the names of functions, if
// events are rows), or a condition over registers and memory of a lane.
struct search_wish {
    const char *text;
    bool is_condition;
    uint64_t lane; // of a condition
};

// The answer to a request.
struct search_answer {
    struct search_progress progress;
    enum search_outcome outcome; // of the first hit
    bool has_wrapped;
    size_t count;     // of hits
    uint64_t *places; // of the hits: bytes where lines begin, or events; owned by the caller
    bool are_events;
};

// Begins to search, or continues, and finds up to `capacity` hits after a place (SEARCH_START: from
// the beginning), or before it, each once. STATUS_INPUT: the expression is invalid.
enum status searches_ask(struct searches *searches, const struct search_wish *wish, uint64_t from,
                         bool is_forward, size_t capacity, struct search_answer *answer,
                         struct error *err);

// Stops a search, if it is there.
void searches_stop(struct searches *searches, const struct search_wish *wish);

#endif
