// Memory lines: contiguous accesses ("MW8 ADDR VALUE") and drawings ("LD ADDR ........ 000ffbb8
// ...").
#include "simd/text.h"
#include "trace/tarmac/record_words.h"
#include "trace/tarmac/rules.h"

#include "base/characters.h"

#include <stdio.h>

// Reads direction and size from the record word: the first R or W, the first run of digits.
static bool read_type(struct parser *parser, const struct token *type)
{
    struct line_memory *memory = &parser->line->memory;
    const char *at = type->start;
    while (at < type->end && *at != 'R' && *at != 'W')
        at++;
    memory->is_read = at < type->end && *at == 'R';
    for (at = type->start; at < type->end && (*at < '0' || *at > '9');)
        at++;
    struct token digits = *type;
    digits.start = digits.end = at;
    while (digits.end < type->end && is_digit(*digits.end))
        digits.end++;
    uint64_t size = 0;
    if (digits.end > digits.start && !parser_decimal(parser, &digits, &size))
        return false;
    memory->size_bytes = (uint32_t)u64_min(size, UINT32_MAX);
    memory->is_bare = false;
    memory->is_of_gem5 = type->first == 'M' && digits.start == type->start + 2 &&
                         digits.end == type->end && digits.end > digits.start;
    return true;
}

// Skips "( ... )" after the record word. `token` becomes the one after it.
static bool skip_parentheses(struct parser *parser, struct token *token)
{
    struct token open = *token;
    do {
        *token = parser_next(parser);
        if (token->kind == TOKEN_END)
            return parser_fail(parser, &open, "unclosed '(' in memory operation");
        if (!parser_accept(parser, token))
            return false;
    } while (!token_is_punct(token, ')'));
    *token = parser_next(parser);
    return true;
}

// The keyword for an access that moved nothing: "(ABORTED)", or "(wait)" from ARMulator.
static bool aborted(struct parser *parser)
{
    struct token keyword = parser_next(parser);
    if (!TOKEN_IS(&keyword, "ABORTED") &&
        (parser->options->reading == READING_TTU ||
         (!TOKEN_IS(&keyword, "abort") && !TOKEN_IS(&keyword, "wait"))))
        return parser_fail(parser, &keyword,
                           parser->options->reading == READING_TTU
                               ? "unrecognised parenthesised keyword"
                               : "unrecognized keyword in parentheses");
    parser->line->readings_differ |= keyword.first != 'A';
    struct token close = parser_next(parser);
    if (!token_is_punct(&close, ')'))
        return parser_fail(parser, &close, "expected closing parenthesis");
    parser->line->kind = LINE_TEXT;
    return true;
}

// Counts the digits in the word without underscores. Returns whether they are all hex.
static bool hex_digits(const struct token *word, size_t *digits)
{
    *digits = 0;
    for (const char *at = word->start; at < word->end; at++) {
        if (*at == '_')
            continue;
        if (!(line_char_classes[(uint8_t)*at] & CHAR_HEX))
            return false;
        ++*digits;
    }
    return true;
}

static bool is_only_underscores(const struct token *word)
{
    for (const char *at = word->start; at < word->end; at++) {
        if (*at != '_')
            return false;
    }
    return true;
}

// A hex value with underscores that needs more than 64 bits.
static bool is_too_wide(const struct token *word)
{
    size_t significant = 0;
    for (const char *at = word->start; at < word->end; at++)
        significant += *at != '_' && (significant || *at != '0');
    return significant > 16;
}

// 16-byte accesses have two words or, from gem5, one word of 32 digits.
static bool second_word(struct parser *parser, const struct token *value)
{
    struct line_memory *memory = &parser->line->memory;
    size_t digits = 0;
    if (memory->is_known && hex_digits(value, &digits) && digits == 32)
        return true;
    struct token second = parser_next(parser);
    if (second.kind == TOKEN_BAD)
        return parser_fail(parser, &second, "");
    if (second.kind != TOKEN_WORD || !hex_digits(&second, &digits) || !digits ||
        is_too_wide(&second))
        return parser_fail(parser, value, "expected second word of memory contents");
    parser->layout->is_particular |= digits > 16;
    memory->second = token_span(&second);
    return true;
}

// Vector accesses of 32 bytes and more: the words up to the end of the line contain all digits
// together.
static bool wide_value(struct parser *parser, struct token token)
{
    struct line_memory *memory = &parser->line->memory;
    size_t wanted = 2 * (size_t)memory->size_bytes, have = 0, digits;
    while (have < wanted && token.kind == TOKEN_WORD) {
        memory->is_known &= hex_digits(&token, &digits);
        if (!memory->is_known)
            digits = token_length(&token);
        have += digits;
        memory->value.end = token.end;
        token = parser_next(parser);
    }
    parser->line->readings_differ = true;
    return have == wanted || !memory->is_known ||
           parser_fail(parser, &token, "expected as many digits as the access has");
}

static bool fits_vector(uint32_t size_bytes)
{
    return size_bytes % 16 == 0 && size_bytes <= LINE_ACCESS_BYTES_MAX;
}

// ARMulator writes eight bytes as two words, the one at the lower address first.
static void two_words(struct parser *parser)
{
    struct line_memory *memory = &parser->line->memory;
    struct lexer lexer = parser->lexer;
    const struct token second = line_lex(&lexer);
    bool is_second = token_length(&second) == 8 && token_has_class(&second, CHAR_HEX);
    parser->line->readings_differ |= is_second;
    if (!is_second || parser->options->reading == READING_TTU) {
        parser->layout->is_particular = true; // what follows the value was used
        return;
    }
    parser->lexer = lexer;
    memory->second = token_span(&second);
}

// Whether the word has the digits of all bytes, some of which are known and some are not
// ("0000xxxx").
static bool is_partly_known(struct parser *parser, const struct token *word)
{
    struct line_memory *memory = &parser->line->memory;
    const size_t wanted = 2 * (size_t)memory->size_bytes;
    size_t known = 0, unknown = 0;
    const char *start = word->start;
    if (token_length(word) == wanted + 2 && start[0] == '0' && (start[1] | 0x20) == 'x')
        start += 2;
    for (const char *at = start; at < word->end; at++) {
        if (*at == '_')
            continue;
        bool is_hex = line_char_classes[(uint8_t)*at] & CHAR_HEX;
        if (!is_hex && (*at | 0x20) != 'x' && (*at | 0x20) != 'z')
            return false;
        known += is_hex;
        unknown += !is_hex;
    }
    if ((!known && memory->size_bytes < 16) || known + unknown != wanted ||
        memory->size_bytes > LINE_ACCESS_BYTES_MAX)
        return false;
    parser->line->readings_differ = parser->layout->is_particular = true;
    if (parser->options->reading == READING_TRUE)
        memory->value.start = start;
    return parser->options->reading == READING_TRUE;
}

static bool read_value(struct parser *parser, struct token *token)
{
    struct line_memory *memory = &parser->line->memory;
    size_t digits;
    if (token->kind != TOKEN_WORD || is_only_underscores(token))
        return parser_fail(parser, token, "expected memory contents in hex");
    parser_is_hex(parser, token);
    memory->value = token_span(token);
    memory->second = (struct text_span){token->start, token->start};
    memory->is_known = hex_digits(token, &digits);
    memory->is_partial = !memory->is_known && is_partly_known(parser, token);
    if (memory->size_bytes == 16 && !memory->is_partial) {
        if (!second_word(parser, token))
            return false;
    } else if (memory->size_bytes > 8 && !memory->is_partial) {
        if (parser->options->reading == READING_TRUE && fits_vector(memory->size_bytes))
            return wide_value(parser, *token);
        char text[64];
        snprintf(text, sizeof text, "unexpected memory access size: %u bytes", memory->size_bytes);
        return parser_fail(parser, token, text);
    } else if (memory->size_bytes == 8 && memory->is_known && token_length(token) == 8) {
        two_words(parser);
    }
    bool is_one_wide_word = memory->size_bytes == 16 && digits == 32;
    if (memory->is_known && !is_one_wide_word && is_too_wide(token))
        return parser_fail(parser, token, "memory contents do not fit 64 bits");
    parser->layout->is_particular |= memory->is_known && !is_one_wide_word && digits > 16;
    return true;
}

// MW1_D, MR2_I, MR2ED: a bus cycle of a Cortex-M0, whose value is the whole word on the bus.
static bool is_bus_word(const struct token *type)
{
    const char *word = type->start;
    return token_length(type) == 5 && word[0] == 'M' && (word[3] == '_' || word[3] == 'E') &&
           (word[4] == 'D' || word[4] == 'I');
}

// Keeps the bytes of a word on the bus that are in the lanes of the access: byte N of a word in
// memory is byte N of the word on the bus.
static void take_lanes(struct parser *parser, const struct token *type)
{
    struct line_memory *memory = &parser->line->memory;
    struct text_span *value = &memory->value;
    size_t lane = memory->address % 4;
    if (!is_bus_word(type) || memory->size_bytes >= 4 || value->end - value->start != 8)
        return;
    parser->line->readings_differ = true;
    parser->layout->is_particular = true; // the address determines which digits are used
    if (parser->options->reading == READING_TTU || lane + memory->size_bytes > 4)
        return;
    value->end -= 2 * lane;
    value->start = value->end - 2 * (size_t)memory->size_bytes;
}

// "MR4 xxxxxxxx": a load from somewhere shows nothing. A store there may have changed anything,
// which cannot be said of every place: the line counts as damaged.
static bool loads_from_unknown(struct parser *parser, const struct token *address)
{
    for (const char *at = address->start; at < address->end; at++) {
        bool is_unknown = (*at | 0x20) == 'x' || (*at | 0x20) == 'z';
        if (address->kind != TOKEN_WORD ||
            (!is_unknown && !(line_char_classes[(uint8_t)*at] & CHAR_HEX)))
            return false;
    }
    parser->line->readings_differ = true;
    if (address->kind != TOKEN_WORD || token_length(address) < 2 ||
        parser->options->reading == READING_TTU || !parser->line->memory.is_read)
        return false;
    parser->line->kind = LINE_TEXT;
    parser->layout->is_particular = true;
    return true;
}

// Sets the place of an access from its physical address, which has digits unless only its world is
// written.
static void take_physical(struct parser *parser, const struct token *physical)
{
    struct line_memory *memory = &parser->line->memory;
    struct token digits = *physical;
    if (token_length(&digits) > 2 && (digits.start[1] | 0x20) == 'x')
        digits.start += 2;
    digits.end = hex_digits_end(&digits);
    const size_t count = token_length(&digits);
    parser->layout->is_particular |= count > 16;
    memory->is_of_gem5 &= digits.end == physical->end; // which names no world
    if (!count || count > 16 || parser->options->reading == READING_TTU) {
        layout_digits(parser->layout, digits.start, digits.end);
        return;
    }
    parser->layout->physical = token_span(&digits);
    memory->to_place = place_of_physical(hex_sixteen(digits.start, count), parser->line->world,
                                         parser->options->first_world) -
                       memory->address;
}

static bool access_line(struct parser *parser, const struct token *type)
{
    struct line_memory *memory = &parser->line->memory;
    struct token token = parser_next(parser);
    if (TOKEN_IS(&token, "X"))
        token = parser_next(parser);
    if (token_is_punct(&token, '(') && !skip_parentheses(parser, &token))
        return false;
    if (memchr(type->start, 'C', token_length(type)) && TOKEN_IS(&token, "TRANSFER")) {
        parser->line->kind = LINE_NOTHING;
        return true;
    }
    if (!parser_is_hex(parser, &token))
        return loads_from_unknown(parser, &token) ||
               parser_fail(parser, &token, "expected memory address");
    if (!parser_hex(parser, &token, &memory->address))
        return false;
    parser->layout->address = token_span(&token);
    token = parser_next(parser);
    if (token_is_punct(&token, ':')) {
        struct token physical = parser_next(parser);
        if (!parser_is_physical(parser, &physical))
            return parser_fail(parser, &physical, "expected physical memory address after ':'");
        take_physical(parser, &physical);
        token = parser_next(parser);
    }
    if (token_is_punct(&token, '('))
        return aborted(parser);
    if (!read_value(parser, &token))
        return false;
    take_lanes(parser, type);
    return true;
}

// Whether the record word is one of memory accesses: capitals that include a direction (MR4, MNW8,
// R01).
static bool names_access(const struct token *type)
{
    for (const char *at = type->start; at < type->end && is_capital(*at); at++) {
        if (*at == 'R' || *at == 'W')
            return true;
    }
    return false;
}

bool tarmac_memory(struct parser *parser, const struct token *type)
{
    struct trace_line *line = parser->line;
    line->kind = LINE_MEMORY;
    line->memory.to_place = 0;
    if (token_length(type) == 8 && (type->end[-1] == 'I' || type->end[-1] == 'A')) {
        line->kind = LINE_TEXT;
        return true;
    }
    line->memory.is_memory_order = token_length(type) == 8 && type->end[-1] == 'D';
    if (read_type(parser, type) && access_line(parser, type))
        return true;
    if (names_access(type))
        return false;
    // A record word like MODE that only begins with M. The reference rejects the line as a bad
    // memory access; in fact it is an event of an unknown kind, or an idle cycle.
    line->kind = LINE_TEXT;
    if (tarmac_names_cycle(type)) {
        line->readings_differ = true;
        if (parser->options->reading == READING_TRUE)
            return true;
    }
    line->note = NOTE_UNKNOWN_EVENT;
    line->note_subject = *type;
    return true;
}

static bool pair_is_uniform(const char *pair)
{
    bool first_hex = line_char_classes[(uint8_t)pair[0]] & CHAR_HEX;
    bool second_hex = line_char_classes[(uint8_t)pair[1]] & CHAR_HEX;
    return (first_hex && second_hex) || (!first_hex && pair[0] == pair[1]);
}

static bool is_drawing(const struct token *word)
{
    if (word->kind != TOKEN_WORD)
        return false;
    for (const char *at = word->start; at < word->end; at++) {
        if (!(line_char_classes[(uint8_t)*at] & CHAR_HEX) && *at != '.' && *at != '#')
            return false;
    }
    return true;
}

// Sets a fault at byte `index` of a word. The reference underlines it at a column that grows
// quadratically.
static bool drawing_fault(struct parser *parser, const struct token *word, size_t index,
                          const char *text)
{
    parser_fail(parser, word, text);
    parser->fault->column +=
        (uint32_t)(parser->options->reading == READING_TTU ? index * (index + 1) : 2 * index);
    parser->fault->length = 2;
    return false;
}

bool tarmac_diagram(struct parser *parser, const struct token *address, bool is_read)
{
    struct line_diagram *diagram = &parser->line->diagram;
    parser->line->kind = LINE_DIAGRAM;
    parser->line->is_read = is_read;
    struct token number = *address;
    if (!parser_is_hex(parser, &number))
        return parser_fail(parser, address, "expected load/store memory address");
    parser->layout->is_particular |= number.start > address->start; // the column is that of 0x
    address = &number;
    if (!parser_hex(parser, address, &diagram->address))
        return false;
    parser->layout->address = token_span(address);
    diagram->is_read = is_read;
    size_t bytes = 0;
    bool touches = false;
    while (bytes < 16) {
        struct token word = parser_next(parser);
        if (!is_drawing(&word))
            return parser_fail(parser, &word, "expected a word of data bytes, '.' and '#'");
        if (token_length(&word) % 2)
            return parser_fail(parser, &word,
                               "expected data word to cover a whole number of bytes");
        if (bytes == 0)
            diagram->words = word.start;
        diagram->words_end = word.end;
        for (size_t i = 0; i < token_length(&word) / 2; i++, bytes++) {
            if (bytes == 16)
                return drawing_fault(parser, &word, i, "expected exactly 16 data bytes");
            if (!pair_is_uniform(word.start + 2 * i))
                return drawing_fault(parser, &word, i,
                                     "expected each byte to be only one of '.', '#' and hex");
            touches |= word.start[2 * i] != '.';
        }
    }
    if (!touches) {
        parser->line->kind = LINE_NOTHING;
        parser->layout->is_particular = true;
    }
    return true;
}
