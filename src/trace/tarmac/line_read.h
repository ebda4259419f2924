// Reads one line of a Tarmac trace: what it says, or what is wrong with it.
//
// This is the scalar reference reader. It knows nothing of chunks, nodes or calls.
//
// The grammar is that of the manual of Arm's Tarmac Trace Utilities, and where that is silent what
// its tools take; docs/differences-from-ttu.md says where the readings part.
#ifndef TRAWL_TRACE_TARMAC_LINE_READ_H
#define TRAWL_TRACE_TARMAC_LINE_READ_H

#include "base/merge.h"
#include "trace/tarmac/line.h"

// Reads the line [start, end), which holds no newline and no trailing CR. `context` is what the
// line before left; it changes only on success: a line that is skipped changes neither time nor
// continuation. False: `fault` says why.
bool tarmac_line_read(const char *start, const char *end, const struct reading_options *options,
                      struct tarmac_context *context, struct tarmac_line *line,
                      struct text_fault *fault);

// The same, and says how: `layout` is filled when the line could be read.
bool tarmac_line_study(const char *start, const char *end, const struct reading_options *options,
                       struct tarmac_context *context, struct tarmac_line *line,
                       struct text_fault *fault, struct tarmac_layout *layout);

// What a line begins with, for those who merge files of several cores.
struct line_stamp tarmac_line_stamp(const char *start, const char *end);

#endif
