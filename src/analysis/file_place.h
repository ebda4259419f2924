// Places in a trace of several files, as users name them: FILE:LINE.
#ifndef TRAWL_ANALYSIS_FILE_PLACE_H
#define TRAWL_ANALYSIS_FILE_PLACE_H

#include "analysis/position.h"
#include "trace/trace.h"

#define FILE_PLACE_BYTES 512

// Which FILE:LINE the line of a trace is, from 1; a long path is cut at its beginning. NULL for a
// trace that is one file, or NULL, and where the files can no longer be read. Not during a pass,
// unless this was called before.
const char *file_place_of_line(const struct trace *trace, uint64_t line,
                               char text[FILE_PLACE_BYTES]);

// A line in its file: itself, of a trace that is one file.
struct file_line {
    const char *path;
    uint64_t line, offset;
};

// The same of a line at `offset` that the pass under way has read, or a trace that is over.
struct file_line file_line_of(const struct trace *trace, uint64_t line, uint64_t offset);

// Like position_parse, but of a trace that is several files FILE:LINE is a position, too: FILE is
// the path of one of them as it was typed, or its last part alone. `trace` may be NULL.
enum status file_position_parse(struct position *position, const char *text,
                                const struct expression_names *names, const struct trace *trace,
                                struct error *err);

#endif
