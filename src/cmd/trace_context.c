#include "cmd/trace_context.h"

#include "base/limits.h"

#include <stdlib.h>

enum status trace_context_open(struct trace_context *context, const struct session *session,
                               struct error *err)
{
    const struct trace *trace = session->trace;
    if (!context->is_wanted || context->is_open)
        return STATUS_OK;
    if (!trace || !source_is_file(trace->source))
        return error_set(err, STATUS_INPUT,
                         "%s: --context shows lines of the trace, which must be a file",
                         session->path);
    enum status status = trace_lines_open(&context->lines, trace->source, err);
    if (status == STATUS_OK)
        status = out_open_memory(&context->out, err);
    context->is_open = status == STATUS_OK;
    context->source = trace->source;
    return status;
}

// The lines, for `out`, which fails if there is no memory for them or no room for the text.
static const char *lines_around(struct trace_context *context, struct out *out,
                                const struct line_place *place)
{
    bool has = text_around_has(&context->lines, place);
    struct error err;
    out_clear(&context->out);
    if (has)
        text_around_put(&context->out, &context->lines, place, context->count);
    // All lines were available so far; a wrong index claims that the place exists.
    if (!out_failed(&context->out) && source_view_status(context->source, &err) == STATUS_OK)
        return has ? out_memory_text(&context->out) : NULL;
    context->lacks_memory = true;
    out_depend(out, &context->lacks_memory);
    return NULL;
}

void trace_context_cell(struct trace_context *context, struct table *table,
                        const struct line_place *place)
{
    if (context->is_open)
        table_below(table, lines_around(context, table->out, place));
}

void trace_context_put(struct trace_context *context, struct out *out,
                       const struct line_place *place)
{
    const char *lines = trace_context_text(context, out, place);
    if (lines)
        out_text(out, lines);
}

const char *trace_context_text(struct trace_context *context, struct out *out,
                               const struct line_place *place)
{
    return context->is_open ? lines_around(context, out, place) : NULL;
}

void trace_context_free(struct trace_context *context)
{
    if (context->is_open)
        out_abandon(&context->out);
    context->is_open = false;
}

char *trace_context_copy(const struct trace_lines *lines, const struct line_place *place)
{
    const char *start;
    size_t length = (size_t)u64_min(text_around_line(lines, place, &start), LIMIT_LINE_BYTES);
    char *copy = malloc(length + 1);
    for (size_t i = 0; copy && i < length; i++)
        copy[i] = start[i] == '\0' ? '?' : start[i] == '\t' ? ' ' : start[i];
    if (copy)
        copy[length] = '\0';
    return copy;
}
