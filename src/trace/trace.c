#include "trace/trace.h"

#include "trace/kinds.h"

#include <stdlib.h>

// As many first bytes as any kind asks for.
enum { HEAD_BYTES = 64 };

static enum status find_kind(struct source *source, enum reading reading,
                             const struct trace_kind **kind, struct error *err)
{
    char head[HEAD_BYTES];
    size_t have = 0;
    if (reading == READING_RIGHT) {
        enum status status = source_peek(source, head, sizeof head, &have, err);
        if (status != STATUS_OK)
            return status;
    }
    for (size_t i = 0;; i++) {
        *kind = trace_kinds[i];
        if (!(*kind)->is || (have && (*kind)->is(head, have)))
            return STATUS_OK;
    }
}

enum status trace_open(struct trace **out, const char *path, enum reading reading,
                       struct error *err)
{
    struct source *source;
    const struct trace_kind *kind;
    enum status status = source_open(&source, path, reading == READING_RIGHT, err);
    if (status != STATUS_OK)
        return status;
    status = find_kind(source, reading, &kind, err);
    struct trace *trace = status == STATUS_OK ? calloc(1, kind->size_bytes) : NULL;
    if (!trace) {
        source_close(source);
        return status != STATUS_OK ? status : error_set(err, STATUS_MEMORY, "%s: no memory", path);
    }
    *trace = (struct trace){.kind = kind, .path = path, .source = source};
    trace->options.reading = reading;
    *out = trace;
    return STATUS_OK;
}

void trace_close(struct trace *trace)
{
    if (!trace)
        return;
    trace_forget_index(trace);
    if (trace->kind->close)
        trace->kind->close(trace);
    source_close(trace->source);
    free(trace);
}

void trace_forget_index(struct trace *trace)
{
    trawl_close(trace->index);
    trace->index = NULL;
}

const char *trace_lacks(const struct trace_kind *kind, unsigned abilities)
{
    static const struct {
        unsigned ability;
        const char *name;
    } names[] = {
        {TRACE_CALLS, "calls"},         {TRACE_REGISTERS, "registers"},
        {TRACE_MEMORY, "memory"},       {TRACE_INSTRUCTIONS, "instructions"},
        {TRACE_TIMES, "times"},         {TRACE_LINES, "lines"},
        {TRACE_ADDRESSES, "addresses"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (abilities & ~kind->abilities & names[i].ability)
            return names[i].name;
    }
    return NULL;
}

bool trace_is_understood(const struct trace *trace, const struct pass_result *result)
{
    return !trace_can(trace, TRACE_LINES) || trace->options.reading == READING_TTU ||
           pass_result_is_understood(result);
}

uint64_t trace_frequency_hz(const struct trace *trace)
{
    return trace->kind->frequency_hz ? trace->kind->frequency_hz(trace) : 0;
}
