// How often conditional branches were taken and not taken, in one trace or many. Only branches that
// were reached are known, because the trace shows their encodings.
#ifndef TRAWL_QUERY_BRANCH_COUNTS_H
#define TRAWL_QUERY_BRANCH_COUNTS_H

#include "flow/pc_counts.h"
#include "trace/trace.h"

struct branch_count {
    uint64_t pc;
    uint64_t taken, not_taken;
};

// All zero is empty.
struct branch_counts {
    VEC(, struct branch_count) rows;
};

// Adds the branches of a trace, from what was counted of it alone; there are none unless all its
// text is available. False: no memory.
bool branch_counts_add(struct branch_counts *branches, const struct trace *trace,
                       const struct reading_options *how, const struct pc_counts *counts);

// Sorts them by PC and joins equal ones.
void branch_counts_join(struct branch_counts *branches);

void branch_counts_free(struct branch_counts *branches);

// --- The text of an instruction ------------------------------------------------------------------

// The text of an instruction in a trace that was counted (flow/pc_counts.h).

// Reads the line that begins at a byte of the trace. False: not all text is available, or the line
// is not an instruction.
bool instruction_look(const struct trace *trace, const struct reading_options *how,
                      uint64_t position, struct line_look *look);

#endif
