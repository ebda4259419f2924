// The units of times in a Tarmac trace, and the one that all its times are brought to.
//
// Times are numbers of ticks, of the finest unit in the trace: producers that choose a unit for
// each line (9 ns, 1 us), or write a point only where they need one (9 ns, 9.5 ns), have one clock
// all the same. A time with a point counts millionths of its unit. The first bytes of the trace
// nearly always show the finest unit; a pass that meets a finer one later begins again
// (pipeline.h).
#ifndef TRAWL_TRACE_TARMAC_UNIT_H
#define TRAWL_TRACE_TARMAC_UNIT_H

#include "flow/reading.h"

// How many powers of ten are finer if a time has a point.
#define TARMAC_POINT_EXPONENT 6

// The unit that a word names, in upper or lower case; TIME_OF_NOTHING: none. READING_TTU knows only
// some of them.
struct time_unit tarmac_unit(const char *text, size_t length, bool *is_known_to_ttu);

// The scale of a trace according to its first bytes. Only lines that are understood count.
struct time_scale tarmac_time_scale(const char *text, size_t size_bytes,
                                    const struct line_prefix *prefix);

// Ticks per second. 0: unknown, as for cycles.
uint64_t tarmac_ticks_per_second(const struct time_scale *scale);

#endif
