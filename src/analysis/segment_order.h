// Puts a segment's records into the order of its events.
#ifndef TRAWL_ANALYSIS_SEGMENT_ORDER_H
#define TRAWL_ANALYSIS_SEGMENT_ORDER_H

#include "flow/segment.h"

// Registers and instructions come lane by lane, and accesses count for the latest event of all
// lanes (segment.h). Each access goes to the event of its own lane, if that is in the segment,
// and all records into the order of their events; those of one event and lane stay as they are.
// False: no memory.
bool segment_order(struct segment *segment);

// The same of registers alone.
bool segment_order_registers(struct segment *segment);

#endif
