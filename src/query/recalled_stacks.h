// The answers of trace/lane_stacks.h, from an index instead of the trace.
#ifndef TRAWL_QUERY_RECALLED_STACKS_H
#define TRAWL_QUERY_RECALLED_STACKS_H

#include "idx/trawl.h"
#include "trace/lane_stacks.h"

// The point after the last event of point->lane that begins at or before the byte. False: the index
// is damaged.
bool recalled_byte(struct trawl_index *index, uint64_t byte, struct lane_point *point);

// The stack at the point of a lane with this many events. TRAWL_MEMORY: no memory; any other status
// except TRAWL_OK: the index is damaged.
enum trawl_status recalled_stack(struct trawl_index *index, uint64_t lane, uint64_t events,
                                 const struct lane_point *point, struct lane_stack *stack);

#endif
