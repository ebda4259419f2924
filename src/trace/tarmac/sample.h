// Some instructions of a trace, with their encodings.
#ifndef TRAWL_TRACE_TARMAC_SAMPLE_H
#define TRAWL_TRACE_TARMAC_SAMPLE_H

#include "base/source.h"
#include "trace/tarmac/line.h"
#include "trace/trace.h"

// Reads lines at places all over a file, or the first of a pipe, which stay there; at most
// `capacity` instructions that show an encoding. Takes the same few reads however long it is.
size_t tarmac_sample(struct source *source, const struct reading_options *how,
                     struct trace_instruction *instructions, size_t capacity);

#endif
