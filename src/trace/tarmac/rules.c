// Shared by the rules of the line reader: faults, numbers.
#include "trace/tarmac/rules.h"

#include "simd/text.h"

#include "base/characters.h"

#include <stdio.h>

bool parser_fail(struct parser *parser, const struct token *token, const char *text)
{
    if (token->kind == TOKEN_BAD)
        text =
            parser->options->reading == READING_TTU ? "Unrecognised token" : "unrecognized token";
    snprintf(parser->fault->text, sizeof parser->fault->text, "%s", text);
    parser->fault->column = (uint32_t)(token->start - parser->start);
    parser->fault->length = (uint32_t)token_length(token);
    return false;
}

bool parser_strip_0x(struct parser *parser, struct token *token)
{
    const char *start = token->start;
    if (token->kind != TOKEN_WORD || token_length(token) < 3 || start[0] != '0' ||
        (start[1] | 0x20) != 'x')
        return false;
    for (const char *at = start + 2; at < token->end; at++) {
        if (!(line_char_classes[(uint8_t)*at] & CHAR_HEX))
            return false;
    }
    parser->line->readings_differ = true;
    if (parser->options->reading == READING_TTU)
        return false;
    token->start += 2;
    token->first = *token->start;
    token->all_classes |= CHAR_HEX;
    return true;
}

void layout_peek(struct line_columns *layout, const struct token *token)
{
    if (token->kind == TOKEN_END)
        return;
    layout->read_end = token->start + 1;
    layout->ends_in_peek = true;
    if (line_char_classes[(uint8_t)token->first] & CHAR_HEX)
        layout_digits(layout, token->start, token->start + 1);
}

bool parser_hex(struct parser *parser, const struct token *token, uint64_t *value)
{
    const char *start = token->start;
    if (UNLIKELY(token->end - start > 16)) {
        parser->layout->is_particular = true;
        while (start < token->end - 16 && *start == '0')
            start++;
        if (token->end - start > 16)
            return parser_fail(parser, token, "hexadecimal number does not fit 64 bits");
    }
    *value = hex_sixteen(start, (size_t)(token->end - start));
    return true;
}

bool parser_decimal(struct parser *parser, const struct token *token, uint64_t *value)
{
    uint64_t result = 0;
    for (const char *at = token->start; at < token->end; at++) {
        if (UNLIKELY(__builtin_mul_overflow(result, 10, &result) ||
                     __builtin_add_overflow(result, (uint64_t)(*at - '0'), &result)))
            return parser_fail(parser, token, "number does not fit 64 bits");
    }
    *value = result;
    return true;
}

const char *hex_digits_end(const struct token *token)
{
    const char *at = token->start;
    while (at < token->end && (line_char_classes[(uint8_t)*at] & CHAR_HEX))
        at++;
    return at;
}

// "_" and a few capitals.
static bool names_world(const char *at, const char *end)
{
    if (end - at < 2 || end - at > 4 || *at++ != '_')
        return false;
    while (at < end && is_capital(*at))
        at++;
    return at == end;
}

// The world of "_NS".
static uint8_t world_of(const char *at, const char *end)
{
    static const char *const names[] = {"", "NS", "RL", "RT"};
    const size_t length = at < end ? (size_t)(end - at - 1) : 0;
    uint8_t hash = 0;
    if (length == 1 && at[1] == 'S')
        return WORLD_SECURE;
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (length == strlen(names[i]) && (!length || memcmp(at + 1, names[i], length) == 0))
            return (uint8_t)i;
    }
    for (at++; at < end; at++)
        hash = (uint8_t)(hash * 27 + (*at - 'A'));
    return (uint8_t)(WORLD_OTHER + hash % (WORLD_LAST + 1 - WORLD_OTHER));
}

bool parser_is_physical(struct parser *parser, const struct token *token)
{
    if (token->kind != TOKEN_WORD)
        return false;
    parser->line->has_physical = true;
    parser->line->world = WORLD_SECURE;
    if (token->all_classes & CHAR_HEX)
        return true;
    struct token number = *token;
    if (token_length(token) > 2 && token->start[0] == '0' && (token->start[1] | 0x20) == 'x' &&
        parser->options->reading == READING_TRUE) {
        parser->line->readings_differ = true;
        number.start += 2;
    }
    const char *at = hex_digits_end(&number);
    if (at == token->end)
        return true;
    size_t rest = (size_t)(token->end - at);
    parser->line->world = world_of(at, token->end);
    if ((rest == 2 && memcmp(at, "_S", 2) == 0) || (rest == 3 && memcmp(at, "_NS", 3) == 0))
        return true;
    if (!names_world(at, token->end))
        return false;
    parser->line->readings_differ = true;
    return parser->options->reading == READING_TRUE;
}
