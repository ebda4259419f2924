// What the parts of the Tarmac line reader share. Private to them.
#ifndef TRAWL_TRACE_TARMAC_RULES_H
#define TRAWL_TRACE_TARMAC_RULES_H

#include "trace/tarmac/line.h"

struct parser {
    struct lexer lexer;
    const char *start; // of the line
    const struct reading_options *options;
    struct tarmac_line *line;
    struct text_fault *fault;
    struct tarmac_layout *layout;
    struct token bare_number; // that the line begins with, of no unit and before no CPU name
};

static ALWAYS_INLINE struct token parser_next(struct parser *parser)
{
    return tarmac_lex(&parser->lexer);
}

// Sets the fault at a token and returns false. A token that the lexer could not make is reported as
// such, whatever the rule expected there.
bool parser_fail(struct parser *parser, const struct token *token, const char *text);

// A rule lexed `token` only to look at it; false with a fault if there is none to look at.
static ALWAYS_INLINE bool parser_accept(struct parser *parser, const struct token *token)
{
    return LIKELY(token->kind != TOKEN_BAD) || parser_fail(parser, token, "");
}

static ALWAYS_INLINE struct text_span token_span(const struct token *token)
{
    return (struct text_span){token->start, token->end};
}

// Notes hexadecimal digits whose value does not matter.
static ALWAYS_INLINE void layout_digits(struct tarmac_layout *layout, const char *start,
                                        const char *end)
{
    if (layout->other_count < ARRAY_COUNT(layout->others))
        layout->others[layout->other_count++] = (struct text_span){start, end};
    else
        layout->is_particular = true;
}

// Notes that nothing of the last token matters but what kind it is of.
void layout_peek(struct tarmac_layout *layout, const struct token *token);

// The value of a hexadecimal word. False with a fault if it does not fit 64 bits.
bool parser_hex(struct parser *parser, const struct token *token, uint64_t *value);
bool parser_decimal(struct parser *parser, const struct token *token, uint64_t *value);

// Hex digits, then perhaps the world that a physical address is of: _S or _NS, and under
// READING_RIGHT any (_RL, _RT); the digits may be missing.
bool parser_is_physical(struct parser *parser, const struct token *token);

// After the hex digits that the token begins with.
const char *hex_digits_end(const struct token *token);

// The time and the unit that a line may begin with, into parser->line. `token` is the
// first of the line and becomes the one after them.
bool tarmac_time(struct parser *parser, struct token *token);

// The rules, each called with the record word read. They fill parser->line.
bool tarmac_instruction(struct parser *parser, const struct token *type);
bool tarmac_register(struct parser *parser);
bool tarmac_memory(struct parser *parser, const struct token *type);
bool tarmac_diagram(struct parser *parser, const struct token *address, bool is_read);

#endif
