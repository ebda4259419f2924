// Reports the damage of a binary trace, and calls whose end is missing.
#ifndef TRAWL_CMD_REPORT_DAMAGE_H
#define TRAWL_CMD_REPORT_DAMAGE_H

#include "base/source.h"
#include "cli/diag.h"
#include "trace/trace.h"

// Reports the first faults of a trace, and counts all.
void report_trace_damage(struct diag *diag, const char *path, const struct trace_damage *damage,
                         trace_fault_text *text_of);

// Reports that a compressed file ends early or is damaged, so that the rest is missing.
void report_packed_damage(struct diag *diag, const struct source *source);

// The same from its index.
void report_indexed_damage(struct diag *diag, const char *path, const struct trawl_info *info);

#endif
