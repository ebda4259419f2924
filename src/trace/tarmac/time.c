// Times: whole numbers, fractions (which count millionths), and numbers with the unit glued on.
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

// "271ns": digits and points, followed by exactly a unit. Returns the part before the unit.
static bool glued_time(const struct token *token, struct token *number)
{
    if (token->kind != TOKEN_WORD || !(tarmac_char_classes[(uint8_t)token->first] & CHAR_FLOAT))
        return false;
    const char *at = token->start;
    uint8_t all = 0xff;
    while (at < token->end && (tarmac_char_classes[(uint8_t)*at] & CHAR_FLOAT))
        all &= tarmac_char_classes[(uint8_t)*at++];
    *number = *token;
    number->end = at;
    number->all_classes = all;
    return tarmac_is_unit(at, (size_t)(token->end - at));
}

// "clk 8": the unit before the number, as written by models before 2010. `token` becomes the
// number.
static bool unit_before_time(struct parser *parser, struct token *token)
{
    if (token->kind != TOKEN_WORD || !tarmac_is_unit(token->start, token_length(token)))
        return false;
    struct lexer behind = parser->lexer;
    const struct token number = tarmac_lex(&behind);
    if (!token_has_class(&number, CHAR_FLOAT))
        return false;
    parser->line->readings_differ = true;
    if (parser->options->reading == READING_TTU)
        return false;
    parser->lexer = behind;
    *token = number;
    return true;
}

bool tarmac_time(struct parser *parser, struct token *token)
{
    uint64_t *time = &parser->line->time;
    bool is_glued = unit_before_time(parser, token);
    struct token number = *token;
    if (!token_has_class(token, CHAR_FLOAT) && !(is_glued = glued_time(token, &number)))
        return true;
    bool is_whole = number.all_classes & CHAR_DECIMAL;
    parser->layout->time = token_span(&number);
    parser->layout->is_particular |= !is_whole;
    if (!(is_whole ? parser_decimal(parser, &number, time)
                   : fractional_time(parser, &number, time)))
        return false;
    *token = parser_next(parser);
    if (is_glued)
        return true;
    if (token->kind == TOKEN_WORD && tarmac_is_unit(token->start, token_length(token)))
        *token = parser_next(parser);
    else
        parser->bare_number = number;
    return true;
}
