// Search in the background, by several threads. Hits are at places (bytes of a text, or events),
// which are cut into blocks that can be searched in any order. The search starts at the position,
// in the direction of the user's search. The number of hits of each block is stored.
//
// Kinds of searches: browse/text_search.h, browse/event_search.h, browse/name_search.h.
#ifndef TRAWL_BROWSE_SEARCH_H
#define TRAWL_BROWSE_SEARCH_H

#include "base/error.h"

struct search;

#define SEARCH_START UINT64_MAX // before the first place, and after the last

// Each thread has a seeker. Its functions are called for one block at a time.
struct search_kind {
    // Makes a seeker for `what`. On failure nothing is left.
    enum status (*open)(void *what, void **seeker, struct error *err);
    void (*close)(void *seeker);
    // Makes the functions below end soon, with any result. NULL: they never take long.
    void (*stop)(void *what);
    // How many hits a block has.
    uint64_t (*count)(void *seeker, uint64_t block);
    // The first hit of a block after a place, or the last before it; SEARCH_START: in the whole
    // block. False: there is none.
    bool (*find)(void *seeker, uint64_t block, uint64_t from, bool is_forward, uint64_t *found);
    void (*free)(void *what);
    // Whether parts could not be read. NULL: all can always be read.
    bool (*has_failed)(const void *what);
    const char *unit; // the unit of hits: "line"
};

struct search_plan {
    const struct search_kind *kind;
    void *what;       // belongs to the search from now on, also on failure
    const char *text; // the pattern, for messages
    uint64_t block_count, block_size;
    uint64_t start; // a place
    bool is_forward;
    unsigned threads;
};

// Starts to search. On failure *out is NULL.
enum status search_open(struct search **out, const struct search_plan *plan, struct error *err);

// Also stops it. NULL is allowed.
void search_close(struct search *search);

const char *search_text(const struct search *search);
const struct search_kind *search_kind(const struct search *search);

// The seeker of the caller.
void *search_seeker(struct search *search);

struct search_progress {
    uint64_t hits; // found by now
    unsigned percent;
    bool is_done;
    bool has_failed; // not everything could be searched
};
struct search_progress search_progress(struct search *search);

// Whether any block with one of the places [first, end) is known to have hits.
bool search_has_hits(const struct search *search, uint64_t first, uint64_t end);

enum search_outcome { SEARCH_FOUND, SEARCH_UNDER_WAY, SEARCH_NOWHERE };

// The next hit after a place, or the last before it; past the end (or start) it continues at the
// other side, and *has_wrapped says so.
enum search_outcome search_next(struct search *search, uint64_t from, bool is_forward,
                                uint64_t *found, bool *has_wrapped);

#endif
