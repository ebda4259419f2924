// Register lines: "R NAME [(WORD)] [<HI:LO>] VALUE...".
#include "trace/tarmac/rules.h"

#include "flow/register_names.h"

#include <strings.h>

static const char fault_contents[] = "expected register contents";
static const char fault_whole_bytes[] =
    "expected register contents to be an integer number of bytes";

static bool has_unknown_digit(const struct token *word)
{
    for (const char *at = word->start; at < word->end; at++) {
        if (line_digit_is_unknown(*at))
            return true;
    }
    return false;
}

// Whether a word can be part of a value. The reference knows no z.
static bool is_value(const struct token *word, enum reading reading)
{
    if (LIKELY(token_has_class(word, CHAR_REGVAL)))
        return true;
    if (reading == READING_TTU || word->kind != TOKEN_WORD)
        return false;
    for (const char *at = word->start; at < word->end; at++) {
        if (!(line_char_classes[(uint8_t)*at] & CHAR_REGVAL) && !line_digit_is_unknown(*at))
            return false;
    }
    return true;
}

// The number of digits of a word that count for a register value: all but fillers. x is a filler
// for the reference, and otherwise a digit that is not known.
static size_t digits_in(const struct token *word, enum reading reading)
{
    if (!(word->any_classes & CHAR_FILLER))
        return token_length(word);
    size_t count = 0;
    for (const char *at = word->start; at < word->end; at++)
        count += !(line_char_classes[(uint8_t)*at] & CHAR_FILLER) ||
                 (reading == READING_TRUE && *at != '_');
    return count;
}

// Removes "0x" from the first word of a value; `digits` is the number of digits that are expected.
// If some are not known, 0x may be the first two of so many.
static void skip_0x(struct parser *parser, struct token *word, size_t digits)
{
    if (LIKELY(!(word->any_classes & CHAR_FILLER)) || parser->options->reading == READING_TTU ||
        token_length(word) < 3 || word->start[0] != '0' || (word->start[1] | 0x20) != 'x')
        return;
    struct token rest = *word;
    rest.start += 2;
    if (has_unknown_digit(&rest) && token_length(word) == digits)
        return;
    rest.all_classes = UINT8_MAX;
    rest.any_classes = 0;
    for (const char *at = rest.start; at < rest.end; at++) {
        rest.all_classes &= line_char_classes[(uint8_t)*at];
        rest.any_classes |= line_char_classes[(uint8_t)*at];
    }
    rest.first = *rest.start;
    *word = rest;
    parser->line->readings_differ = true;
}

// Notes digits of a word that are not known.
static void note_unknown(struct parser *parser, const struct token *word)
{
    if (LIKELY(word->all_classes & CHAR_HEX) || parser->options->reading == READING_TTU ||
        !has_unknown_digit(word))
        return;
    parser->line->reg.has_unknown = parser->line->readings_differ = true;
    parser->line->reg.is_plain = false;
    parser->layout->is_particular = true;
}

static bool digits_are_all(const char *start, const char *end, char wanted)
{
    for (const char *at = start; at < end; at++) {
        uint8_t class = line_char_classes[(uint8_t)*at];
        if ((class & CHAR_REGVAL) && !(class & CHAR_FILLER) && *at != wanted)
            return false;
    }
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
    if (parser->options->reading == READING_TRUE) {
        // Some producers write values without leading zeros ("s12 4"). In a line without an end, a
        // shorter value may be the rest of one.
        parser->line->readings_differ = true;
        reg->is_short = true;
        bool has_hyphens =
            memchr(reg->value_start, '-', (size_t)(reg->value_end - reg->value_start));
        if (!*digits || (has_hyphens && reg->name.offset < REGISTER_OFFSET_VECTORS))
            return parser_fail(parser, behind, fault_contents);
        *digits = (size_t)reg->size_bytes * 2;
        return true;
    }
    if (!digits_are_all(reg->value_start, reg->value_end, '0') &&
        (*digits == 0 || !digits_are_all(reg->value_start, reg->value_end, '-')))
        return parser_fail(parser, behind, fault_contents);
    *digits = (size_t)reg->size_bytes * 2; // padded; the padding depends on its characters
    parser->layout->is_particular = true;
    return true;
}

// A link register or frame pointer: that of AArch64 if its value has more than eight digits.
static void choose_width(struct parser *parser, const struct token *first)
{
    struct line_register *reg = &parser->line->reg;
    struct lexer lexer = parser->lexer;
    size_t digits = digits_in(first, READING_TRUE);
    struct token second = line_lex(&lexer);
    if (token_is_punct(&second, ':'))
        second = line_lex(&lexer);
    if (digits == 8 && token_has_class(&second, CHAR_HEX) && token_length(&second) == 8)
        digits += 8;
    if (digits <= 8 || reg->is_range)
        return;
    reg->name.offset = register_offset(&reg->name, true);
    reg->name.layout = LAYOUT_FIXED;
    reg->name.size_bytes = reg->size_bytes = 8;
    parser->line->readings_differ = true;
}

// Collects words until the register is full. `token` is the first that may belong to the value.
static bool ordinary_value(struct parser *parser, struct token token)
{
    struct line_register *reg = &parser->line->reg;
    const enum reading reading = parser->options->reading;
    skip_0x(parser, &token, (size_t)reg->size_bytes * 2);
    if (UNLIKELY(reg->name.layout >= LAYOUT_LINK))
        choose_width(parser, &token);
    size_t wanted = (size_t)reg->size_bytes * 2, digits = 0;
    reg->value_start = reg->value_end = token.start;
    reg->is_plain = wanted > 0;
    while (digits < wanted) {
        if (!is_value(&token, reading)) {
            if (!accept_short_value(parser, &token, &digits))
                return false;
            reg->is_plain = false;
            break;
        }
        digits += digits_in(&token, reading);
        reg->is_plain &= memchr(token.start, '-', token_length(&token)) == NULL;
        note_unknown(parser, &token);
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
    const enum reading reading = parser->options->reading;
    skip_0x(parser, &token, 8);
    if (!is_value(&token, reading))
        return parser_fail(parser, &token, fault_contents);
    reg->is_plain = token_has_class(&token, CHAR_HEX);
    size_t digits = digits_in(&token, reading);
    note_unknown(parser, &token);
    reg->value_start = token.start;
    reg->value_end = token.end;
    token = parser_next(parser);
    bool has_colon = token_is_punct(&token, ':');
    if (has_colon)
        token = parser_next(parser);
    if (token_has_class(&token, is_cpsr && !has_colon ? CHAR_HEX : CHAR_REGVAL)) {
        digits += digits_in(&token, reading);
        reg->is_plain &= token_has_class(&token, CHAR_HEX);
        note_unknown(parser, &token);
        reg->value_end = token.end;
    } else if (has_colon) {
        return parser_fail(parser, &token, "expected additional register contents after ':'");
    }
    if (!parser_accept(parser, &token))
        return false;
    const bool is_exact = reading == READING_TTU;
    if (!is_cpsr && digits % 2) {
        parser->line->readings_differ = true;
        if (is_exact)
            return parser_fail(parser, &token, fault_whole_bytes);
    }
    if (reg->name.kind == REGISTER_SP) {
        bool is_usual = digits == 8 || digits == 16;
        bool is_64 = is_exact ? digits == 16 : digits > 8;
        if (is_exact ? !is_usual : digits > 16)
            parser->line->kind = LINE_NOTHING;
        parser->line->readings_differ |= !is_usual;
        reg->is_short = !is_usual;
        reg->name.offset = is_64 ? REGISTER_OFFSET_XSP : REGISTER_OFFSET_X(13);
        reg->name.layout = is_64 || reading == READING_TTU ? LAYOUT_FIXED : LAYOUT_STACK;
        reg->name.size_bytes = is_64 ? 8 : 4;
    }
    reg->size_bytes = reg->name.size_bytes;
    return true;
}

// --- Registers of a name of their own ------------------------------------------------------------

static bool is_too_long(const struct line_register *reg)
{
    return reg->first_byte + reg->size_bytes > LIMIT_NAMED_REGISTER_BYTES;
}

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
        token_length(&first) > 6 || token_length(&last) > 6 ||
        !parser_decimal(parser, &first, &high) || !parser_decimal(parser, &last, &low))
        return false;
    if (high % 8 != 7 || low % 8 || low > high)
        return false;
    reg->is_range = true;
    reg->first_byte = (uint32_t)(low / 8);
    reg->size_bytes = (uint32_t)((high + 1 - low) / 8);
    *token = parser_next(parser);
    return !is_too_long(reg);
}

// The number of digits of a word in such a value. 0: it is not part of the value.
static size_t named_digits_in(const struct token *word)
{
    bool is_marker = token_length(word) == 1 && line_digit_is_unknown(word->first);
    return is_marker || !is_value(word, READING_TRUE) ? 0 : digits_in(word, READING_TRUE);
}

// Reads the words of a value; what follows is ignored. False: there are none, or more than are
// stored.
static bool named_value(struct parser *parser, struct token token)
{
    struct line_register *reg = &parser->line->reg;
    size_t digits = 0, more;
    if (token_length(&token) > 2 && memcmp(token.start, "0x", 2) == 0)
        token.start += 2;
    reg->has_unknown = false;
    reg->is_plain = token.all_classes & CHAR_HEX;
    reg->value_start = token.start;
    while ((more = named_digits_in(&token)) != 0) {
        digits += more;
        reg->has_unknown |= has_unknown_digit(&token);
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
    struct trace_line *line = parser->line;
    struct token value = *token;
    bool is_kept = register_name_fits(line->reg.spelled_length) &&
                   (!token_is_punct(&value, '<') || named_range(parser, &value)) &&
                   named_value(parser, value);
    if (is_kept) {
        line->kind = LINE_NAMED_REGISTER;
        return true;
    }
    line->has_long_value = parser->options->reading == READING_TRUE && is_too_long(&line->reg);
    line->kind = LINE_NOTHING;
    parser->layout->is_particular = true;
    layout_peek(parser->layout, token);
    return true;
}

// "[3]" or "[w12, 1]" directly after a name, which are part of it: a slice of ZA, an element of a
// vector. `token` is the bracket; both become what comes after it.
static bool bracketed(struct parser *parser, struct token *name, struct token *token)
{
    struct lexer lexer = parser->lexer;
    struct token inside = *token;
    while (!token_is_punct(&inside, ']')) {
        if (inside.kind == TOKEN_END || inside.kind == TOKEN_BAD)
            return false;
        inside = line_lex(&lexer);
    }
    parser->lexer = lexer;
    name->end = inside.end;
    *token = parser_next(parser);
    return true;
}

// The bytes of "V3.D[1]" and "Z3.D[1]". False: it has another form.
static bool element_of_vector(const struct token *name, const struct token *index,
                              struct line_register *reg)
{
    static const char sizes[] = "bhsd";
    const char *dot = memchr(name->start, '.', token_length(name)), *size;
    uint64_t number = 0;
    if (!dot || name->end - dot != 2 || !(size = strchr(sizes, dot[1] | 0x20)) ||
        !token_has_class(index, CHAR_DECIMAL) || token_length(index) > 3)
        return false;
    struct register_name found =
        register_find(name->start, (size_t)(dot - name->start), READING_TRUE);
    for (const char *at = index->start; at < index->end; at++)
        number = 10 * number + (uint64_t)(*at - '0');
    uint32_t bytes = 1u << (size - sizes);
    if (found.offset < REGISTER_OFFSET_VECTORS || found.offset >= REGISTER_OFFSET_PREDICATES ||
        found.layout != LAYOUT_FIXED || (number + 1) * bytes > found.size_bytes)
        return false;
    found.kind = REGISTER_ORDINARY;
    reg->name = found;
    reg->is_range = true;
    reg->first_byte = (uint32_t)number * bytes;
    reg->size_bytes = bytes;
    return true;
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
    // A known register is stored separately under that name only if it is one of a mode or an
    // exception level (r13_svc, SP_EL1), or one of the two stacks of the M profile.
    if (reg->name.kind != REGISTER_UNKNOWN) {
        enum { SHORTEST = 3 }; // MSP
        size_t length = token_length(name);
        if (length < SHORTEST ||
            !(memchr(name->start, '_', length) || (name->start[0] | 0x20) == 'm'))
            return;
    }
    reg->spelled = name->start;
    parser->line->readings_differ |= is_process_stack(name);
    if (register_name_fits(token_length(name)))
        reg->spelled_length = (uint8_t)token_length(name);
}

// --- The line ------------------------------------------------------------------------------------

static bool is_special(enum register_kind kind)
{
    return kind == REGISTER_SP || kind == REGISTER_CPSR || kind == REGISTER_FPCR;
}

bool tarmac_register(struct parser *parser)
{
    struct trace_line *line = parser->line;
    struct line_register *reg = &line->reg;
    struct token name = parser_next(parser);
    if (name.kind != TOKEN_WORD)
        return parser_fail(parser, &name, "expected register name");
    reg->name = register_find(name.start, token_length(&name), parser->options->reading);
    line->readings_differ |= reg->name.readings_differ;
    spell(parser, &name);
    reg->is_range = reg->is_short = reg->has_unknown = false;
    reg->first_byte = 0;
    reg->size_bytes = reg->name.size_bytes;
    line->kind = LINE_REGISTER;
    struct token token = parser_next(parser);
    if (UNLIKELY(token_is_punct(&token, '[')) && reg->name.kind == REGISTER_UNKNOWN &&
        token.start == name.end && parser->options->reading == READING_TRUE) {
        struct lexer lexer = parser->lexer;
        const struct token word = name, index = line_lex(&lexer);
        if (bracketed(parser, &name, &token) && element_of_vector(&word, &index, reg)) {
            line->readings_differ = true;
            reg->spelled = NULL;
            return ordinary_value(parser, token);
        }
        spell(parser, &name);
    }
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
