// Finds the lines of a text that an extended regular expression of POSIX matches.
//
// Only the first PATTERN_LINE_BYTES of a line are searched. A CR at its end does not belong to the
// line. A matcher is for one thread.
//
// A pattern is searched in three steps, each of which leaves little to the next: bytes that every
// match must contain, found by vectors (simd/kernels.h); an automaton that tells which lines match
// (search/dfa.h); the C library for patterns that the automaton does not support. Against GNU grep,
// counting takes 0.2 to 1.1 times the processor time for most patterns, and up to twice for fixed
// text that is not there, most of which is mapping the trace (bench/RESULTS.md, Compressed traces).
#ifndef TRAWL_SEARCH_LINE_MATCHER_H
#define TRAWL_SEARCH_LINE_MATCHER_H

#include "search/pattern.h"
#include "simd/simd.h"

struct line_matcher;

// STATUS_INPUT: the pattern is invalid.
enum status line_matcher_open(struct line_matcher **out, const char *pattern, enum simd simd,
                              struct error *err);
void line_matcher_close(struct line_matcher *matcher);

// Ends all searches, as if nothing more matched, once *stops is true: lines that are matched by the
// C library take time. NULL: none.
void line_matcher_stop_at(struct line_matcher *matcher, const _Atomic bool *stops);

// From now on, searches for lines that begin before `limit`, in text that ends at `end`.
void line_matcher_begin(struct line_matcher *matcher, const char *limit, const char *end);

// The first line that matches at or after `at`, the start of a line; NULL: none. Until the next
// line_matcher_begin, `at` must not go back.
const char *line_matcher_next(struct line_matcher *matcher, const char *at);

// Whether one line matches, which need not be of that text; *newline is one.
bool line_matcher_takes(struct line_matcher *matcher, const char *start, const char *newline);

// How many lines match from there on.
uint64_t line_matcher_count(struct line_matcher *matcher, const char *at);

// The pattern, to find the matches within a line.
const struct pattern *line_matcher_pattern(const struct line_matcher *matcher);

#endif
