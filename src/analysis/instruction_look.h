// The text of an instruction in a trace that was counted (flow/pc_counts.h).
#ifndef TRAWL_ANALYSIS_INSTRUCTION_LOOK_H
#define TRAWL_ANALYSIS_INSTRUCTION_LOOK_H

#include "trace/trace.h"

// Reads the line that begins at a byte of the trace. False: not all text is available, or the line
// is not an instruction.
bool instruction_look(const struct trace *trace, const struct reading_options *how,
                      uint64_t position, struct line_look *look);

#endif
