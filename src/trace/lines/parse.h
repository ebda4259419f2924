// The first pass over a chunk: reads lines and makes marks, lane by lane.
#ifndef TRAWL_TRACE_LINES_PARSE_H
#define TRAWL_TRACE_LINES_PARSE_H

#include "trace/lines/parsed_chunk.h"

bool reader_state_equal(const struct reader_state *a, const struct reader_state *b);

// The state that the text before the chunk (the run-in) suggests, starting from `known`.
struct reader_state parse_guess(const struct source_chunk *chunk,
                                const struct parse_options *options,
                                const struct reader_state *known);

// What occurred in the trace before a chunk and counts towards limits.
struct known_before {
    const struct lane_list *lanes;
    const struct register_names *names;
};

// Parses the whole chunk from `guess`. `known` determines which lanes and names of registers are
// refused. If it is NULL, and has_refused_lanes or names.is_cut is set afterwards, the chunk must
// be parsed again with it. False: no memory.
bool parse_chunk(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                 const struct parse_options *options, const struct reader_state *guess,
                 const struct known_before *known);

// The same in steps. parse_begin: false if there is no memory.
bool parse_begin(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                 const struct parse_options *options, const struct reader_state *guess,
                 const struct known_before *known);

// Whether there are lines left to parse.
bool parse_is_going_on(const struct parsed_chunk *parsed);

// Parses the lines that begin in the first `up_to_bytes` of the chunk and are not parsed yet.
// False: no memory.
bool parse_lines(struct parsed_chunk *parsed, const struct parse_options *options,
                 size_t up_to_bytes);

// Makes the summaries after all lines were parsed. False: no memory.
bool parse_end(struct parsed_chunk *parsed, const struct parse_options *options);

#endif
