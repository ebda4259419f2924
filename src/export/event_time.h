// Times of trace events (Chrome's JSON): microseconds, which readers store as floating point
// numbers.
//
// Readers sort beginnings and ends of a thread by their times, and speedscope sorts each
// separately: at equal times it puts ends first, unless they belong to the function that begins. To
// preserve the calls for all readers, the times of a thread ascend: equal times are separated by a
// picosecond, or by the smallest step of a floating point number of that size.
#ifndef TRAWL_EXPORT_EVENT_TIME_H
#define TRAWL_EXPORT_EVENT_TIME_H

#include <stddef.h>

#include "base/base.h"

#define EVENT_TIME_NS_PER_S UINT64_C(1000000000)
#define EVENT_TIME_PS_PER_S UINT64_C(1000000000000)
// Frequencies from here on need wider arithmetic.
#define EVENT_TIME_SHORT_HZ (UINT64_C(1) << 34)

// Microseconds and millionths of one.
struct event_time {
    uint64_t micros;
    uint32_t millionths;
};

// Private to event_time_of: for any frequency, by wide divisions, which take ten times as long as
// narrow ones.
static inline struct event_time event_time_wide(uint64_t ticks, uint64_t hz)
{
    unsigned __int128 ps = (unsigned __int128)ticks * EVENT_TIME_PS_PER_S / hz;
    uint32_t millionths = (uint32_t)(ps % 1000000);
    if (hz <= EVENT_TIME_NS_PER_S)
        millionths -= millionths % 1000;
    return (struct event_time){(uint64_t)(ps / 1000000), millionths};
}

// Cut to nanoseconds, or to picoseconds where a tick is shorter than one. Where it is unknown how
// long a tick lasts (`hz` is 0), it is a microsecond.
static ALWAYS_INLINE struct event_time event_time_of(uint64_t ticks, uint64_t hz)
{
    if (LIKELY(hz == EVENT_TIME_NS_PER_S))
        return (struct event_time){ticks / 1000, (uint32_t)(ticks % 1000) * 1000};
    if (!hz)
        return (struct event_time){ticks, 0};
    if (hz == EVENT_TIME_PS_PER_S)
        return (struct event_time){ticks / 1000000, (uint32_t)(ticks % 1000000)};
    if (hz >= EVENT_TIME_SHORT_HZ)
        return event_time_wide(ticks, hz);
    uint64_t nanos_hz = ticks % hz * EVENT_TIME_NS_PER_S;
    uint64_t nanos = nanos_hz / hz, picos = 0;
    if (hz > EVENT_TIME_NS_PER_S)
        picos = nanos_hz % hz * 1000 / hz;
    return (struct event_time){ticks / hz * 1000000 + nanos / 1000,
                               (uint32_t)(nanos % 1000 * 1000 + picos)};
}

// Nanoseconds, cut to whole ones; where it is unknown how long a tick lasts, ticks.
static ALWAYS_INLINE uint64_t event_time_nanos(uint64_t ticks, uint64_t hz)
{
    if (!hz || hz == EVENT_TIME_NS_PER_S)
        return ticks;
    return (uint64_t)((unsigned __int128)ticks * EVENT_TIME_NS_PER_S / hz);
}

// Bytes that event_time_put_fraction may write.
#define EVENT_TIME_FRACTION_BYTES 7

// Three digits of a number below 1000.
static ALWAYS_INLINE char *event_time_put_digits(char *at, uint32_t number)
{
    *at++ = (char)('0' + number / 100);
    *at++ = (char)('0' + number / 10 % 10);
    *at++ = (char)('0' + number % 10);
    return at;
}

// Writes the fraction of a microsecond: a point and three digits, or six if there are picoseconds.
// Returns the end.
static ALWAYS_INLINE char *event_time_put_fraction(char *at, struct event_time time)
{
    *at++ = '.';
    at = event_time_put_digits(at, time.millionths / 1000);
    return time.millionths % 1000 ? event_time_put_digits(at, time.millionths % 1000) : at;
}

// Whether different ticks always become different times.
static inline bool event_time_tells_ticks(uint64_t hz)
{
    return hz <= EVENT_TIME_PS_PER_S;
}

static inline bool event_time_is_before(struct event_time a, struct event_time b)
{
    return a.micros != b.micros ? a.micros < b.micros : a.millionths < b.millionths;
}

// The next time that a reader can distinguish from this one: the microseconds take some of the 53
// bits of a double, the fraction has the rest.
static inline struct event_time event_time_next(struct event_time time)
{
    static const unsigned bits[] = {32, 36, 39, 42, 46, 49};
    uint32_t step = 1;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        step *= time.micros >> bits[i] ? 10 : 1;
    uint32_t millionths = time.millionths / step * step + step;
    time.micros += millionths / 1000000;
    time.millionths = millionths % 1000000;
    return time;
}

// The time of an event that follows `last` in its thread and should be at `time`.
static inline struct event_time event_time_behind(struct event_time last, struct event_time time)
{
    return event_time_is_before(last, time) ? time : event_time_next(last);
}

#endif
