// Finds the lines of a text that an extended regular expression of POSIX matches.
//
// Of a line longer than PATTERN_LINE_BYTES only the beginning is looked at. A CR that ends a line
// is no part of it. A matcher is for one thread.
#ifndef TRAWL_ANALYSIS_LINE_MATCHER_H
#define TRAWL_ANALYSIS_LINE_MATCHER_H

#include "analysis/pattern.h"
#include "simd/simd.h"

struct line_matcher;

// STATUS_INPUT: the pattern is none.
enum status line_matcher_open(struct line_matcher **out, const char *pattern, enum simd simd,
                              struct error *err);
void line_matcher_close(struct line_matcher *matcher);

// From now on lines are looked for that begin before `limit`, in text that ends at `end`.
void line_matcher_begin(struct line_matcher *matcher, const char *limit, const char *end);

// The first line at or after `at`, where one begins, that matches; NULL: none does. `at` only grows
// until the next beginning.
const char *line_matcher_next(struct line_matcher *matcher, const char *at);

// How many lines match from there on.
uint64_t line_matcher_count(struct line_matcher *matcher, const char *at);

// What is looked for, to find where in a line it stands.
const struct pattern *line_matcher_pattern(const struct line_matcher *matcher);

#endif
