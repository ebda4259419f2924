// Puts a segment's records into the order of its events.
#ifndef TRAWL_QUERY_SEGMENT_ORDER_H
#define TRAWL_QUERY_SEGMENT_ORDER_H

#include "flow/segment.h"

// Registers and instructions come lane by lane, and accesses belong to the latest event of all
// lanes (segment.h). Moves each access to the latest event of its own lane, if that is in the
// segment, and sorts all records by event; those of the same event and lane keep their order.
// False: no memory.
bool segment_order(struct segment *segment);

// The same for registers only.
bool segment_order_registers(struct segment *segment);

#endif
