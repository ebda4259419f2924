// Times: whole numbers, fractions (which count millionths), and numbers with the unit glued on, all
// brought to the unit of the trace.
#include "trace/tarmac/rules.h"
#include "trace/tarmac/unit.h"

#include <math.h>
#include <stdlib.h>

// Millionths, with integer arithmetic, rounded half away from zero. False: more than 64 bits.
static bool exact_millionths(const char *start, const char *end, uint64_t *value)
{
    uint64_t result = 0;
    const char *at = start;
    for (; at < end && *at != '.'; at++) {
        if (__builtin_mul_overflow(result, 10, &result) ||
            __builtin_add_overflow(result, (uint64_t)(*at - '0'), &result))
            return false;
    }
    at += at < end;
    for (int i = 0; i < 6; i++) {
        uint64_t digit = at < end ? (uint64_t)(*at++ - '0') : 0;
        if (__builtin_mul_overflow(result, 10, &result) ||
            __builtin_add_overflow(result, digit, &result))
            return false;
    }
    return !__builtin_add_overflow(result, at < end && *at >= '5', value);
}

// As computed by the reference: the product in extended precision, converted to double, then
// rounded.
static uint64_t rounded_millionths(const char *start, const char *end)
{
    char text[4096];
    size_t length = (size_t)u64_min((uint64_t)(end - start), sizeof text - 1);
    memcpy(text, start, length);
    text[length] = 0;
    double product = (double)(strtold(text, NULL) * 1000000.0L);
    return product >= 18446744073709551616.0 ? 0 : (uint64_t)round(product);
}

// A time with a point. Only what is before a second point counts.
static bool fractional_time(struct parser *parser, const struct token *token, uint64_t *time)
{
    const char *point = memchr(token->start, '.', token_length(token));
    const char *second = memchr(point + 1, '.', (size_t)(token->end - point - 1));
    const char *end = second ? second : token->end;
    if (end - token->start < 2)
        return parser_fail(parser, token, "expected digits in a fractional time");
    bool fits = exact_millionths(token->start, end, time);
    if (fits && (end - point <= 7 && *time < UINT64_C(1) << 53))
        return true; // both ways give this
    parser->line->readings_differ = true;
    if (parser->options->reading == READING_TTU) {
        *time = rounded_millionths(token->start, end);
        return true;
    }
    return fits || parser_fail(parser, token, "time does not fit 64 bits");
}

// Reads a unit in the reading's own way; TIME_OF_NOTHING: none.
static struct time_unit unit_of(struct parser *parser, const char *text, size_t length)
{
    bool is_known_to_ttu;
    struct time_unit unit = tarmac_unit(text, length, &is_known_to_ttu);
    parser->line->readings_differ |= unit.base != TIME_OF_NOTHING && !is_known_to_ttu;
    if (parser->options->reading == READING_TTU && !is_known_to_ttu)
        return (struct time_unit){TIME_OF_NOTHING, 0};
    return unit;
}

// "271ns": digits and points, followed by exactly a unit. Sets the part before the unit.
static struct time_unit glued_unit(struct parser *parser, const struct token *token,
                                   struct token *number)
{
    if (token->kind != TOKEN_WORD || !(line_char_classes[(uint8_t)token->first] & CHAR_FLOAT))
        return (struct time_unit){TIME_OF_NOTHING, 0};
    const char *at = token->start;
    uint8_t all = 0xff;
    while (at < token->end && (line_char_classes[(uint8_t)*at] & CHAR_FLOAT))
        all &= line_char_classes[(uint8_t)*at++];
    *number = *token;
    number->end = at;
    number->all_classes = all;
    return unit_of(parser, at, (size_t)(token->end - at));
}

// "clk 8": the unit before the number, as written by models before 2010. `token` becomes the
// number.
static struct time_unit unit_before_time(struct parser *parser, struct token *token)
{
    const struct time_unit none = {TIME_OF_NOTHING, 0};
    if (token->kind != TOKEN_WORD)
        return none;
    bool is_known_to_ttu;
    struct time_unit unit = tarmac_unit(token->start, token_length(token), &is_known_to_ttu);
    struct lexer behind = parser->lexer;
    if (unit.base == TIME_OF_NOTHING)
        return none;
    const struct token number = line_lex(&behind);
    if (!token_has_class(&number, CHAR_FLOAT))
        return none;
    parser->line->readings_differ = true;
    if (parser->options->reading == READING_TTU)
        return none;
    parser->lexer = behind;
    *token = number;
    return unit;
}

// Brings the time to the unit of the trace.
static bool scale_time(struct parser *parser, const struct token *number)
{
    const struct time_scale *scale = &parser->options->scale;
    struct trace_line *line = parser->line;
    struct time_unit unit = parser->unit;
    bool is_bare = unit.base == TIME_BARE || scale->unit.base == TIME_BARE;
    bool is_true_reading = parser->options->reading == READING_TRUE;
    if (scale->unit.base == TIME_OF_NOTHING)
        return true;
    if (!is_bare && unit.base != scale->unit.base) {
        line->time_doubt = is_true_reading ? TIME_OF_OTHER_UNIT : TIME_IS_SURE;
        line->readings_differ = true;
        parser->layout->is_particular = true;
    }
    if (unit.base != scale->unit.base)
        unit.exponent = scale->bare_exponent;
    int finer =
        unit.exponent - (parser->has_point ? TARMAC_POINT_EXPONENT : 0) - scale->unit.exponent;
    if (finer == 0)
        return true;
    line->readings_differ = true;
    if (!is_true_reading)
        return true;
    parser->layout->is_counter = false;
    uint64_t power = power_of_ten(finer < 0 ? -finer : finer);
    if (finer < 0) {
        if (line->time_doubt == TIME_IS_SURE)
            line->time_doubt = TIME_IS_FINER;
        line->time_exponent = scale->unit.exponent + finer;
        parser->layout->is_particular = true;
        line->time = power ? line->time / power : 0;
        return true;
    }
    // With other digits, it must fit as well.
    uint64_t limit = power_of_ten((int)u64_min(token_length(number), 20)), most;
    parser->layout->is_particular |= !limit || __builtin_mul_overflow(limit, power, &most);
    parser->layout->time_scale = power;
    if (line->time && (!power || __builtin_mul_overflow(line->time, power, &line->time)))
        return parser_fail(parser, number, "time does not fit 64 bits");
    return true;
}

bool tarmac_time(struct parser *parser, struct token *token)
{
    uint64_t *time = &parser->line->time;
    struct time_unit unit = unit_before_time(parser, token);
    struct token number = *token;
    parser->layout->time_scale = 1;
    if (!token_has_class(token, CHAR_FLOAT) &&
        (unit = glued_unit(parser, token, &number)).base == TIME_OF_NOTHING)
        return true;
    bool is_whole = number.all_classes & CHAR_DECIMAL;
    parser->has_point = !is_whole;
    parser->layout->time = token_span(&number);
    parser->layout->is_particular |= !is_whole;
    parser->layout->is_counter = is_whole && parser->options->reading == READING_TRUE;
    if (!(is_whole ? parser_decimal(parser, &number, time)
                   : fractional_time(parser, &number, time)))
        return false;
    *token = parser_next(parser);
    if (unit.base == TIME_OF_NOTHING && token->kind == TOKEN_WORD) {
        unit = unit_of(parser, token->start, token_length(token));
        if (unit.base != TIME_OF_NOTHING)
            *token = parser_next(parser);
    }
    if (unit.base == TIME_OF_NOTHING) {
        unit.base = TIME_BARE;
        parser->bare_number = number;
    }
    parser->unit = unit;
    return scale_time(parser, &number);
}
