// Values of options as numbers. Each function accepts the whole text or refuses it.
#ifndef TRAWL_CLI_VALUES_H
#define TRAWL_CLI_VALUES_H

#include "base/base.h"

// First and last of an inclusive range.
struct value_range {
    uint64_t first, last;
};

// Decimal, or hexadecimal after 0x. False: anything else, or too large.
bool parse_u64(const char *text, uint64_t *value);

// parse_u64, which also refuses numbers outside of min..max.
bool parse_u64_within(const char *text, uint64_t min, uint64_t max, uint64_t *value);

// A number with an optional K, M or G (powers of 1024, either case): bytes.
bool parse_size(const char *text, uint64_t *size_bytes);

// "A..B", "A.." and "..B", both ends included; a missing end is 0 or UINT64_MAX. A after B is
// refused.
bool parse_range(const char *text, struct value_range *range);

// A time: like parse_u64, or with a point and up to six digits, in millionths, as in a trace whose
// times have a point.
bool parse_time(const char *text, uint64_t *time);

// A time with a point and up to nine digits, as seconds are shown: in nanoseconds. Also with a +,
// or with a unit, as a duration: +1.5s.
bool parse_seconds(const char *text, uint64_t *ns);

// A duration: a number, maybe with a point, and its unit, s, ms, us or ns: in nanoseconds.
bool parse_duration(const char *text, uint64_t *ns);

// The first and the last tick, counted from the beginning, of a clock of `hz` that are shown as
// this many nanoseconds.
uint64_t ticks_from_ns(uint64_t ns, uint64_t hz);
uint64_t ticks_to_ns(uint64_t ns, uint64_t hz);

// parse_range, of times.
bool parse_time_range(const char *text, struct value_range *range);
// The same of seconds, with a point or without, in nanoseconds.
bool parse_seconds_range(const char *text, struct value_range *range);
// Whether a time in the range has a point, a + or a unit.
bool time_range_is_relative(const char *text);

// The value of --load-offset by the rule of the Tarmac Trace Utilities, C's strtoull with base 0:
// leading white space, a sign, 0x or 0 as prefix; a negative number wraps; what follows the digits
// is ignored. False: no digit, or the number does not fit in 64 bits.
bool parse_load_offset(const char *text, uint64_t *offset);

#endif
