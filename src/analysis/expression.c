// Operator precedence with a stack of its own instead of recursion (Dijkstra's shunting yard): what
// waits for its right side is on a bounded stack, so that no input can exhaust ours.
#include "analysis/expression.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NUMBER_BROKEN, // it does not fit, or has no digits
    TOKEN_NAME,
    TOKEN_SCOPE, // ::
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_TIMES,
    TOKEN_SHIFT_LEFT,
    TOKEN_SHIFT_RIGHT,
    TOKEN_OTHER,
};

struct token {
    enum token_kind kind;
    size_t start, length;
    uint64_t number;
    const char *fault; // of TOKEN_NUMBER_BROKEN
};

// What the stack of operators holds besides operators.
enum { OPEN_PARENTHESIS = 0xff };

struct parser {
    struct expression *expression;
    const struct expression_names *names;
    size_t length; // of the text
    struct token token;
    uint8_t waiting[LIMIT_EXPRESSION_NESTING]; // operators, by enum expression_op
    size_t waiting_count, open_count;
    struct error *err;
};

static enum status fail(const struct parser *parser, const char *message)
{
    return error_set_at(parser->err, STATUS_INPUT, parser->token.start, "%s", message);
}

// --- Tokens --------------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '.';
}

static bool continues_name(char c)
{
    return begins_name(c) || is_digit(c) || c == '@' || c == '#';
}

static unsigned digit_of(char c)
{
    char lower = (char)(c | 0x20);
    return is_digit(c)                    ? (unsigned)(c - '0')
           : lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10
                                          : 16;
}

static void lex_number(struct token *token, const char *text, size_t end)
{
    const char *start = text + token->start;
    bool is_hex = end - token->start >= 2 && start[0] == '0' && (start[1] | 0x20) == 'x';
    unsigned base = is_hex ? 16 : 10;
    size_t first = token->start + (is_hex ? 2 : 0), at;
    token->kind = TOKEN_NUMBER;
    for (at = first; at < end && digit_of(text[at]) < base; at++) {
        if (__builtin_mul_overflow(token->number, (uint64_t)base, &token->number) ||
            __builtin_add_overflow(token->number, (uint64_t)digit_of(text[at]), &token->number))
            token->fault = "number does not fit in 64 bits";
    }
    if (at == first)
        token->fault = "expected hexadecimal digits after '0x'";
    if (token->fault)
        token->kind = TOKEN_NUMBER_BROKEN;
    token->length = at - token->start;
}

static enum token_kind pair_kind(char c, char next)
{
    if (c != next)
        return TOKEN_OTHER;
    return c == ':'   ? TOKEN_SCOPE
           : c == '<' ? TOKEN_SHIFT_LEFT
           : c == '>' ? TOKEN_SHIFT_RIGHT
                      : TOKEN_OTHER;
}

static enum token_kind single_kind(char c)
{
    static const char characters[] = "()+-*";
    static const uint8_t kinds[] = {TOKEN_OPEN, TOKEN_CLOSE, TOKEN_PLUS, TOKEN_MINUS, TOKEN_TIMES};
    const char *found = c ? strchr(characters, c) : NULL;
    return found ? kinds[found - characters] : TOKEN_OTHER;
}

// Moves on to the next token.
static void advance(struct parser *parser)
{
    const char *text = parser->expression->text;
    size_t at = parser->token.start + parser->token.length, end = parser->length;
    while (at < end && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n'))
        at++;
    struct token *token = &parser->token;
    *token = (struct token){.kind = TOKEN_END, .start = at};
    if (at == end)
        return;
    if (is_digit(text[at])) {
        lex_number(token, text, end);
    } else if (begins_name(text[at])) {
        while (at < end && continues_name(text[at]))
            at++;
        token->kind = TOKEN_NAME;
        token->length = at - token->start;
    } else {
        token->kind = at + 1 < end ? pair_kind(text[at], text[at + 1]) : TOKEN_OTHER;
        token->length = token->kind == TOKEN_OTHER ? 1 : 2;
        if (token->kind == TOKEN_OTHER)
            token->kind = single_kind(text[at]);
    }
}

// --- Operands ------------------------------------------------------------------------------------

static enum status emit(struct parser *parser, struct expression_term term)
{
    struct expression *expression = parser->expression;
    if (expression->count == LIMIT_EXPRESSION_TERMS)
        return error_set_at(parser->err, STATUS_LIMIT, parser->token.start,
                            "expression has more than %d operands and operators",
                            LIMIT_EXPRESSION_TERMS);
    expression->terms[expression->count++] = term;
    return STATUS_OK;
}

// Emits the register or symbol of that name: whichever it may be, registers first.
static enum status emit_name(struct parser *parser, const struct token *token, bool as_register,
                             bool as_symbol)
{
    const struct expression_names *names = parser->names;
    const char *name = parser->expression->text + token->start;
    struct expression_term term = {.name_offset = (uint32_t)token->start,
                                   .name_length = (uint32_t)token->length};
    if (as_register && names->find_register &&
        names->find_register(names->self, name, token->length, &term.which)) {
        term.op = EXPRESSION_REGISTER;
        parser->expression->has_registers = true;
        return emit(parser, term);
    }
    if (as_symbol && names->find_symbol &&
        names->find_symbol(names->self, name, token->length, &term.symbol)) {
        term.op = EXPRESSION_SYMBOL;
        return emit(parser, term);
    }
    const char *kind = as_register && as_symbol ? "identifier"
                       : as_register            ? "register"
                                                : "symbol";
    return error_set_at(parser->err, STATUS_NOT_FOUND, token->start, "unrecognised %s name '%.*s'",
                        kind, (int)token->length, name);
}

static bool token_is(const struct parser *parser, const struct token *token, const char *text)
{
    return token->length == strlen(text) &&
           memcmp(parser->expression->text + token->start, text, token->length) == 0;
}

static enum status parse_name(struct parser *parser)
{
    struct token first = parser->token;
    advance(parser);
    if (parser->token.kind != TOKEN_SCOPE)
        return emit_name(parser, &first, true, true);
    advance(parser);
    if (parser->token.kind != TOKEN_NAME)
        return fail(parser, "expected an identifier after '::'");
    bool is_register = token_is(parser, &first, "reg"), is_symbol = token_is(parser, &first, "sym");
    if (!is_register && !is_symbol)
        return error_set_at(parser->err, STATUS_INPUT, first.start,
                            "unrecognised identifier scope '%.*s'", (int)first.length,
                            parser->expression->text + first.start);
    struct token name = parser->token;
    advance(parser);
    return emit_name(parser, &name, is_register, is_symbol);
}

static enum status parse_operand(struct parser *parser)
{
    switch (parser->token.kind) {
    case TOKEN_NUMBER: {
        struct expression_term term = {.op = EXPRESSION_NUMBER, .number = parser->token.number};
        advance(parser);
        return emit(parser, term);
    }
    case TOKEN_NAME:
        return parse_name(parser);
    case TOKEN_NUMBER_BROKEN:
        return fail(parser, parser->token.fault);
    case TOKEN_END:
        return fail(parser, "unexpected end of expression");
    default:
        return fail(parser, "unexpected token");
    }
}

// --- Operators -----------------------------------------------------------------------------------

// 0 for what is no operator.
static unsigned precedence(unsigned op)
{
    static const uint8_t precedences[] = {
        [EXPRESSION_SHIFT_LEFT] = 1, [EXPRESSION_SHIFT_RIGHT] = 1, [EXPRESSION_ADD] = 2,
        [EXPRESSION_SUBTRACT] = 2,   [EXPRESSION_MULTIPLY] = 3,    [EXPRESSION_NEGATE] = 4,
    };
    return op < ARRAY_COUNT(precedences) ? precedences[op] : 0;
}

// The operator that the token is after an operand, EXPRESSION_NUMBER for none.
static enum expression_op binary_op(enum token_kind kind)
{
    static const uint8_t ops[] = {
        [TOKEN_PLUS] = EXPRESSION_ADD,
        [TOKEN_MINUS] = EXPRESSION_SUBTRACT,
        [TOKEN_TIMES] = EXPRESSION_MULTIPLY,
        [TOKEN_SHIFT_LEFT] = EXPRESSION_SHIFT_LEFT,
        [TOKEN_SHIFT_RIGHT] = EXPRESSION_SHIFT_RIGHT,
    };
    return kind < ARRAY_COUNT(ops) ? ops[kind] : EXPRESSION_NUMBER;
}

// Leaves an operator or parenthesis waiting and moves on after it.
static enum status wait_for_operand(struct parser *parser, unsigned op)
{
    if (parser->waiting_count == LIMIT_EXPRESSION_NESTING)
        return error_set_at(parser->err, STATUS_LIMIT, parser->token.start,
                            "expression is nested more than %d deep", LIMIT_EXPRESSION_NESTING);
    parser->waiting[parser->waiting_count++] = (uint8_t)op;
    advance(parser);
    return STATUS_OK;
}

// Emits what waits and binds at least as tightly as `tightness`, which is above 0: up to the
// innermost open parenthesis at most.
static enum status emit_waiting(struct parser *parser, unsigned tightness)
{
    while (parser->waiting_count &&
           precedence(parser->waiting[parser->waiting_count - 1]) >= tightness) {
        enum expression_op op = parser->waiting[--parser->waiting_count];
        enum status status = emit(parser, (struct expression_term){.op = op});
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

// Signs, parentheses and then an operand.
static enum status parse_before_operator(struct parser *parser)
{
    for (;;) {
        enum status status = STATUS_OK;
        switch (parser->token.kind) {
        case TOKEN_PLUS:
            advance(parser);
            break;
        case TOKEN_MINUS:
            status = wait_for_operand(parser, EXPRESSION_NEGATE);
            break;
        case TOKEN_OPEN:
            parser->open_count++;
            status = wait_for_operand(parser, OPEN_PARENTHESIS);
            break;
        default:
            return parse_operand(parser);
        }
        if (status != STATUS_OK)
            return status;
    }
}

static enum status close_parentheses(struct parser *parser)
{
    while (parser->token.kind == TOKEN_CLOSE && parser->open_count > 0) {
        enum status status = emit_waiting(parser, 1);
        if (status != STATUS_OK)
            return status;
        parser->waiting_count--;
        parser->open_count--;
        advance(parser);
    }
    return STATUS_OK;
}

static enum status parse(struct parser *parser)
{
    enum status status;
    advance(parser);
    for (;;) {
        if ((status = parse_before_operator(parser)) != STATUS_OK ||
            (status = close_parentheses(parser)) != STATUS_OK)
            return status;
        enum expression_op op = binary_op(parser->token.kind);
        if (op == EXPRESSION_NUMBER)
            break;
        if ((status = emit_waiting(parser, precedence(op))) != STATUS_OK ||
            (status = wait_for_operand(parser, op)) != STATUS_OK)
            return status;
    }
    if (parser->open_count)
        return fail(parser, "expected closing ')'");
    if (parser->token.kind != TOKEN_END)
        return fail(parser, "unexpected tokens after expression");
    return emit_waiting(parser, 1);
}

enum status expression_parse(struct expression *expression, const char *text, size_t length,
                             const struct expression_names *names, struct error *err)
{
    expression->text = text;
    expression->count = 0;
    expression->has_registers = false;
    if (length > LIMIT_EXPRESSION_BYTES)
        return error_set_at(err, STATUS_LIMIT, LIMIT_EXPRESSION_BYTES,
                            "expression is longer than %d bytes", LIMIT_EXPRESSION_BYTES);
    struct parser parser = {.expression = expression, .names = names, .length = length, .err = err};
    return parse(&parser);
}

// --- Evaluation ----------------------------------------------------------------------------------

static enum status read_register(const struct expression *expression,
                                 const struct expression_term *term,
                                 const struct expression_registers *registers, uint64_t *value,
                                 struct error *err)
{
    const char *name = expression->text + term->name_offset;
    if (term->which.size_bytes > 8)
        return error_set_at(err, STATUS_INPUT, term->name_offset,
                            "register '%.*s' has more than 64 bits", (int)term->name_length, name);
    if (!registers->read(registers->self, &term->which, value))
        return error_set_at(err, STATUS_NOT_FOUND, term->name_offset,
                            "the value of register '%.*s' is not known at this point",
                            (int)term->name_length, name);
    return STATUS_OK;
}

static uint64_t apply(enum expression_op op, uint64_t left, uint64_t right)
{
    switch (op) {
    case EXPRESSION_MULTIPLY:
        return left * right;
    case EXPRESSION_ADD:
        return left + right;
    case EXPRESSION_SUBTRACT:
        return left - right;
    case EXPRESSION_SHIFT_LEFT:
        return right < 64 ? left << right : 0;
    default:
        ASSERT(op == EXPRESSION_SHIFT_RIGHT);
        return right < 64 ? left >> right : 0;
    }
}

enum status expression_evaluate(const struct expression *expression,
                                const struct expression_registers *registers, uint64_t *value,
                                struct error *err)
{
    uint64_t stack[LIMIT_EXPRESSION_TERMS], *top = stack; // after the last
    for (size_t i = 0; i < expression->count; i++) {
        const struct expression_term *term = &expression->terms[i];
        enum status status;
        switch (term->op) {
        case EXPRESSION_NUMBER:
            *top++ = term->number;
            break;
        case EXPRESSION_SYMBOL:
            *top++ = term->symbol.address;
            break;
        case EXPRESSION_REGISTER:
            status = read_register(expression, term, registers, top++, err);
            if (status != STATUS_OK)
                return status;
            break;
        case EXPRESSION_NEGATE:
            top[-1] = 0 - top[-1];
            break;
        default:
            top--;
            top[-1] = apply(term->op, top[-1], top[0]);
        }
    }
    ASSERT(top == stack + 1);
    *value = stack[0];
    return STATUS_OK;
}

// --- Counts --------------------------------------------------------------------------------------

typedef __int128 wide;

// Of values that may be below 0 on the way. False: out of all bounds.
static bool apply_exactly(enum expression_op op, wide left, wide right, wide *result)
{
    switch (op) {
    case EXPRESSION_MULTIPLY:
        return !__builtin_mul_overflow(left, right, result);
    case EXPRESSION_ADD:
        return !__builtin_add_overflow(left, right, result);
    case EXPRESSION_SUBTRACT:
        return !__builtin_sub_overflow(left, right, result);
    case EXPRESSION_SHIFT_LEFT:
        return right >= 0 && right < 64 && !__builtin_mul_overflow(left, (wide)1 << right, result);
    default:
        ASSERT(op == EXPRESSION_SHIFT_RIGHT);
        *result = right < 64 ? left >> (right < 0 ? 0 : right) : 0;
        return left >= 0 && right >= 0;
    }
}

enum expression_counted expression_count(const struct expression *expression, uint64_t *value)
{
    wide stack[LIMIT_EXPRESSION_TERMS], *top = stack; // after the last
    bool is_exact = true;
    for (size_t i = 0; i < expression->count && is_exact; i++) {
        const struct expression_term *term = &expression->terms[i];
        ASSERT(term->op != EXPRESSION_REGISTER && term->op != EXPRESSION_SYMBOL);
        if (term->op == EXPRESSION_NUMBER) {
            *top++ = (wide)term->number;
        } else if (term->op == EXPRESSION_NEGATE) {
            is_exact = !__builtin_sub_overflow((wide)0, top[-1], &top[-1]);
        } else {
            top--;
            is_exact = apply_exactly(term->op, top[-1], top[0], &top[-1]);
        }
    }
    if (is_exact && stack[0] < 0)
        return EXPRESSION_BELOW_ZERO;
    if (!is_exact || stack[0] > (wide)UINT64_MAX)
        return EXPRESSION_TOO_LARGE;
    *value = (uint64_t)stack[0];
    return EXPRESSION_COUNTED;
}

// --- Lone names ----------------------------------------------------------------------------------

static const struct expression_term *lone_term(const struct expression *expression,
                                               enum expression_op op)
{
    const struct expression_term *first = &expression->terms[0];
    return expression->count == 1 && first->op == op ? first : NULL;
}

const struct trawl_register *expression_as_register(const struct expression *expression)
{
    const struct expression_term *term = lone_term(expression, EXPRESSION_REGISTER);
    return term ? &term->which : NULL;
}

const struct expression_symbol *expression_as_symbol(const struct expression *expression)
{
    const struct expression_term *term = lone_term(expression, EXPRESSION_SYMBOL);
    return term ? &term->symbol : NULL;
}
