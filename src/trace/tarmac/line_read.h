// Reads one line of a Tarmac trace, or reports what is wrong with it.
//
// This is the scalar reference reader. It is independent of chunks, nodes and calls.
//
// The grammar is that of the manual of Arm's Tarmac Trace Utilities and, for what that does not
// specify, of its tools. docs/differences-from-ttu.md lists the differences between the readings.
#ifndef TRAWL_TRACE_TARMAC_LINE_READ_H
#define TRAWL_TRACE_TARMAC_LINE_READ_H

#include "base/merge.h"
#include "trace/lines/line.h"

// Reads the line [start, end), which contains no newline and no trailing CR. `context` is the state
// after the previous line; it changes only on success: a line that is skipped changes neither time
// nor continuation, nor does one of an unknown record with READING_TRUE. False: `fault` has the
// reason.
bool tarmac_line_read(const char *start, const char *end, const struct reading_options *options,
                      struct line_context *context, struct trace_line *line,
                      struct text_fault *fault);

// The same; sets `layout` if the line could be read.
bool tarmac_line_study(const char *start, const char *end, const struct reading_options *options,
                       struct line_context *context, struct trace_line *line,
                       struct text_fault *fault, struct line_columns *layout);

// The unit of the line's time, and whether its number has a point. TIME_OF_NOTHING: it has no time,
// or is not understood.
struct time_unit tarmac_line_unit(const char *start, const char *end,
                                  const struct line_prefix *prefix, bool *has_point);

// Reads the beginning of a line, for merging files of several cores.
struct line_stamp tarmac_line_stamp(const char *start, const char *end,
                                    const struct line_prefix *prefix);

#endif
