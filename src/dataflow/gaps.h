// Where the flow of instructions has gaps: an instruction that the one before it in its core cannot
// lead to, because tracing was paused or lines are lost. What was written in a gap is not shown, so
// what a register had before it is not what it has after it.
//
// An index only counts gaps. If there are any, or damaged lines, they are found when the first
// question comes, by a walk over all events, which looks at the lines of those instructions that
// were not followed by the next one: some 10 ns an event.
#ifndef TRAWL_DATAFLOW_GAPS_H
#define TRAWL_DATAFLOW_GAPS_H

#include "dataflow/dataflow.h"

// The gaps; *gaps is NULL if there are none. They belong to `flow`.
enum status gaps_find(struct dataflow *flow, const struct dataflow_gaps **gaps, struct error *err);

// The last gap of a lane (TRAWL_ANY_LANE: of any) after event `after` (TRAWL_NONE: the beginning)
// and up to event `until`. False: there is none.
bool gaps_between(const struct dataflow_gaps *gaps, uint64_t lane, uint64_t after, uint64_t until,
                  uint64_t *gap);

#endif
