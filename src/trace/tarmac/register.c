// Register lines: "R NAME [(WORD)] [<HI:LO>] VALUE...".
#include "trace/tarmac/rules.h"

#include "flow/register_names.h"

#include <strings.h>

static const char fault_contents[] = "expected register contents";
static const char fault_whole_bytes[] =
    "expected register contents to be an integer number of bytes";

// The number of digits of a word that count for a register value: all but fillers.
static size_t digits_in(const struct token *word)
{
    if (!(word->any_classes & CHAR_FILLER))
        return token_length(word);
    size_t count = 0;
    for (const char *at = word->start; at < word->end; at++)
        count += !(tarmac_char_classes[(uint8_t)*at] & CHAR_FILLER);
    return count;
}

static bool digits_are_all(const char *start, const char *end, char wanted)
{
    for (const char *at = start; at < end; at++) {
        uint8_t class = tarmac_char_classes[(uint8_t)*at];
        if ((class & CHAR_REGVAL) && !(class & CHAR_FILLER) && *at != wanted)
            return false;
    }
    return true;
}

// Some producers write values of vectors and floating-point registers without leading zeros ("s12
// 4"). A shorter value of another register is the rest of a line that was cut.
static bool accept_without_zeros(struct parser *parser, const struct token *behind, size_t *digits)
{
    struct line_register *reg = &parser->line->reg;
    parser->line->readings_differ = true;
    if (reg->name.offset < REGISTER_OFFSET_VECTORS || !*digits)
        return parser_fail(parser, behind, fault_contents);
    *digits = (size_t)reg->size_bytes * 2;
    return true;
}

// Whether a value may be shorter than the register at the end of the line; sets the fault if not.
static bool accept_short_value(struct parser *parser, const struct token *behind, size_t *digits)
{
    struct line_register *reg = &parser->line->reg;
    if (behind->kind != TOKEN_END)
        return parser_fail(parser, behind, fault_contents);
    if (reg->name.kind == REGISTER_OPEN_SIZE)
        return true;
    parser->line->readings_differ |= reg->name.offset < REGISTER_OFFSET_VECTORS;
    if (parser->options->reading == READING_RIGHT)
        return accept_without_zeros(parser, behind, digits);
    if (!digits_are_all(reg->value_start, reg->value_end, '0') &&
        (*digits == 0 || !digits_are_all(reg->value_start, reg->value_end, '-')))
        return parser_fail(parser, behind, fault_contents);
    *digits = (size_t)reg->size_bytes * 2; // padded; the padding depends on its characters
    parser->layout->is_particular = true;
    return true;
}

// Collects words until the register is full. `token` is the first that may belong to the value.
static bool ordinary_value(struct parser *parser, struct token token)
{
    struct line_register *reg = &parser->line->reg;
    size_t wanted = (size_t)reg->size_bytes * 2, digits = 0;
    reg->value_start = reg->value_end = token.start;
    reg->is_plain = wanted > 0;
    while (digits < wanted) {
        if (!token_has_class(&token, CHAR_REGVAL)) {
            if (!accept_short_value(parser, &token, &digits))
                return false;
            reg->is_plain = false;
            break;
        }
        digits += digits_in(&token);
        reg->is_plain &= memchr(token.start, '-', token_length(&token)) == NULL;
        reg->value_end = token.end;
        token = parser_next(parser);
        if (token_is_punct(&token, ':'))
            token = parser_next(parser);
    }
    if (!parser_accept(parser, &token))
        return false;
    if (digits % 2)
        return parser_fail(parser, &token, fault_whole_bytes);
    return true;
}

// Reads a decimal number of a bit in the register.
static bool bit_number(struct parser *parser, struct token *token, uint64_t *bit)
{
    if (!token_has_class(token, CHAR_DECIMAL))
        return parser_fail(parser, token, "expected bit offset within register");
    return parser_decimal(parser, token, bit);
}

// "HI : LO >", after '<' was read. `token` becomes the one after it.
static bool bit_range(struct parser *parser, struct token *token)
{
    struct line_register *reg = &parser->line->reg;
    uint64_t high, low;
    struct token high_token = parser_next(parser);
    if (!bit_number(parser, &high_token, &high))
        return false;
    if (high % 8 != 7)
        return parser_fail(parser, &high_token,
                           "expected high bit offset within register to be at the top of a byte");
    if (high / 8 >= reg->name.size_bytes)
        return parser_fail(parser, &high_token,
                           "high bit offset is larger than containing register");
    struct token colon = parser_next(parser);
    if (!token_is_punct(&colon, ':'))
        return parser_fail(parser, &colon,
                           "expected ':' separating bit offsets in register bit range");
    struct token low_token = parser_next(parser);
    if (!bit_number(parser, &low_token, &low))
        return false;
    if (low % 8 != 0)
        return parser_fail(parser, &low_token,
                           "expected low bit offset within register to be at the bottom of a byte");
    if (low > high)
        return parser_fail(parser, &low_token, "low bit offset is higher than high bit offset");
    struct token close = parser_next(parser);
    if (!token_is_punct(&close, '>'))
        return parser_fail(parser, &close, "expected '>' after register bit range");
    reg->is_range = true;
    reg->first_byte = (uint32_t)(low / 8);
    reg->size_bytes = (uint32_t)((high + 1 - low) / 8);
    *token = parser_next(parser);
    return true;
}

// The value of sp, cpsr and fpcr: one word, possibly followed by a second one, with or without a
// colon.
static bool special_value(struct parser *parser, struct token token)
{
    struct line_register *reg = &parser->line->reg;
    bool is_cpsr = reg->name.kind == REGISTER_CPSR;
    if (!token_has_class(&token, CHAR_REGVAL))
        return parser_fail(parser, &token, fault_contents);
    reg->is_plain = token_has_class(&token, CHAR_HEX);
    size_t digits = digits_in(&token);
    reg->value_start = token.start;
    reg->value_end = token.end;
    token = parser_next(parser);
    bool has_colon = token_is_punct(&token, ':');
    if (has_colon)
        token = parser_next(parser);
    if (token_has_class(&token, is_cpsr && !has_colon ? CHAR_HEX : CHAR_REGVAL)) {
        digits += digits_in(&token);
        reg->is_plain &= token_has_class(&token, CHAR_HEX);
        reg->value_end = token.end;
    } else if (has_colon) {
        return parser_fail(parser, &token, "expected additional register contents after ':'");
    }
    if (!parser_accept(parser, &token))
        return false;
    if (!is_cpsr && digits % 2)
        return parser_fail(parser, &token, fault_whole_bytes);
    if (reg->name.kind == REGISTER_SP) {
        bool is_64 = digits == 16;
        if (digits != 8 && !is_64)
            parser->line->kind = LINE_NOTHING;
        reg->name.offset = is_64 ? REGISTER_OFFSET_XSP : REGISTER_OFFSET_X(13);
        reg->name.size_bytes = is_64 ? 8 : 4;
    }
    reg->size_bytes = reg->name.size_bytes;
    return true;
}

// --- Registers of a name of their own ------------------------------------------------------------

// "HI : LO >", after '<' was read: whole bytes, within the size that is stored. `token` becomes the
// one after it.
static bool named_range(struct parser *parser, struct token *token)
{
    struct line_register *reg = &parser->line->reg;
    uint64_t high, low;
    struct token first = parser_next(parser), colon = parser_next(parser);
    struct token last = parser_next(parser), close = parser_next(parser);
    if (!token_has_class(&first, CHAR_DECIMAL) || !token_is_punct(&colon, ':') ||
        !token_has_class(&last, CHAR_DECIMAL) || !token_is_punct(&close, '>') ||
        token_length(&first) > 4 || token_length(&last) > 4 ||
        !parser_decimal(parser, &first, &high) || !parser_decimal(parser, &last, &low))
        return false;
    if (high % 8 != 7 || low % 8 || low > high || high / 8 >= LIMIT_NAMED_REGISTER_BYTES)
        return false;
    reg->is_range = true;
    reg->first_byte = (uint32_t)(low / 8);
    reg->size_bytes = (uint32_t)((high + 1 - low) / 8);
    *token = parser_next(parser);
    return true;
}

// The number of digits of a word in such a value. 0: it is not part of the value, or it has a
// character that marks an unknown digit, which is a filler in other registers.
static size_t named_digits_in(const struct token *word)
{
    size_t length = token_length(word);
    if (!token_has_class(word, CHAR_REGVAL) || memchr(word->start, 'x', length) ||
        memchr(word->start, 'X', length))
        return 0;
    return digits_in(word);
}

// Reads the words of a value; what follows is ignored. False: there are none, or more than are
// stored.
static bool named_value(struct parser *parser, struct token token)
{
    struct line_register *reg = &parser->line->reg;
    size_t digits = 0, more;
    if (token_length(&token) > 2 && memcmp(token.start, "0x", 2) == 0)
        token.start += 2;
    reg->is_plain = token.all_classes & CHAR_HEX;
    reg->value_start = token.start;
    while ((more = named_digits_in(&token)) != 0) {
        digits += more;
        reg->value_end = token.end;
        token = parser_next(parser);
        if (token_is_punct(&token, ':'))
            token = parser_next(parser);
        reg->is_plain &= !named_digits_in(&token) || token.all_classes & CHAR_HEX;
    }
    if (!reg->is_range)
        reg->size_bytes = (uint32_t)((digits + 1) / 2);
    return digits > 0 && (digits + 1) / 2 <= reg->size_bytes &&
           digits <= 2 * (size_t)LIMIT_NAMED_REGISTER_BYTES;
}

// A register of which only the name is known. Its value is stored if possible; such a line is never
// an error. `token` is the one after the name.
static bool named_register(struct parser *parser, const struct token *token)
{
    struct tarmac_line *line = parser->line;
    struct token value = *token;
    bool is_kept = register_name_fits(line->reg.spelled_length) &&
                   (!token_is_punct(&value, '<') || named_range(parser, &value)) &&
                   named_value(parser, value);
    if (is_kept) {
        line->kind = LINE_NAMED_REGISTER;
        return true;
    }
    line->kind = LINE_NOTHING;
    parser->layout->is_particular = true;
    layout_peek(parser->layout, token);
    return true;
}

// Whether a known register is stored separately under that name: a register of a mode or an
// exception level (r13_svc, SP_EL1), or one of the two stacks of the M profile.
static bool is_banked(const struct line_register *reg, const struct token *name)
{
    enum { SHORTEST = 3 }; // MSP
    size_t length = token_length(name);
    return reg->name.kind != REGISTER_UNKNOWN && length >= SHORTEST &&
           (memchr(name->start, '_', length) || (name->start[0] | 0x20) == 'm');
}

// Whether sp differs in the reading of the reference tools because of this name: they do not know
// the process stack.
static bool is_process_stack(const struct token *name)
{
    return (token_length(name) >= 3 && strncasecmp(name->start, "psp", 3) == 0) ||
           (token_length(name) >= 11 && strncasecmp(name->start, "r13_process", 11) == 0);
}

static void spell(struct parser *parser, const struct token *name)
{
    struct line_register *reg = &parser->line->reg;
    reg->spelled = NULL;
    reg->spelled_length = 0;
    if (reg->name.kind != REGISTER_UNKNOWN && !is_banked(reg, name))
        return;
    reg->spelled = name->start;
    parser->line->readings_differ |= is_process_stack(name);
    if (register_name_fits(token_length(name)))
        reg->spelled_length = (uint8_t)token_length(name);
}

// -------------------------------------------------------------------------------------------------

static bool is_special(enum register_kind kind)
{
    return kind == REGISTER_SP || kind == REGISTER_CPSR || kind == REGISTER_FPCR;
}

bool tarmac_register(struct parser *parser)
{
    struct tarmac_line *line = parser->line;
    struct line_register *reg = &line->reg;
    struct token name = parser_next(parser);
    if (name.kind != TOKEN_WORD)
        return parser_fail(parser, &name, "expected register name");
    reg->name = register_find(name.start, token_length(&name), parser->options->reading);
    line->readings_differ |= reg->name.readings_differ;
    spell(parser, &name);
    reg->is_range = false;
    reg->first_byte = 0;
    reg->size_bytes = reg->name.size_bytes;
    line->kind = LINE_REGISTER;
    struct token token = parser_next(parser);
    if (reg->name.kind == REGISTER_SYSTEM_OP) {
        line->kind = LINE_NOTHING;
        if (!parser_accept(parser, &token))
            return false;
        line->note = NOTE_UNSUPPORTED_SYSTEM;
        line->note_subject = name;
        return true;
    }
    if (token_is_punct(&token, '(')) {
        struct token details = parser_next(parser);
        if (details.kind != TOKEN_WORD)
            return parser_fail(parser, &details, "expected extra register identification details");
        struct token close = parser_next(parser);
        if (!token_is_punct(&close, ')'))
            return parser_fail(parser, &close,
                               "expected ')' after extra register identification details");
        token = parser_next(parser);
    }
    if (token_is_punct(&token, '<') && reg->name.kind != REGISTER_UNKNOWN) {
        if (is_special(reg->name.kind))
            return parser_fail(parser, &token,
                               "cannot handle register bit range for this register");
        if (!bit_range(parser, &token))
            return false;
    }
    if (!parser_accept(parser, &token))
        return false;
    if (reg->name.kind == REGISTER_UNKNOWN)
        return named_register(parser, &token);
    if (reg->name.kind == REGISTER_PC) {
        line->kind = LINE_NOTHING;
        layout_peek(parser->layout, &token);
        return true;
    }
    if (is_special(reg->name.kind))
        return special_value(parser, token);
    return ordinary_value(parser, token);
}

// Walks the digits of a value from the last to the first, skipping fillers, blanks and colons.
struct digit_walk {
    const char *start, *at;
};

static bool previous_digit(struct digit_walk *walk, char *digit)
{
    while (walk->at > walk->start) {
        char c = *--walk->at;
        uint8_t class = tarmac_char_classes[(uint8_t)c];
        if ((class & CHAR_REGVAL) && !(class & CHAR_FILLER)) {
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
static uint8_t byte_of(char high, char low)
{
    if (low == '-')
        return (uint8_t)hex_value(high);
    if (high == '-')
        return (uint8_t)(256 - hex_value(low));
    return (uint8_t)(hex_value(high) << 4 | hex_value(low));
}

size_t tarmac_register_bytes(const struct line_register *reg, uint8_t *values, bool *known,
                             size_t capacity)
{
    struct digit_walk walk = {reg->value_start, reg->value_end};
    // A cpsr or fpcr is cut or padded to four bytes; padding is with zeros.
    bool is_word = reg->name.kind == REGISTER_CPSR || reg->name.kind == REGISTER_FPCR;
    size_t count = 0;
    char low, high, filler = '0';
    while (previous_digit(&walk, &low)) {
        filler = low == '-' ? '-' : '0';
        if (!previous_digit(&walk, &high))
            high = is_word ? '0' : filler;
        if (is_word && count == reg->size_bytes)
            return count;
        if (count < capacity) {
            values[count] = byte_of(high, low);
            known[count] = !(low == '-' && high == '-');
        }
        count++;
    }
    if (reg->name.kind == REGISTER_OPEN_SIZE)
        return count;
    for (; count < reg->size_bytes; count++) {
        if (count < capacity) {
            values[count] = 0;
            known[count] = filler != '-';
        }
    }
    return count;
}
