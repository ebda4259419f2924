// Where lines of a text begin and end.
#ifndef TRAWL_BASE_LINE_ENDS_H
#define TRAWL_BASE_LINE_ENDS_H

#include "base/base.h"

// The newline that ends the line at `at`, or the end of the text.
static inline const char *line_end_at(const char *at, const char *end)
{
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return newline ? newline : end;
}

// The beginning of the line that contains `at`, in text that begins at `start`.
static inline const char *line_start_at(const char *start, const char *at)
{
    const char *newline = at > start ? memrchr(start, '\n', (size_t)(at - start)) : NULL;
    return newline ? newline + 1 : start;
}

// The number of lines that end in [at, end).
static inline uint64_t line_count_in(const char *at, const char *end)
{
    uint64_t count = 0;
    for (; at < end; at++)
        count += *at == '\n';
    return count;
}

#endif
