#include "trace/damage.h"

static void keep(struct trace_damage *damage, uint64_t kept, const struct trace_fault *fault)
{
    uint64_t at = kept;
    while (at && damage->first[at - 1].offset > fault->offset)
        at--;
    if (at == LIMIT_DAMAGE_KEPT)
        return;
    kept = u64_min(kept, LIMIT_DAMAGE_KEPT - 1);
    memmove(&damage->first[at + 1], &damage->first[at], (kept - at) * sizeof *damage->first);
    damage->first[at] = *fault;
}

void trace_damage_add(struct trace_damage *damage, const struct trace_fault *fault)
{
    keep(damage, u64_min(damage->count, LIMIT_DAMAGE_KEPT), fault);
    damage->count++;
    damage->size_bytes += fault->size_bytes;
}

void trace_damage_merge(struct trace_damage *damage, const struct trace_damage *other)
{
    uint64_t kept = u64_min(damage->count, LIMIT_DAMAGE_KEPT);
    for (uint64_t i = 0; i < u64_min(other->count, LIMIT_DAMAGE_KEPT); i++) {
        keep(damage, kept, &other->first[i]);
        kept = u64_min(kept + 1, LIMIT_DAMAGE_KEPT);
    }
    damage->count += other->count;
    damage->size_bytes += other->size_bytes;
}
