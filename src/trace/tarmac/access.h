// Accesses in the light of the instruction that makes them. The tracer of gem5 takes the direction
// of an access from the whole instruction, which it does not know for those that it divides into
// several operations (LDP, LDM, LDR with writeback): their loads are written as stores. And an
// access of 16 bytes or more has 64 bits of its data, either the first or the last ones, after as
// many zeros as are missing.
//
// Only models that execute instructions one by one write records in this form, with the accesses of
// an instruction directly after its line. In logs of hardware an access may be among later
// instructions, and have other words.
#ifndef TRAWL_TRACE_TARMAC_ACCESS_H
#define TRAWL_TRACE_TARMAC_ACCESS_H

#include "trace/lines/parsed_chunk.h"

// Adds such an access as what its instruction does. False: no memory.
bool access_add(struct lane_part *part, const struct line_memory *memory,
                const struct line_extent *place, const struct parse_options *options);

// Whether the access in the line [start, end) is a load, by the instruction before it in [text,
// start).
bool access_is_load(const char *text, const char *start, const char *end,
                    const struct line_memory *memory, const struct reading_options *how);

#endif
