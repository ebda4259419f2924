#include "analysis/open_functions.h"

static uint32_t function_at(const uint32_t *functions, size_t stride_bytes, size_t at)
{
    return *(const uint32_t *)(const void *)((const char *)functions + at * stride_bytes);
}

size_t open_functions_find(struct open_functions *open, const uint32_t *functions,
                           size_t stride_bytes, size_t depth, uint32_t function)
{
    for (; open->counted < depth; open->counted++) {
        uint32_t counted = function_at(functions, stride_bytes, open->counted);
        struct latency *row = latency_row(&open->counts, counted);
        if (!row)
            return 0;
        row->count++;
    }
    const struct latency *row = latency_find(&open->counts, function);
    if (!row || !row->count)
        return 0;
    while (function_at(functions, stride_bytes, depth - 1) != function)
        depth--;
    return depth;
}
