// The words for what makes reports on a trace doubtful.
#ifndef TRAWL_QUERY_DOUBT_TEXT_H
#define TRAWL_QUERY_DOUBT_TEXT_H

#include "flow/doubts.h"
#include "trace/trace.h"

// The size of the text of a doubt, with its NUL.
#define DOUBT_TEXT_BYTES 400

// Describes a doubt, and says in `effect` what it means for reports, and in `advice` what to do
// about it. `trace` tells the files of lines; NULL: unknown.
void doubt_describe(const struct trace *trace, enum doubt_kind kind, const struct doubt *doubt,
                    char text[DOUBT_TEXT_BYTES], const char **effect, const char **advice);

#endif
