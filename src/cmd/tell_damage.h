// The damage of a binary trace, and calls that lost their end, told to people.
#ifndef TRAWL_CMD_TELL_DAMAGE_H
#define TRAWL_CMD_TELL_DAMAGE_H

#include "cli/diag.h"
#include "format/trace_damage.h"

// The words of a format for a fault.
typedef void fault_text(const struct trace_fault *fault, char text[TRACE_FAULT_TEXT_BYTES]);

// Reports the first faults of a trace, and counts all.
void tell_trace_damage(struct diag *diag, const char *path, const struct trace_damage *damage,
                       fault_text *text_of);

// Says how many calls of an XRay log ended with one around them, if any.
void tell_unwound(struct diag *diag, const char *path, uint64_t count);

#endif
