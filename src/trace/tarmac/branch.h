// The targets of direct branches.
#ifndef TRAWL_TRACE_TARMAC_BRANCH_H
#define TRAWL_TRACE_TARMAC_BRANCH_H

#include "trace/lines/line.h"

// Finds the target of a direct branch, with Thumb bit, and the operand of the disassembly that
// names it. Both encoding and text must show that it is a direct branch. False: it is not.
bool tarmac_branch_target(const struct line_instruction *instruction, const char *end,
                          uint64_t *target, struct text_span *operand);

#endif
