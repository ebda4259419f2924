#include "cmd/report_damage.h"

#include "query/doubt_text.h"

#include <inttypes.h>
#include <stdio.h>

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

void report_packed_damage(struct diag *diag, const struct source *source)
{
    const struct source_fault fault = source_fault(source);
    if (!fault.text)
        return;
    if (fault.plain_byte == UINT64_MAX) // one of several merged files
        diag_warning(diag,
                     "%s: the compressed data %s at byte %" PRIu64
                     "; its lines after that are left out",
                     fault.path, fault.text, fault.packed_byte);
    else
        diag_warning(diag,
                     "%s: the compressed data %s at byte %" PRIu64
                     "; the trace is read up to byte %" PRIu64 " of its text",
                     fault.path, fault.text, fault.packed_byte, fault.plain_byte);
    diag->is_partial = true;
}

void report_indexed_damage(struct diag *diag, const char *path, const struct trawl_info *info)
{
    if (!info->packed_fault)
        return;
    diag_warning(diag,
                 "%s: the compressed data are truncated or damaged at byte %" PRIu64
                 "; the index is of the trace up to byte %" PRIu64 " of its text",
                 path, info->packed_fault - 1, info->trace_bytes);
    diag->is_partial = true;
}

// --- Doubts --------------------------------------------------------------------------------------

void report_doubts(struct diag *diag, const char *path, const struct trace *trace,
                   const struct doubts *doubts, bool uses_memory)
{
    for (enum doubt_kind kind = 0; kind < DOUBT_KINDS; kind++) {
        char text[DOUBT_TEXT_BYTES];
        const char *effect, *advice;
        if (!doubts->of[kind].count || (kind == DOUBT_LOADS && !uses_memory))
            continue;
        doubt_describe(trace, kind, &doubts->of[kind], text, &effect, &advice);
        diag_warning(diag, "%s: %s: %s", path, text, effect);
    }
}

// --- What --hide left out ------------------------------------------------------------------------

void report_hidden(struct diag *diag, const char *path, const struct hidden_names *hidden)
{
    for (size_t i = 0; i < hidden->items.count; i++) {
        if (!hidden->items.items[i].was_met)
            diag_warning(diag, "%s: --hide '%.120s' hides nothing: there is no such function", path,
                         hidden->items.items[i].pattern);
    }
    const char *them = hidden->calls == 1 ? "it" : "them";
    if (hidden->ticks && hidden->calls)
        diag_note(
            diag, "%s: --hide leaves out %" PRIu64 " tick%s: %" PRIu64 " call%s, and those in %s",
            path, hidden->ticks, plural(hidden->ticks), hidden->calls, plural(hidden->calls), them);
    else if (hidden->ticks)
        diag_note(diag, "%s: --hide leaves out %" PRIu64 " tick%s", path, hidden->ticks,
                  plural(hidden->ticks));
    else if (hidden->calls)
        diag_note(diag, "%s: --hide leaves out %" PRIu64 " call%s, and those in %s", path,
                  hidden->calls, plural(hidden->calls), them);
    if (hidden->frames)
        diag_note(diag, "%s: --hide leaves out %" PRIu64 " frame%s", path, hidden->frames,
                  plural(hidden->frames));
}
