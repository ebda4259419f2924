// Search of the text of a trace: for a regular expression, or for lines by what they say.
//
// A line belongs to the block that it begins in, and its place is where it begins; of lines longer
// than TEXT_SEARCH_LINE_BYTES only the beginning is looked at.
#ifndef TRAWL_BROWSE_TEXT_SEARCH_H
#define TRAWL_BROWSE_TEXT_SEARCH_H

#include "analysis/pattern.h"
#include "analysis/trace_lines.h"
#include "browse/search.h"

#define TEXT_SEARCH_LINE_BYTES PATTERN_LINE_BYTES

// How to go about it: from where on, in which direction, by how many threads.
struct search_way {
    uint64_t start;
    bool is_forward;
    unsigned threads;
};

// `pattern` is an extended regular expression of POSIX. STATUS_INPUT: it is none. The text must
// stay as long as the search, which has what of it is not there yet be made as it goes on.
enum status text_search_open(struct search **out, const struct trace_lines *text,
                             const char *pattern, const struct search_way *way, struct error *err);

// Whether a line of a text, without its end, is looked for. Called by several threads at once.
struct line_test {
    void *self;
    bool (*takes)(const void *self, const struct trace_lines *text, const char *start,
                  const char *end);
    void (*free)(void *self);
};

// `test.self` is the search's own from now on, whatever comes of it.
enum status line_search_open(struct search **out, const struct trace_lines *text,
                             const struct line_test *test, const char *description,
                             const struct search_way *way, struct error *err);

// The parts of a line that match, at most `capacity`. Returns how many: none of another kind of
// search.
size_t text_search_matches(struct search *search, const char *line, size_t length,
                           struct pattern_match *matches, size_t capacity);

#endif
