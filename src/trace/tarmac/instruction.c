// Instruction lines: "ES (ADDR:BITS) O mode: text" and "IT (n) ADDR BITS O mode : text".
#include "trace/lines/marks.h"
#include "trace/tarmac/rules.h"

static bool state_of(const struct token *token, enum isa_state *isa)
{
    if (token->kind != TOKEN_WORD || token_length(token) > 3)
        return false;
    if (token_length(token) == 1) {
        *isa = token->first == 'O' ? ISA_AARCH64 : token->first == 'A' ? ISA_ARM : ISA_THUMB;
        return token->first == 'O' || token->first == 'A' || token->first == 'T';
    }
    *isa = ISA_THUMB;
    return TOKEN_IS(token, "T16") || TOKEN_IS(token, "T32");
}

static bool is_all_hyphens(const struct token *token)
{
    if (token->kind != TOKEN_WORD)
        return false;
    for (const char *at = token->start; at < token->end; at++) {
        if (*at != '-')
            return false;
    }
    return true;
}

static bool set_encoding(struct parser *parser, const struct token *bits)
{
    struct line_instruction *instruction = &parser->line->instruction;
    uint64_t encoding;
    if (!parser_hex(parser, bits, &encoding))
        return false;
    parser->layout->encoding = token_span(bits);
    instruction->encoding = (uint32_t)encoding;
    instruction->summary.encoding_column =
        (uint32_t)(bits->end - parser->start) -
        (uint32_t)u64_min(token_length(bits), ENCODING_DIGITS); // the digits that are used
    instruction->size_bytes = (uint32_t)(token_length(bits) / 2);
    return true;
}

// "( ADDR : BITS )" of the ES form. `open` is the token after ES.
static bool es_header(struct parser *parser, const struct token *open)
{
    struct line_instruction *instruction = &parser->line->instruction;
    if (!token_is_punct(open, '('))
        return parser_fail(parser, open,
                           "expected '(' to introduce instruction address and bit pattern");
    struct token address = parser_next(parser);
    if (!parser_is_hex(parser, &address))
        return parser_fail(parser, &address, "expected a hex instruction address");
    if (!parser_hex(parser, &address, &instruction->address))
        return false;
    parser->layout->address = token_span(&address);
    struct token colon = parser_next(parser);
    if (!token_is_punct(&colon, ':'))
        return parser_fail(parser, &colon,
                           "expected ':' between instruction address and bit pattern");
    struct token bits = parser_next(parser);
    if (parser_is_hex(parser, &bits)) {
        if (!set_encoding(parser, &bits))
            return false;
    } else if (is_all_hyphens(&bits)) {
        instruction->encoding = 0;
        instruction->size_bytes = (uint32_t)(token_length(&bits) / 2);
        instruction->fetched = false;
    } else {
        return parser_fail(parser, &bits, "expected a hex instruction bit pattern");
    }
    struct token close = parser_next(parser);
    if (!token_is_punct(&close, ')'))
        return parser_fail(parser, &close,
                           "expected ')' after instruction address and bit pattern");
    return true;
}

struct it_parens {
    bool present, has_colon;
    uint64_t last_number;
    struct text_span last_digits;
};

// "( NUM [: NUM] )". `token` is the token after IT, and becomes the one after the parenthesis.
static bool it_parentheses(struct parser *parser, struct token *token, struct it_parens *parens)
{
    if (!token_is_punct(token, '('))
        return true;
    parens->present = true;
    for (;;) {
        struct token number = parser_next(parser);
        if (!parser_is_hex(parser, &number))
            return parser_fail(parser, &number, "expected a hex or decimal number");
        if (!parser_hex(parser, &number, &parens->last_number))
            return false;
        parens->last_digits = token_span(&number);
        layout_digits(parser->layout, number.start, number.end);
        *token = parser_next(parser);
        if (!token_is_punct(token, ':') || parens->has_colon)
            break;
        parens->has_colon = true;
    }
    if (!token_is_punct(token, ')'))
        return parser_fail(parser, token, "expected ')' after bracketed value");
    *token = parser_next(parser);
    return true;
}

// ": HEXNS [, HEXNS]": physical addresses, which are not used. `token` becomes the one after them.
static bool it_physical(struct parser *parser, struct token *token)
{
    static const char *const faults[] = {"expected a hex address after ':'",
                                         "expected a hex address after ','"};
    *token = parser_next(parser);
    for (int i = 0; i < 2 && token_is_punct(token, ":,"[i]); i++) {
        struct token address = parser_next(parser);
        if (!parser_is_physical(parser, &address))
            return parser_fail(parser, &address, faults[i]);
        layout_digits(parser->layout, address.start, hex_digits_end(&address));
        *token = parser_next(parser);
    }
    return true;
}

static bool is_bits(const struct token *token)
{
    size_t length = token_length(token);
    return token_has_class(token, CHAR_HEX) && (length == 4 || length == 8);
}

// Whether the value that was read is the bit pattern, in a line without a state whose address is in
// parentheses: the text comes next.
static bool lacks_bits(struct parser *parser, const struct it_parens *parens,
                       const struct token *value, const struct token *behind)
{
    return parser->options->reading == READING_TRUE && parser->options->implicit_state &&
           parens->present && is_bits(value) && !is_bits(behind);
}

// Reads the IT form up to the instruction set state, which becomes `token`.
static bool it_header(struct parser *parser, struct token *token, bool *may_lack_mode)
{
    struct line_instruction *instruction = &parser->line->instruction;
    struct it_parens parens = {0};
    if (!it_parentheses(parser, token, &parens))
        return false;
    *may_lack_mode = parens.has_colon;
    struct token hex = *token;
    if (!parser_is_hex(parser, &hex))
        return parser_fail(parser, &hex, "expected a hex value");
    if (!it_physical(parser, token))
        return false;
    (void)parser_is_hex(parser, token); // for lacks_bits
    enum isa_state ignored;
    bool has_state = state_of(token, &ignored);
    if (has_state || lacks_bits(parser, &parens, &hex, token)) {
        // There is no bit pattern before the state: the first value was the bit pattern, and the
        // address is in the parentheses.
        if (!parens.present)
            return parser_fail(parser, &hex, "expected an instruction address in parentheses");
        instruction->address = parens.last_number;
        parser->layout->address = parens.last_digits;
        parser->layout->is_particular |= !has_state;
        *may_lack_mode |= parser->options->reading == READING_TRUE;
        parser->line->readings_differ |= !parens.has_colon;
        return set_encoding(parser, &hex);
    }
    if (!parser_hex(parser, &hex, &instruction->address))
        return false;
    parser->layout->address = token_span(&hex);
    if (!parser_is_hex(parser, token))
        return parser_fail(parser, token, "expected a hex instruction bit pattern");
    parser->layout->is_particular |= token_length(token) == 1; // an A would be the state
    if (!set_encoding(parser, token))
        return false;
    *token = parser_next(parser);
    return true;
}

// Reads the CPU mode, the colon and, for ES lines, CCFAIL. `token` is the token after the state,
// and becomes the first of the disassembly.
static bool mode_and_colon(struct parser *parser, struct token *token, bool may_lack_mode)
{
    if (token_is_punct(token, ':')) {
        *token = parser_next(parser);
        return true;
    }
    if (may_lack_mode)
        return true;
    if (token->kind != TOKEN_WORD)
        return parser_fail(parser, token, "expected CPU mode");
    parser->line->instruction.bank = sp_bank_of_mode(token->start, token_length(token));
    struct token colon = parser_next(parser);
    if (!token_is_punct(&colon, ':'))
        return parser_fail(parser, &colon, "expected ':' before instruction");
    *token = parser_next(parser);
    return true;
}

static bool is_plain_word(const struct token *token)
{
    for (const char *at = token->start; at < token->end; at++) {
        char letter = (char)(*at | 0x20);
        if (letter < 'a' || letter > 'z')
            return false;
    }
    return token->kind == TOKEN_WORD;
}

// "ES System Error (Abort)": what happens instead of an instruction, in plain words up to the end
// of the line. The lines after it show the effect.
static bool names_event(struct parser *parser, const struct token *first)
{
    struct lexer lexer = parser->lexer;
    struct token token = *first;
    if (token_length(first) < 3 || first->first < 'A' || first->first > 'Z')
        return false;
    while (is_plain_word(&token) || token_is_punct(&token, '(') || token_is_punct(&token, ')'))
        token = line_lex(&lexer);
    if (token.kind != TOKEN_END)
        return false;
    parser->line->readings_differ = true;
    if (parser->options->reading == READING_TTU)
        return false;
    parser->line->kind = LINE_TEXT;
    parser->line->looks_like_instruction = false;
    parser->layout->is_particular = true;
    return true;
}

bool tarmac_instruction(struct parser *parser, const struct token *type)
{
    struct line_instruction *instruction = &parser->line->instruction;
    bool is_es = type->first == 'E';
    parser->line->kind = LINE_INSTRUCTION;
    parser->line->looks_like_instruction = true;
    instruction->fetched = true;
    instruction->bank = SP_BANK_NONE;
    instruction->summary.encoding_column = 0;
    bool failed_condition = type->end[-1] == 'S' && !is_es;
    bool may_lack_mode = false;

    struct token token = parser_next(parser);
    if (UNLIKELY(TOKEN_IS(&token, "EXC") || TOKEN_IS(&token, "Reset"))) {
        parser->line->kind = LINE_EXCEPTION;
        parser->line->handler = 0;
        struct token behind = parser_next(parser);
        return parser_accept(parser, &behind);
    }
    if (is_es) {
        if (UNLIKELY(token.kind == TOKEN_WORD) && names_event(parser, &token))
            return true;
        if (!es_header(parser, &token))
            return false;
        token = parser_next(parser);
    } else if (!it_header(parser, &token, &may_lack_mode)) {
        return false;
    }

    if (state_of(&token, &instruction->isa)) {
        bool is_t16_or_t32 = token_length(&token) == 3;
        token = parser_next(parser);
        if (!mode_and_colon(parser, &token, may_lack_mode && is_t16_or_t32))
            return false;
        if (is_es && TOKEN_IS(&token, "CCFAIL")) {
            failed_condition = true;
            instruction->fetched = true;
            token = parser_next(parser);
        }
    } else if (parser->options->implicit_state) {
        instruction->isa =
            parser->options->implicit_state == STATE_BY_SIZE && instruction->size_bytes == 4
                ? ISA_ARM
                : ISA_THUMB;
        parser->layout->is_particular = true; // the text might begin like a state
    } else {
        return parser_fail(parser, &token, "expected instruction-set state");
    }
    instruction->executed = !failed_condition && instruction->fetched;
    instruction->summary = mark_summary_of(instruction);
    instruction->disassembly = token.start;
    layout_peek(parser->layout, &token);
    return parser_accept(parser, &token);
}
