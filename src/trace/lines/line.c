#include "trace/lines/line.h"

const char *line_trim(const char *start, const char *end)
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

struct unwrapped_time line_unwrap(uint64_t before, uint16_t wraps, uint64_t number)
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

// Walks the digits of a value from the last to the first, skipping fillers, blanks and colons.
struct digit_walk {
    const char *start, *at;
    bool has_unknown;
};

static bool previous_digit(struct digit_walk *walk, char *digit)
{
    while (walk->at > walk->start) {
        char c = *--walk->at;
        uint8_t class = line_char_classes[(uint8_t)c];
        if (((class & CHAR_REGVAL) && !(class & CHAR_FILLER)) ||
            (walk->has_unknown && line_digit_is_unknown(c))) {
            *digit = c;
            return true;
        }
    }
    return false;
}

static int hex_value(char c)
{
    return c == '-' ? 0 : (c & 15) + (c > '9' ? 9 : 0);
}

// The byte with the digits `high` and `low`. A hyphen next to a digit: "d-" is d, "-d" is 256 - d.
static enum byte_effect byte_of(char high, char low, uint8_t *value)
{
    *value = 0;
    if (line_digit_is_unknown(high) || line_digit_is_unknown(low))
        return BYTE_UNKNOWN;
    if (low == '-')
        *value = (uint8_t)hex_value(high);
    else if (high == '-')
        *value = (uint8_t)(256 - hex_value(low));
    else
        *value = (uint8_t)(hex_value(high) << 4 | hex_value(low));
    return low == '-' && high == '-' ? BYTE_KEPT : BYTE_KNOWN;
}

size_t line_register_bytes(const struct line_register *reg, uint8_t *values, uint8_t *effects,
                           size_t capacity)
{
    struct digit_walk walk = {reg->value_start, reg->value_end, reg->has_unknown};
    // A cpsr or fpcr is cut or padded to four bytes; padding is with zeros.
    bool is_word = reg->name.kind == REGISTER_CPSR || reg->name.kind == REGISTER_FPCR;
    size_t count = 0;
    char low, high = '0', filler = '0';
    while (previous_digit(&walk, &low)) {
        filler = low == '-' ? '-' : '0';
        if (!previous_digit(&walk, &high))
            high = line_digit_is_unknown(low) ? low : is_word ? '0' : filler;
        if (is_word && count == reg->size_bytes)
            return count;
        if (count < capacity)
            effects[count] = (uint8_t)byte_of(high, low, &values[count]);
        count++;
    }
    if (reg->name.kind == REGISTER_OPEN_SIZE)
        return count;
    // Verilog omits leading digits that are not known if the first one is not.
    bool is_unknown = count && reg->has_unknown && line_digit_is_unknown(high);
    enum byte_effect rest = is_unknown ? BYTE_UNKNOWN : filler == '-' ? BYTE_KEPT : BYTE_KNOWN;
    for (; count < reg->size_bytes; count++) {
        if (count < capacity) {
            values[count] = 0;
            effects[count] = (uint8_t)rest;
        }
    }
    return count;
}

uint64_t power_of_ten(int exponent)
{
    uint64_t power = 1;
    for (int i = 0; i < exponent; i++) {
        if (__builtin_mul_overflow(power, 10, &power))
            return 0;
    }
    return power;
}
