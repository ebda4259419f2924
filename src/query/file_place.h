// Places in a trace of several files, as users name them: FILE:LINE.
#ifndef TRAWL_QUERY_FILE_PLACE_H
#define TRAWL_QUERY_FILE_PLACE_H

#include "query/position.h"
#include "trace/trace.h"

#define FILE_PLACE_BYTES 512

// FILE:LINE of a line of the trace, counted from 1; the beginning of a long path is cut off. NULL
// if the trace is NULL or a single file, or if its files can no longer be read. Not during a pass,
// unless it was called before.
const char *file_place_of_line(const struct trace *trace, uint64_t line,
                               char text[FILE_PLACE_BYTES]);

// A line in its file; in a trace that is one file, the line itself.
struct file_line {
    const char *path;
    uint64_t line, offset;
};

// The same for a line at `offset` that the current pass has read, or after a pass.
struct file_line file_line_of(const struct trace *trace, uint64_t line, uint64_t offset);

// Like position_parse, but in a trace of several files FILE:LINE is a position, too: FILE is the
// path of one of them as typed, or only its last part. `trace` may be NULL.
enum status file_position_parse(struct position *position, const char *text,
                                const struct expression_names *names, const struct trace *trace,
                                struct error *err);

#endif
