// Passes the calls of a pass to the writer of an index.
#ifndef TRAWL_SESSION_INDEX_CALLS_H
#define TRAWL_SESSION_INDEX_CALLS_H

#include "flow/call_list.h"
#include "idx/index_write.h"

// Adds the calls of one lane, in preorder, using the writer's threads. False: no memory.
bool index_calls_add(struct index_writer *writer, struct call_list *list,
                     const struct call_content *outermost);

// Whether a lane has the same calls in both lists. Also false if there is no memory.
bool index_calls_are_equal(const struct call_list *a_list, const struct call_content *a_outermost,
                           const struct call_list *b_list, const struct call_content *b_outermost);

#endif
