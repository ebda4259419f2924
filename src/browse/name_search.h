// Searches for the events of functions by name, in traces that are not text.
#ifndef TRAWL_BROWSE_NAME_SEARCH_H
#define TRAWL_BROWSE_NAME_SEARCH_H

#include "browse/source.h"
#include "browse/text_search.h"

// `pattern` is as in text_search_open. The source must outlive the search, whose places are events;
// names are looked up before it begins.
enum status name_search_open(struct search **out, struct browse_source *source, const char *pattern,
                             const struct search_way *way, struct error *err);

// Whether the search is one of this kind.
bool name_search_is(const struct search *search);

// The parts of a row that match, at most `capacity`; none for another kind of search.
size_t name_search_matches(struct search *search, const char *row, size_t length,
                           struct pattern_match *matches, size_t capacity);

#endif
