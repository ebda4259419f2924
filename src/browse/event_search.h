// Search for the events at which a condition over registers and memory becomes true: it is true
// after them, and was not before.
//
// A condition changes only when one of its operands does. So only events are examined that write
// one of its registers or bytes of memory, or load memory that was unknown.
#ifndef TRAWL_BROWSE_EVENT_SEARCH_H
#define TRAWL_BROWSE_EVENT_SEARCH_H

#include "analysis/expression.h"
#include "analysis/index_view.h"
#include "browse/text_search.h"

// `lane`: whose registers are meant. The view must outlive the search; each thread opens the index
// again. Places are events; way->start is one, or SEARCH_START.
enum status event_search_open(struct search **out, const struct index_view *view,
                              const struct expression *condition, uint64_t lane,
                              const struct search_way *way, struct error *err);

// Whether the search is one of this kind.
bool event_search_is(const struct search *search);

#endif
