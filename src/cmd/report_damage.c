#include "cmd/report_damage.h"

#include <inttypes.h>

void report_trace_damage(struct diag *diag, const char *path, const struct trace_damage *damage,
                         trace_fault_text *text_of)
{
    uint64_t count = diag->damage_count + damage->count;
    uint64_t bytes = diag->damage_bytes + damage->size_bytes;
    for (uint64_t i = 0; i < u64_min(damage->count, LIMIT_DAMAGE_KEPT); i++) {
        const struct trace_fault *fault = &damage->first[i];
        char text[TRACE_FAULT_TEXT_BYTES];
        text_of(fault, text);
        diag_damage(diag, path, 0, fault->offset, fault->size_bytes, text);
    }
    diag->damage_count = count;
    diag->damage_bytes = bytes;
}
