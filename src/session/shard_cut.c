#include "session/shard_cut.h"

// How much text is examined before the cut, and after it.
#define BEFORE_BYTES (UINT64_C(64) << 10)
#define AFTER_BYTES (UINT64_C(16) << 20)

// The first line that begins in [at, end); `at` is in the text. `end`: none.
static const char *line_from(const char *text, const char *at, const char *end)
{
    if (at == text || at[-1] == '\n')
        return at;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}

uint64_t shard_cut(const struct trace *trace, uint64_t near)
{
    const char *text = source_bytes(trace->source);
    uint64_t size_bytes = source_size_bytes(trace->source), highest = 0;
    if (!text || source_is_made(trace->source) || !trace->kind->line_stamp || near == 0 ||
        near >= size_bytes)
        return near;
    const char *end = text + u64_min(near + AFTER_BYTES, size_bytes);
    const char *first = line_from(text, text + near, end), *next;
    bool has_times = false;
    for (const char *at = line_from(text, text + near - u64_min(near, BEFORE_BYTES), end); at < end;
         at = next) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        const struct line_stamp stamp =
            trace->kind->line_stamp(at, line_end, trace->options.prefix);
        next = newline ? newline + 1 : end;
        if (!stamp.has_time)
            continue;
        if (at >= first && has_times && stamp.time > highest)
            return (uint64_t)(at - text);
        highest = u64_max(highest, stamp.time);
        has_times = true;
    }
    return (uint64_t)(first - text);
}
