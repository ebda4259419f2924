// Reports what is damaged in a trace, what makes reports on it doubtful, and what was left out on
// purpose. What is damaged in an index is said where it is read (idx/index.c), and whether it is
// built anew where it is chosen (session/session_index.c).
#ifndef TRAWL_CMD_REPORT_DAMAGE_H
#define TRAWL_CMD_REPORT_DAMAGE_H

#include "base/source.h"
#include "cli/diag.h"
#include "names/names.h"
#include "trace/trace.h"

// --- report_damage.c -----------------------------------------------------------------------------

// Reports the first faults of a trace, and counts all.
void report_trace_damage(struct diag *diag, const char *path, const struct trace_damage *damage,
                         trace_fault_text *text_of);

// Reports that a compressed file ends early or is damaged, so that the rest is missing.
void report_packed_damage(struct diag *diag, const struct source *source);

// The same from its index.
void report_indexed_damage(struct diag *diag, const char *path, const struct trawl_info *info);

// Reports all doubts, a line each: the one place where what a pass or an index knows about a trace
// becomes lines of reports. What concerns memory is only for reports that use memory.
void report_doubts(struct diag *diag, const char *path, const struct trace *trace,
                   const struct doubts *doubts, bool uses_memory);

// --- What --hide left out ------------------------------------------------------------------------

// Reports how much it was, so that sums can be checked, and which names no function had; nothing
// without --hide. Call it after the report was written.
void report_hidden(struct diag *diag, const char *path, const struct hidden_names *hidden);

#endif
