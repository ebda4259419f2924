// Makes the automaton of a prefix that is stripped from lines (flow/reading.h).
#ifndef TRAWL_SEARCH_LINE_PREFIX_H
#define TRAWL_SEARCH_LINE_PREFIX_H

#include "base/error.h"
#include "flow/reading.h"

// STATUS_INPUT: the expression is invalid or not supported, or needs too many states. On failure
// *out is NULL.
enum status line_prefix_open(struct line_prefix **out, const char *pattern, struct error *err);

// NULL is allowed.
void line_prefix_close(struct line_prefix *prefix);

#endif
