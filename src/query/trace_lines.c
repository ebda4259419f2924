#include "query/trace_lines.h"

#include "base/line_ends.h"

// How much is requested at a time while searching for the end of a line.
#define STEP_BYTES (UINT64_C(64) << 10)

enum status trace_lines_open(struct trace_lines *lines, struct source *source, struct error *err)
{
    struct source_view view;
    enum status status = source_view(source, &view, err);
    *lines = (struct trace_lines){view.bytes, view.size_bytes, NULL};
    if (source_makes_view(source))
        lines->source = source;
    return status;
}

uint64_t trace_lines_end(const struct trace_lines *lines, uint64_t position)
{
    uint64_t size_bytes = lines->size_bytes, step = lines->source ? STEP_BYTES : size_bytes;
    for (uint64_t at = position, end; at < size_bytes; at = end) {
        end = at + u64_min(step, size_bytes - at);
        if (!trace_lines_want(lines, at, end))
            return position;
        const char *newline = memchr(lines->text + at, '\n', (size_t)(end - at));
        if (newline)
            return (uint64_t)(newline - lines->text);
    }
    return size_bytes;
}

uint64_t trace_lines_start(const struct trace_lines *lines, uint64_t position)
{
    uint64_t step = lines->source ? STEP_BYTES : position;
    for (uint64_t end = position, from; end; end = from) {
        from = end - u64_min(end, step);
        if (!trace_lines_want(lines, from, end))
            return position;
        const char *newline = memrchr(lines->text + from, '\n', (size_t)(end - from));
        if (newline)
            return (uint64_t)(newline - lines->text) + 1;
    }
    return 0;
}
