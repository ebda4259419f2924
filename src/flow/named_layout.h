// The registers of a trace: those of its architecture, with those that the trace names.
#ifndef TRAWL_FLOW_NAMED_LAYOUT_H
#define TRAWL_FLOW_NAMED_LAYOUT_H

#include "flow/register_names.h"
#include "idx/register_layout.h"

// Those that the trace names are between the registers that are shown and other names of these, in
// the order of their names; `isas` has a bit for each instruction set of the architecture. To be
// freed; NULL: no memory. Names must outlive it.
struct register_run *named_layout_make(const struct register_run *runs, size_t count,
                                       const struct register_names *names, uint8_t isas,
                                       size_t *made);

#endif
