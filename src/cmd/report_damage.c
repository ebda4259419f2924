#include "cmd/report_damage.h"

#include "analysis/file_place.h"
#include "base/limits.h"

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

_Static_assert(LIMIT_NAMED_REGISTER_BYTES == 64, "as the texts say");

// `what` takes the number and its plural; `effect` is for reports, `advice` for `trawl doctor`.
static const struct {
    const char *one, *many, *effect, *advice;
} doubt_texts[DOUBT_KINDS] = {
    [DOUBT_GAPS] = {"gap in the flow of instructions", "gaps in the flow of instructions",
                    "calls and times around them may be wrong",
                    "the previous instruction cannot lead there: check whether tracing was paused "
                    "or filtered; calls around it may be missing"},
    [DOUBT_TIMES_BACK] = {"step back in time", "steps back in time",
                          "events have the same time until the earlier time is reached again",
                          "check whether two runs were joined; events have the same time until the "
                          "earlier time is reached again"},
    [DOUBT_TIMES_MIXED] = {"time in a unit that cannot be converted to that of the trace",
                           "times in units that cannot be converted to that of the trace",
                           "their numbers are taken as they are",
                           "cycles and durations do not mix: check which program wrote the line"},
    [DOUBT_TIMES_FINER] = {"time in a finer unit than in the first lines",
                           "times in a finer unit than in the first lines",
                           "they are rounded down to the unit of the trace",
                           "configure the producer to use one unit"},
    [DOUBT_VALUES_LONG] = {"register value of more than 64 bytes",
                           "register values of more than 64 bytes", "they are not kept",
                           "registers have their earlier values, or none, after these lines"},
};

void doubt_describe(const struct trace *trace, enum doubt_kind kind, const struct doubt *doubt,
                    char text[DOUBT_TEXT_BYTES], const char **advice)
{
    char place[FILE_PLACE_BYTES];
    const char *file_line = trace ? file_place_of_line(trace, doubt->line, place) : NULL;
    const char *what = doubt->count == 1 ? doubt_texts[kind].one : doubt_texts[kind].many;
    int length = snprintf(text, DOUBT_TEXT_BYTES, "%" PRIu64 " %s%s", doubt->count, what,
                          doubt->count == 1 ? " in " : ", the first in ");
    if (file_line)
        snprintf(text + length, DOUBT_TEXT_BYTES - (size_t)length, "%s", file_line);
    else
        snprintf(text + length, DOUBT_TEXT_BYTES - (size_t)length, "line %" PRIu64, doubt->line);
    *advice = doubt_texts[kind].advice;
}

void report_doubts(struct diag *diag, const char *path, const struct trace *trace,
                   const struct doubts *doubts)
{
    for (enum doubt_kind kind = 0; kind < DOUBT_KINDS; kind++) {
        char text[DOUBT_TEXT_BYTES];
        const char *advice;
        if (!doubts->of[kind].count)
            continue;
        doubt_describe(trace, kind, &doubts->of[kind], text, &advice);
        diag_warning(diag, "%s: %s: %s", path, text, doubt_texts[kind].effect);
    }
}
