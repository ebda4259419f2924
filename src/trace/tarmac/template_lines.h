// The loop over lines of known templates, compiled for each instruction set.
#ifndef TRAWL_TRACE_TARMAC_TEMPLATE_LINES_H
#define TRAWL_TRACE_TARMAC_TEMPLATE_LINES_H

#include "trace/tarmac/parsed_chunk.h"

// Takes the lines from *at on that begin in `chunk` before `up_to`, while they are of known
// templates, and leaves *at at the first that is not. False: no memory.
typedef bool template_lines_function(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                                     const struct parse_options *options, const char **at,
                                     const char *up_to);

// The loop for `simd`, which this machine has.
template_lines_function *template_lines_of(enum simd simd);

// Private to template_lines*.c.
template_lines_function template_lines_scalar, template_lines_avx2, template_lines_avx512,
    template_lines_neon;

#endif
