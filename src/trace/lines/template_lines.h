// The loop over lines of known templates, compiled for each instruction set.
#ifndef TRAWL_TRACE_LINES_TEMPLATE_LINES_H
#define TRAWL_TRACE_LINES_TEMPLATE_LINES_H

#include "trace/lines/parsed_chunk.h"

// Processes the lines that begin in `chunk` from *at on and before `up_to`, as long as they match
// known templates, and sets *at to the first that does not. False: no memory.
typedef bool template_lines_function(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                                     const struct parse_options *options, const char **at,
                                     const char *up_to);

// The loop for `simd`, which the machine must support.
template_lines_function *template_lines_of(enum simd simd);

// Private to template_lines*.c.
template_lines_function template_lines_scalar, template_lines_avx2, template_lines_avx512,
    template_lines_neon;

#endif
