// The lines of a trace's text, which is all there, or has to be asked for (source_want).
#ifndef TRAWL_ANALYSIS_TRACE_LINES_H
#define TRAWL_ANALYSIS_TRACE_LINES_H

#include "base/source.h"

// Where the source fails, the text ends, and source_view_status tells why.
struct trace_lines {
    const char *text;
    uint64_t size_bytes;
    const struct source *source; // NULL: all is there
};

// Fails as source_view does.
enum status trace_lines_open(struct trace_lines *lines, struct source *source, struct error *err);

// Has what stands from `from` on up to `to` be there. False: it cannot be had.
static inline bool trace_lines_want(const struct trace_lines *lines, uint64_t from, uint64_t to)
{
    return !lines->source || source_want(lines->source, from, to);
}

// Where the line that has the byte at `position` ends, at its newline or with the text; `position`
// itself where it cannot be had. All of it up to there is there.
uint64_t trace_lines_end(const struct trace_lines *lines, uint64_t position);

// Where the line begins that ends before `position`, or has the byte before it; `position` where it
// cannot be had.
uint64_t trace_lines_start(const struct trace_lines *lines, uint64_t position);

// The beginning of the line after the one that has the byte at `position`, or the end of the text.
static inline uint64_t trace_lines_next(const struct trace_lines *lines, uint64_t position)
{
    uint64_t end = trace_lines_end(lines, position);
    return end + (end < lines->size_bytes);
}

#endif
