// Searches the text of a trace for a regular expression, or for lines by their meaning.
//
// A line belongs to the block in which it begins, and its place is its beginning; only the first
// TEXT_SEARCH_LINE_BYTES of a line are searched.
#ifndef TRAWL_BROWSE_TEXT_SEARCH_H
#define TRAWL_BROWSE_TEXT_SEARCH_H

#include "analysis/pattern.h"
#include "analysis/trace_lines.h"
#include "browse/search.h"

#define TEXT_SEARCH_LINE_BYTES PATTERN_LINE_BYTES

// How to search: from which place, in which direction, with how many threads.
struct search_way {
    uint64_t start;
    bool is_forward;
    unsigned threads;
};

// `pattern` is an extended regular expression of POSIX. STATUS_INPUT: it is invalid. The text must
// outlive the search, which requests the parts that are not available yet.
enum status text_search_open(struct search **out, const struct trace_lines *text,
                             const char *pattern, const struct search_way *way, struct error *err);

// Tests whether a line of a text, without its end, matches. Called by several threads at once.
struct line_test {
    void *self;
    bool (*takes)(const void *self, const struct trace_lines *text, const char *start,
                  const char *end);
    void (*free)(void *self);
};

// `test.self` belongs to the search from now on, also on failure.
enum status line_search_open(struct search **out, const struct trace_lines *text,
                             const struct line_test *test, const char *description,
                             const struct search_way *way, struct error *err);

// The parts of a line that match, at most `capacity`. Returns how many; 0 for another kind of
// search.
size_t text_search_matches(struct search *search, const char *line, size_t length,
                           struct pattern_match *matches, size_t capacity);

#endif
