// The damage of a binary trace, and calls that lost their end, told to people.
#ifndef TRAWL_CMD_REPORT_DAMAGE_H
#define TRAWL_CMD_REPORT_DAMAGE_H

#include "cli/diag.h"
#include "trace/trace.h"

// Reports the first faults of a trace, and counts all.
void report_trace_damage(struct diag *diag, const char *path, const struct trace_damage *damage,
                         trace_fault_text *text_of);

#endif
