#include "format/xray_fault.h"

#include <inttypes.h>
#include <stdio.h>

void xray_fault_text(const struct xray_fault *fault, char text[XRAY_FAULT_TEXT_BYTES])
{
    static const char *const texts[] = {
        [XRAY_FAULT_NO_BUFFER] = "no buffer begins here",
        [XRAY_FAULT_EXTENTS] = "the buffer's extents reach into the next buffer",
        [XRAY_FAULT_LOG_ENDS] = "the log ends inside the buffer",
        [XRAY_FAULT_CUT] = "the buffer ends inside a record",
        [XRAY_FAULT_PREAMBLE] = "the buffer ends inside its preamble",
        [XRAY_FAULT_ORDER] = "a record must not stand here, of kind",
        [XRAY_FAULT_KIND] = "unknown kind of metadata record:",
        [XRAY_FAULT_ACTION] = "unknown action of a function record:",
        [XRAY_FAULT_EVENT_SIZE] = "impossible size of an event:",
        [XRAY_FAULT_THREAD] = "a buffer inside the buffer of another thread, of thread",
        [XRAY_FAULT_NO_TIME] = "ticks since a time that the log does not tell",
        [XRAY_FAULT_THREADS] = "too many threads; left out thread",
        [XRAY_FAULT_RECORD_TYPE] = "unknown type of record:",
        [XRAY_FAULT_ARGUMENT] = "an argument that does not belong to the record before it",
    };
    const char *what = texts[fault->kind];
    switch (fault->kind) {
    case XRAY_FAULT_ORDER:
    case XRAY_FAULT_KIND:
    case XRAY_FAULT_ACTION:
    case XRAY_FAULT_THREAD:
    case XRAY_FAULT_THREADS:
    case XRAY_FAULT_RECORD_TYPE:
        snprintf(text, XRAY_FAULT_TEXT_BYTES, "%s %" PRIu64, what, fault->value);
        break;
    case XRAY_FAULT_EVENT_SIZE:
        snprintf(text, XRAY_FAULT_TEXT_BYTES, "%s %" PRId32, what, (int32_t)fault->value);
        break;
    default:
        snprintf(text, XRAY_FAULT_TEXT_BYTES, "%s", what);
        break;
    }
}

static void keep(struct xray_damage *damage, uint64_t kept, const struct xray_fault *fault)
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

void xray_damage_add(struct xray_damage *damage, const struct xray_fault *fault)
{
    keep(damage, u64_min(damage->count, LIMIT_DAMAGE_KEPT), fault);
    damage->count++;
    damage->size_bytes += fault->size_bytes;
}

void xray_damage_merge(struct xray_damage *damage, const struct xray_damage *other)
{
    uint64_t kept = u64_min(damage->count, LIMIT_DAMAGE_KEPT);
    for (uint64_t i = 0; i < u64_min(other->count, LIMIT_DAMAGE_KEPT); i++) {
        keep(damage, kept, &other->first[i]);
        kept = u64_min(kept + 1, LIMIT_DAMAGE_KEPT);
    }
    damage->count += other->count;
    damage->size_bytes += other->size_bytes;
}
