// The lines of a trace's text, which is either all in memory or must be requested (source_want).
#ifndef TRAWL_QUERY_TRACE_LINES_H
#define TRAWL_QUERY_TRACE_LINES_H

#include "base/source.h"

// If the source fails, the text ends there, and source_view_status has the reason.
struct trace_lines {
    const char *text;
    uint64_t size_bytes;
    const struct source *source; // NULL: all is in memory
};

// Fails like source_view.
enum status trace_lines_open(struct trace_lines *lines, struct source *source, struct error *err);

// Makes the text from `from` to `to` available. False: it cannot be.
static inline bool trace_lines_want(const struct trace_lines *lines, uint64_t from, uint64_t to)
{
    return !lines->source || source_want(lines->source, from, to);
}

// Where the line of the byte at `position` ends: at its newline, or with the text; `position` if it
// is not available. All of the line up to there is available.
uint64_t trace_lines_end(const struct trace_lines *lines, uint64_t position);

// Where the line of the byte before `position` begins; `position` if it is not available.
uint64_t trace_lines_start(const struct trace_lines *lines, uint64_t position);

// The beginning of the line after that of the byte at `position`, or the end of the text.
static inline uint64_t trace_lines_next(const struct trace_lines *lines, uint64_t position)
{
    uint64_t end = trace_lines_end(lines, position);
    return end + (end < lines->size_bytes);
}

#endif
