// Search of the text of a trace by a regular expression, in the background and by several threads.
//
// The text is cut into blocks, which are searched from where one stands on, and then from the
// start. Of each is kept how many of its lines match. A line belongs to the block that it begins
// in; of lines longer than SEARCH_LINE_BYTES only the beginning is looked at.
#ifndef TRAWL_BROWSE_SEARCH_H
#define TRAWL_BROWSE_SEARCH_H

#include "base/error.h"

#define SEARCH_LINE_BYTES ((size_t)65536)

struct search;

// Starts to search. `pattern` is an extended regular expression of POSIX. STATUS_INPUT: it is none.
// On failure *out is NULL. The text must stay as long as the search.
enum status search_open(struct search **out, const char *text, uint64_t size_bytes,
                        const char *pattern, uint64_t start, unsigned threads, struct error *err);

// Stops it, too. NULL is allowed.
void search_close(struct search *search);

const char *search_pattern(const struct search *search);

struct search_progress {
    uint64_t lines; // that match, found by now
    unsigned percent;
    bool is_done;
};
struct search_progress search_progress(struct search *search);

enum search_outcome { SEARCH_FOUND, SEARCH_UNDER_WAY, SEARCH_NOWHERE };

// Where the next matching line begins, after the one that begins at `from`, or the last before it;
// past the end (or start) it goes on at the other side, and *has_wrapped says so.
enum search_outcome search_next(struct search *search, uint64_t from, bool is_forward,
                                uint64_t *found, bool *has_wrapped);

// The parts of a line that match, at most `capacity`. Returns how many.
struct search_match {
    size_t start, end;
};
size_t search_matches(struct search *search, const char *line, size_t length,
                      struct search_match *matches, size_t capacity);

#endif
