// Describes one line for viewers (trace/line_look.h).
#ifndef TRAWL_TRACE_TARMAC_LOOK_H
#define TRAWL_TRACE_TARMAC_LOOK_H

#include "trace/line_look.h"

// `isa`: the instruction set of names of registers. The line has no line end.
void tarmac_look(const char *start, const char *end, const struct reading_options *how,
                 uint32_t isa, struct line_look_context *context, struct line_look *look);

#endif
