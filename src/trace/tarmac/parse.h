// The first pass over a chunk: lines are read and leave marks, lane by lane.
#ifndef TRAWL_TRACE_TARMAC_PARSE_H
#define TRAWL_TRACE_TARMAC_PARSE_H

#include "trace/tarmac/parsed_chunk.h"

bool reader_state_equal(const struct reader_state *a, const struct reader_state *b);

// What the run-in of the chunk suggests, starting from `known`.
struct reader_state parse_guess(const struct source_chunk *chunk,
                                const struct parse_options *options,
                                const struct reader_state *known);

// What a trace had before a chunk, as far as there are limits for it.
struct known_before {
    const struct lane_list *lanes;
    const struct register_names *names;
};

// Parses the whole chunk from `guess`. Which lanes and names of registers are refused follows from
// `known`; if that is NULL and has_refused_lanes or names.is_cut is set in the end, the chunk
// must be parsed again with it. False: no memory.
bool parse_chunk(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                 const struct parse_options *options, const struct reader_state *guess,
                 const struct known_before *known);

// The same in steps. parse_begin: false without memory.
bool parse_begin(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                 const struct parse_options *options, const struct reader_state *guess,
                 const struct known_before *known);

// Whether there are lines left to be read.
bool parse_is_going_on(const struct parsed_chunk *parsed);

// Parses the lines that begin in the first `up_to_bytes` of the chunk and are not parsed yet.
// False: no memory.
bool parse_lines(struct parsed_chunk *parsed, const struct parse_options *options,
                 size_t up_to_bytes);

// Sums up, when all lines are read.
void parse_end(struct parsed_chunk *parsed);

#endif
