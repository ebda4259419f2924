// The prefix that every line may have (time, unit, CPU), and the choice of the rule by record word.
#include "format/tarmac_line.h"

#include "format/tarmac_parse.h"
#include "simd/hex.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>

bool parser_fail(struct parser *parser, const struct token *token, const char *text)
{
    if (token->kind == TOKEN_BAD)
        text = "Unrecognised token";
    snprintf(parser->fault->text, sizeof parser->fault->text, "%s", text);
    parser->fault->column = (uint32_t)(token->start - parser->start);
    parser->fault->length = (uint32_t)token_length(token);
    return false;
}

bool parser_hex(struct parser *parser, const struct token *token, uint64_t *value)
{
    const char *start = token->start;
    if (UNLIKELY(token->end - start > 16)) {
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

bool token_is_hex_ns(const struct token *token)
{
    if (token->kind != TOKEN_WORD)
        return false;
    if (token->all_classes & CHAR_HEX)
        return true;
    const char *at = token->start;
    while (at < token->end && (tarmac_char_classes[(uint8_t)*at] & CHAR_HEX))
        at++;
    size_t rest = (size_t)(token->end - at);
    return (rest == 2 && memcmp(at, "_S", 2) == 0) || (rest == 3 && memcmp(at, "_NS", 3) == 0);
}

const char *tarmac_line_trim(const char *start, const char *end)
{
    const char *trimmed = end;
    while (trimmed > start && (trimmed[-1] == '\r' || trimmed[-1] == '\n'))
        trimmed--;
    return trimmed == start ? end : trimmed;
}

// --- Times ---------------------------------------------------------------------------------------

static bool is_unit(const char *text, size_t length)
{
    if (length == 3)
        return !memcmp(text, "clk", 3) || !memcmp(text, "tic", 3) || !memcmp(text, "cyc", 3);
    return length == 2 && text[1] == 's' &&
           (text[0] == 'n' || text[0] == 'p' || text[0] == 'u' || text[0] == 'c');
}

// Millionths, by integer arithmetic, rounded half away from zero. False if they exceed 64 bits.
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

// As the reference computes it: the product in extended precision, made a double, then rounded.
static uint64_t rounded_millionths(const char *start, const char *end)
{
    char text[4096];
    size_t length = (size_t)u64_min((uint64_t)(end - start), sizeof text - 1);
    memcpy(text, start, length);
    text[length] = 0;
    double product = (double)(strtold(text, NULL) * 1000000.0L);
    return product >= 18446744073709551616.0 ? 0 : (uint64_t)round(product);
}

// A time with a point in it. Only what stands before a second point counts.
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
    if (parser->options->reading == READING_TTU) {
        *time = rounded_millionths(token->start, end);
        return true;
    }
    return fits || parser_fail(parser, token, "time does not fit 64 bits");
}

// "271ns": digits and points, then exactly a unit. Gives the part before the unit.
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
    return is_unit(at, (size_t)(token->end - at));
}

// Time, unit and CPU name. `token` is the first of the line and becomes the record word.
static bool read_prefix(struct parser *parser, struct token *token)
{
    struct tarmac_line *line = parser->line;
    struct token number = *token;
    bool is_glued = false;
    if (token_has_class(token, CHAR_FLOAT) || (is_glued = glued_time(token, &number))) {
        bool is_whole = number.all_classes & CHAR_DECIMAL;
        if (!(is_whole ? parser_decimal(parser, &number, &line->time)
                       : fractional_time(parser, &number, &line->time)))
            return false;
        *token = parser_next(parser);
        if (!is_glued && token->kind == TOKEN_WORD && is_unit(token->start, token_length(token)))
            *token = parser_next(parser);
    }
    if (token->kind == TOKEN_WORD && token->first == 'c' && token_length(token) >= 3 &&
        memcmp(token->start, "cpu", 3) == 0) {
        line->cpu = token->start;
        line->cpu_length = (uint32_t)token_length(token);
        *token = parser_next(parser);
    }
    return true;
}

// --- Record words --------------------------------------------------------------------------------

static bool is_silent_type(const struct token *type)
{
    static const char *const silent[] = {"CADI", "E",  "P",
                                         "CACHE", "TTW", "BR",
                                         "INFO_EXCEPTION_REASON", "SIGNAL", "EXC"};
    for (size_t i = 0; i < ARRAY_COUNT(silent); i++) {
        if (token_is_word(type, silent[i], strlen(silent[i])))
            return true;
    }
    return false;
}

static bool text_event(struct parser *parser, const struct token *type)
{
    parser->line->kind = LINE_TEXT;
    if (!parser_accept(parser, type))
        return false;
    if (!is_silent_type(type)) {
        parser->line->note = NOTE_UNKNOWN_EVENT;
        parser->line->note_subject = *type;
        if (type->kind != TOKEN_WORD)
            parser->line->note_subject.end = type->start;
    }
    struct token text = parser_next(parser);
    return parser_accept(parser, &text);
}

static bool exception_or_debug_event(struct parser *parser)
{
    static const char debug_event[] = "DebugEvent_";
    size_t length = sizeof debug_event - 1;
    struct token what = parser_next(parser);
    bool is_debug = what.kind == TOKEN_WORD && token_length(&what) >= length &&
                    memcmp(what.start, debug_event, length) == 0;
    parser->line->kind = is_debug ? LINE_TEXT : LINE_EXCEPTION;
    return parser_accept(parser, &what);
}

// LD or ST; remembers where the address stands, for a continuation.
static bool diagram_line(struct parser *parser, bool is_read, uint32_t *address_column)
{
    struct token address = parser_next(parser);
    *address_column = (uint32_t)(address.start - parser->start);
    return tarmac_diagram(parser, &address, is_read);
}

static bool is_short_memory_type(const struct token *type)
{
    return token_length(type) == 3 && (type->first == 'R' || type->first == 'W') &&
           type->start[1] == '0' && type->start[2] != '0' && memchr("1248", type->start[2], 4);
}

static bool read_record(struct parser *parser, const struct token *type, uint32_t *address_column)
{
    if (type->kind != TOKEN_WORD)
        return text_event(parser, type);
    if (token_length(type) == 2) {
        const char *word = type->start;
        if (word[0] == 'I' && (word[1] == 'T' || word[1] == 'S' || word[1] == 'F'))
            return tarmac_instruction(parser, type);
        if (word[0] == 'E' && word[1] == 'S')
            return tarmac_instruction(parser, type);
        if (word[0] == 'L' && word[1] == 'D')
            return diagram_line(parser, true, address_column);
        if (word[0] == 'S' && word[1] == 'T')
            return diagram_line(parser, false, address_column);
    }
    if (TOKEN_IS(type, "R"))
        return tarmac_register(parser);
    if (type->first == 'M' || is_short_memory_type(type))
        return tarmac_memory(parser, type);
    if (TOKEN_IS(type, "EXC")) {
        parser->line->kind = LINE_EXCEPTION;
        return true;
    }
    if (TOKEN_IS(type, "E"))
        return exception_or_debug_event(parser);
    if (TOKEN_IS(type, "Tarmac")) {
        parser->line->kind = LINE_NOTHING;
        return true;
    }
    return text_event(parser, type);
}

bool tarmac_line_read(const char *start, const char *end, const struct tarmac_options *options,
                      struct tarmac_context *context, struct tarmac_line *line,
                      struct tarmac_fault *fault)
{
    struct parser parser = {{start, end}, start, options, line, fault};
    line->note = NOTE_NONE;
    line->time = context->time;
    line->cpu = NULL;
    line->cpu_length = 0;
    line->looks_like_instruction = false;

    struct token token = parser_next(&parser);
    uint32_t column = (uint32_t)(token.start - start);
    if (UNLIKELY(column == context->address_column)) {
        if (!tarmac_diagram(&parser, &token, context->address_is_read))
            return false;
        return true;
    }
    uint32_t address_column = TARMAC_NO_COLUMN;
    if (!read_prefix(&parser, &token) || !read_record(&parser, &token, &address_column))
        return false;
    context->time = line->time;
    context->address_column = address_column;
    context->address_is_read = line->is_read;
    return true;
}
