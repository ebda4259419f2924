#include "trace/tarmac/line.h"

const char *tarmac_line_trim(const char *start, const char *end)
{
    const char *trimmed = end;
    while (trimmed > start && (trimmed[-1] == '\r' || trimmed[-1] == '\n'))
        trimmed--;
    return trimmed == start ? end : trimmed;
}

// The largest difference of times between two lines that shows a wrap. Two runs in one file look
// the same only if the first ends this shortly before 2^32, and the second begins this early.
#define WRAP_WINDOW_TICKS (UINT64_C(1) << 24)

#define COUNTER_SIZE (UINT64_C(1) << 32)

struct unwrapped_time tarmac_unwrap(uint64_t before, uint16_t wraps, uint64_t number)
{
    if (number >= COUNTER_SIZE)
        return (struct unwrapped_time){number, wraps};
    uint64_t time = number + wraps * COUNTER_SIZE;
    bool may_wrap = wraps < UINT16_MAX && before < (wraps + 1) * COUNTER_SIZE;
    if (time < before && may_wrap && time + COUNTER_SIZE - before <= WRAP_WINDOW_TICKS)
        return (struct unwrapped_time){time + COUNTER_SIZE, (uint16_t)(wraps + 1)};
    if (time >= before + COUNTER_SIZE - WRAP_WINDOW_TICKS) // late
        time -= COUNTER_SIZE;
    return (struct unwrapped_time){time, wraps};
}
