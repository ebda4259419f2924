// The loop over lines of known shapes, compiled for each instruction set.
#ifndef TRAWL_TRACE_TARMAC_SHAPED_LINES_H
#define TRAWL_TRACE_TARMAC_SHAPED_LINES_H

#include "trace/tarmac/parse.h"

// Takes the lines from *at on that begin in `chunk` before `up_to`, while they are of known shapes,
// and leaves *at at the first that is not. False: no memory.
typedef bool shaped_lines_function(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                                   const struct parse_options *options, const char **at,
                                   const char *up_to);

// The loop for `simd`, which this machine has.
shaped_lines_function *shaped_lines_of(enum simd simd);

// Private to shaped_lines*.c.
shaped_lines_function shaped_lines_scalar, shaped_lines_avx2, shaped_lines_avx512,
    shaped_lines_neon;

#endif
