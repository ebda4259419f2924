#include "analysis/instruction_look.h"

#include "base/limits.h"

bool instruction_look(const struct trace *trace, const struct reading_options *how,
                      uint64_t position, struct line_look *look)
{
    const char *bytes = source_bytes(trace->source);
    uint64_t size = source_size_bytes(trace->source);
    struct line_look_context context = LINE_LOOK_START;
    if (!bytes || position >= size || !trace->kind->look)
        return false;
    const char *start = bytes + position;
    uint64_t length = u64_min(size - position, LIMIT_LINE_BYTES);
    const char *end = memchr(start, '\n', length);
    end = end ? end : start + length;
    while (end > start && end[-1] == '\r')
        end--;
    trace->kind->look(start, end, how, false, &context, look);
    return look->subject == LINE_ABOUT_INSTRUCTION && look->part_count;
}
