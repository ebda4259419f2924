// The calls of a pass on their way into an index.
#ifndef TRAWL_SESSION_INDEX_CALLS_H
#define TRAWL_SESSION_INDEX_CALLS_H

#include "flow/call_list.h"
#include "idx/index_write.h"

// Adds the calls of one lane, in preorder, by the threads of the writer. False: no memory.
bool index_calls_add(struct index_writer *writer, struct call_list *list,
                     const struct call_content *outermost);

// Whether a lane has the same calls in both lists. False, too, without memory.
bool index_calls_are_equal(const struct call_list *a_list, const struct call_content *a_outermost,
                           const struct call_list *b_list, const struct call_content *b_outermost);

#endif
