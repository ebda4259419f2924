// Some instructions of a trace, with their encodings.
#ifndef TRAWL_TRACE_TARMAC_SAMPLE_H
#define TRAWL_TRACE_TARMAC_SAMPLE_H

#include "base/source.h"
#include "trace/lines/line.h"
#include "trace/trace.h"

// Reads lines at places throughout a file, or the first lines of a pipe, which remain unread for
// others. Returns at most `capacity` instructions that have an encoding. The number of reads does
// not depend on the length.
size_t tarmac_sample(struct source *source, const struct reading_options *how,
                     struct trace_instruction *instructions, size_t capacity);

#endif
