// Shared by the parts of the Tarmac line reader. Private to them.
#ifndef TRAWL_TRACE_TARMAC_RULES_H
#define TRAWL_TRACE_TARMAC_RULES_H

#include "trace/lines/line.h"

struct parser {
    struct lexer lexer;
    const char *start; // of the line
    const struct reading_options *options;
    struct trace_line *line;
    struct text_fault *fault;
    struct line_columns *layout;
    struct token bare_number; // that begins the line, without a unit and not before a CPU name
    struct time_unit unit;    // of the time; the exponent is that of a whole number
    bool has_point;           // in the time
};

static ALWAYS_INLINE struct token parser_next(struct parser *parser)
{
    return line_lex(&parser->lexer);
}

// Sets the fault at a token and returns false. A token that the lexer rejected is reported as such,
// whatever the rule expected there.
bool parser_fail(struct parser *parser, const struct token *token, const char *text);

// For a token that a rule only examines. False: the lexer rejected it, and the fault is set.
static ALWAYS_INLINE bool parser_accept(struct parser *parser, const struct token *token)
{
    return LIKELY(token->kind != TOKEN_BAD) || parser_fail(parser, token, "");
}

static ALWAYS_INLINE struct text_span token_span(const struct token *token)
{
    return (struct text_span){token->start, token->end};
}

// Records hexadecimal digits whose value does not matter.
static ALWAYS_INLINE void layout_digits(struct line_columns *layout, const char *start,
                                        const char *end)
{
    if (layout->other_count < ARRAY_COUNT(layout->others))
        layout->others[layout->other_count++] = (struct text_span){start, end};
    else
        layout->is_particular = true;
}

// Records that only the kind of the last token matters.
void layout_peek(struct line_columns *layout, const struct token *token);

// Whether a word is a hexadecimal number; removes "0x" before it, which the reference does not
// know.
bool parser_strip_0x(struct parser *parser, struct token *token);
static ALWAYS_INLINE bool parser_is_hex(struct parser *parser, struct token *token)
{
    return LIKELY(token_has_class(token, CHAR_HEX)) || parser_strip_0x(parser, token);
}

// The value of a hexadecimal word. False: it does not fit into 64 bits, and the fault is set.
bool parser_hex(struct parser *parser, const struct token *token, uint64_t *value);
bool parser_decimal(struct parser *parser, const struct token *token, uint64_t *value);

// Hex digits, possibly followed by the security state of a physical address: _S or _NS; under
// READING_TRUE any (_RL, _RT), and the digits may be missing.
bool parser_is_physical(struct parser *parser, const struct token *token);

// The number of a place in memory from its physical address: that, with the world in the highest
// bits, where the world of the trace's first physical address is 0. So where a trace has one world,
// and physical addresses are virtual ones, places are addresses.
#define PLACE_WORLD_SHIFT 56

static ALWAYS_INLINE uint64_t place_of_physical(uint64_t physical, uint8_t world,
                                                uint8_t first_world)
{
    return physical ^ (uint64_t)(world ^ first_world) << PLACE_WORLD_SHIFT;
}

// The end of the hex digits at the beginning of the token.
const char *hex_digits_end(const struct token *token);

// Reads the time and unit at the beginning of a line, if any, into parser->line. `token` is the
// first token of the line and becomes the one after them.
bool tarmac_time(struct parser *parser, struct token *token);

// The rules, called after the record word was read. They fill parser->line.
bool tarmac_instruction(struct parser *parser, const struct token *type);
bool tarmac_register(struct parser *parser);
bool tarmac_memory(struct parser *parser, const struct token *type);
bool tarmac_diagram(struct parser *parser, const struct token *address, bool is_read);

#endif
