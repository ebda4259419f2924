// Operator precedence with a bounded stack for operators that wait for their right side (Dijkstra's
// shunting yard): without recursion, no input can exhaust the machine's stack.
#include "query/expression.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NUMBER_BROKEN, // too large, or without digits
    TOKEN_NAME,
    TOKEN_SCOPE, // ::
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_TIMES,
    TOKEN_SHIFT_LEFT,
    TOKEN_SHIFT_RIGHT,
    TOKEN_NOT, // this and the following only in conditions
    TOKEN_COMPLEMENT,
    TOKEN_AND,
    TOKEN_XOR,
    TOKEN_OR,
    TOKEN_EQUAL,
    TOKEN_UNEQUAL,
    TOKEN_LESS,
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER,
    TOKEN_GREATER_EQUAL,
    TOKEN_BOTH,
    TOKEN_EITHER,
    TOKEN_IN,
    TOKEN_OTHER,
};

struct token {
    enum token_kind kind;
    size_t start, length;
    uint64_t number;
    const char *fault; // of TOKEN_NUMBER_BROKEN
};

// Also on the stack of operators.
enum { OPEN_PARENTHESIS = 0xff };

struct parser {
    struct expression *expression;
    const struct expression_names *names;
    size_t length; // of the text
    struct token token;
    uint8_t waiting[LIMIT_EXPRESSION_NESTING]; // operators, by enum expression_op
    size_t waiting_count, open_count;
    bool is_after_operand; // where `in` is an operator, and not a name
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

struct operator_text {
    char text[3];
    uint8_t kind;
};

// The longer ones first.
static const struct operator_text plain_operators[] = {
    {"::", TOKEN_SCOPE}, {"<<", TOKEN_SHIFT_LEFT}, {">>", TOKEN_SHIFT_RIGHT}, {"(", TOKEN_OPEN},
    {")", TOKEN_CLOSE},  {"+", TOKEN_PLUS},        {"-", TOKEN_MINUS},        {"*", TOKEN_TIMES},
};
static const struct operator_text condition_operators[] = {
    {"==", TOKEN_EQUAL}, {"!=", TOKEN_UNEQUAL},   {"<=", TOKEN_LESS_EQUAL},
    {"&&", TOKEN_BOTH},  {"||", TOKEN_EITHER},    {">=", TOKEN_GREATER_EQUAL},
    {"<", TOKEN_LESS},   {">", TOKEN_GREATER},    {"!", TOKEN_NOT},
    {"&", TOKEN_AND},    {"~", TOKEN_COMPLEMENT}, {"|", TOKEN_OR},
    {"^", TOKEN_XOR},
};

// The operator in a table with which the text begins. False: none.
static bool lex_operator(struct token *token, const char *text, size_t end,
                         const struct operator_text *operators, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(operators[i].text);
        if (end - token->start < length ||
            memcmp(text + token->start, operators[i].text, length) != 0)
            continue;
        token->kind = operators[i].kind;
        token->length = length;
        return true;
    }
    return false;
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
        if (parser->names->takes_conditions && token->length == 2 &&
            memcmp(text + token->start, "in", 2) == 0 && parser->is_after_operand)
            token->kind = TOKEN_IN;
    } else if (!lex_operator(token, text, end, plain_operators, ARRAY_COUNT(plain_operators)) &&
               !(parser->names->takes_conditions &&
                 lex_operator(token, text, end, condition_operators,
                              ARRAY_COUNT(condition_operators)))) {
        token->kind = TOKEN_OTHER;
        token->length = 1;
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
    if (term.op == EXPRESSION_WRITTEN) {
        enum expression_op of = expression->terms[expression->count - 1].op;
        if (of != EXPRESSION_REGISTER && !(of >= EXPRESSION_MEMORY && of < EXPRESSION_SIGNED))
            return fail(parser, "written() takes a register, or memory such as u32(ADDR)");
    }
    expression->has_changes |= term.op == EXPRESSION_CHANGED;
    expression->has_events |= expression->has_changes || term.op == EXPRESSION_WRITTEN;
    expression->terms[expression->count++] = term;
    return STATUS_OK;
}

// Emits the register or symbol of that name, registers first, as far as its scope allows.
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
    parser->is_after_operand = true;
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

// 0: not an operator.
static unsigned precedence(unsigned op)
{
    static const uint8_t precedences[] = {
        [EXPRESSION_EITHER] = 1,      [EXPRESSION_BOTH] = 2,          [EXPRESSION_OR] = 3,
        [EXPRESSION_XOR] = 4,         [EXPRESSION_AND] = 5,           [EXPRESSION_EQUAL] = 6,
        [EXPRESSION_UNEQUAL] = 6,     [EXPRESSION_LESS] = 7,          [EXPRESSION_LESS_EQUAL] = 7,
        [EXPRESSION_GREATER] = 7,     [EXPRESSION_GREATER_EQUAL] = 7, [EXPRESSION_SHIFT_LEFT] = 8,
        [EXPRESSION_SHIFT_RIGHT] = 8, [EXPRESSION_ADD] = 9,           [EXPRESSION_SUBTRACT] = 9,
        [EXPRESSION_MULTIPLY] = 10,   [EXPRESSION_NEGATE] = 11,       [EXPRESSION_NOT] = 11,
        [EXPRESSION_COMPLEMENT] = 11, [EXPRESSION_CHANGED] = 11,      [EXPRESSION_WRITTEN] = 11,
    };
    if (op >= EXPRESSION_MEMORY && op < EXPRESSION_END)
        return 11;
    return op < ARRAY_COUNT(precedences) ? precedences[op] : 0;
}

// The operator that the token stands for after an operand; EXPRESSION_NUMBER: none.
static enum expression_op binary_op(enum token_kind kind)
{
    static const uint8_t ops[] = {
        [TOKEN_PLUS] = EXPRESSION_ADD,
        [TOKEN_MINUS] = EXPRESSION_SUBTRACT,
        [TOKEN_TIMES] = EXPRESSION_MULTIPLY,
        [TOKEN_SHIFT_LEFT] = EXPRESSION_SHIFT_LEFT,
        [TOKEN_SHIFT_RIGHT] = EXPRESSION_SHIFT_RIGHT,
        [TOKEN_AND] = EXPRESSION_AND,
        [TOKEN_XOR] = EXPRESSION_XOR,
        [TOKEN_OR] = EXPRESSION_OR,
        [TOKEN_EQUAL] = EXPRESSION_EQUAL,
        [TOKEN_UNEQUAL] = EXPRESSION_UNEQUAL,
        [TOKEN_LESS] = EXPRESSION_LESS,
        [TOKEN_LESS_EQUAL] = EXPRESSION_LESS_EQUAL,
        [TOKEN_GREATER] = EXPRESSION_GREATER,
        [TOKEN_GREATER_EQUAL] = EXPRESSION_GREATER_EQUAL,
        [TOKEN_BOTH] = EXPRESSION_BOTH,
        [TOKEN_EITHER] = EXPRESSION_EITHER,
    };
    return kind < ARRAY_COUNT(ops) ? ops[kind] : EXPRESSION_NUMBER;
}

// Pushes an operator or parenthesis and moves on to the next token.
static enum status wait_for_operand(struct parser *parser, unsigned op)
{
    if (parser->waiting_count == LIMIT_EXPRESSION_NESTING)
        return error_set_at(parser->err, STATUS_LIMIT, parser->token.start,
                            "expression is nested more than %d deep", LIMIT_EXPRESSION_NESTING);
    parser->waiting[parser->waiting_count++] = (uint8_t)op;
    parser->is_after_operand = false;
    advance(parser);
    return STATUS_OK;
}

// Emits waiting operators that bind at least as tightly as `tightness`, which is above 0, back to
// the innermost open parenthesis at most.
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

// The function that a name before a parenthesis stands for; EXPRESSION_NUMBER: none.
static enum expression_op function_of(const struct parser *parser)
{
    static const char names[][4] = {"u8",  "u16", "u32", "u64", "s8",  "s16",
                                    "s32", "s64", "i8",  "i16", "i32", "i64"};
    const struct token *token = &parser->token;
    size_t after = token->start + token->length;
    if (!parser->names->takes_conditions || after >= parser->length ||
        parser->expression->text[after] != '(')
        return EXPRESSION_NUMBER;
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (token_is(parser, token, names[i]))
            return (enum expression_op)(EXPRESSION_MEMORY + i);
    }
    if (parser->names->takes_events && token_is(parser, token, "changed"))
        return EXPRESSION_CHANGED;
    if (parser->names->takes_events && token_is(parser, token, "written"))
        return EXPRESSION_WRITTEN;
    return EXPRESSION_NUMBER;
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
        case TOKEN_NOT:
            status = wait_for_operand(parser, EXPRESSION_NOT);
            break;
        case TOKEN_COMPLEMENT:
            status = wait_for_operand(parser, EXPRESSION_COMPLEMENT);
            break;
        case TOKEN_NAME:
            if (function_of(parser) == EXPRESSION_NUMBER)
                return parse_operand(parser);
            status = wait_for_operand(parser, function_of(parser));
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

// `in SYMBOL`, which belongs to what comes before it like an operator with one side. Comparisons
// that wait before it have their right side now.
static enum status parse_in(struct parser *parser)
{
    enum status status = emit_waiting(parser, precedence(EXPRESSION_LESS));
    parser->is_after_operand = false;
    advance(parser);
    struct token name = parser->token;
    if (status == STATUS_OK && name.kind != TOKEN_NAME)
        return fail(parser, "expected a symbol after 'in'");
    parser->is_after_operand = true;
    advance(parser);
    if (status == STATUS_OK)
        status = emit_name(parser, &name, false, true);
    if (status != STATUS_OK)
        return status;
    struct expression_term *term = &parser->expression->terms[parser->expression->count - 1];
    term->op = EXPRESSION_IN;
    if (!term->symbol.size_bytes)
        return error_set_at(parser->err, STATUS_INPUT, name.start, "the size of '%.*s' is unknown",
                            (int)name.length, parser->expression->text + name.start);
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
        while (parser->token.kind == TOKEN_IN) {
            if ((status = parse_in(parser)) != STATUS_OK ||
                (status = close_parentheses(parser)) != STATUS_OK)
                return status;
        }
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

// --- Signs ---------------------------------------------------------------------------------------

static bool is_unary(enum expression_op op)
{
    return op == EXPRESSION_NEGATE || op == EXPRESSION_NOT || op == EXPRESSION_COMPLEMENT ||
           op >= EXPRESSION_IN;
}

// Determines which comparisons are signed, and whether memory is read.
static void find_signs(struct expression *expression)
{
    bool stack[LIMIT_EXPRESSION_TERMS], *top = stack; // after the last
    for (size_t i = 0; i < expression->count; i++) {
        struct expression_term *term = &expression->terms[i];
        if (term->op <= EXPRESSION_SYMBOL) {
            *top++ = false;
            continue;
        }
        bool is_one = is_unary(term->op);
        top -= !is_one;
        term->is_signed = is_one ? top[-1] : top[-1] || top[0];
        top[-1] = term->is_signed && (term->op <= EXPRESSION_SHIFT_RIGHT);
        top[-1] |= term->op == EXPRESSION_NEGATE || term->op >= EXPRESSION_MEMORY + 4;
        expression->has_memory |= term->op >= EXPRESSION_MEMORY && term->op < EXPRESSION_SIGNED;
    }
}

enum status expression_parse(struct expression *expression, const char *text, size_t length,
                             const struct expression_names *names, struct error *err)
{
    expression->text = text;
    expression->count = 0;
    expression->has_registers = expression->has_memory = false;
    expression->has_events = expression->has_changes = false;
    if (length > LIMIT_EXPRESSION_BYTES)
        return error_set_at(err, STATUS_LIMIT, LIMIT_EXPRESSION_BYTES,
                            "expression is longer than %d bytes", LIMIT_EXPRESSION_BYTES);
    struct parser parser = {.expression = expression, .names = names, .length = length, .err = err};
    enum status status = parse(&parser);
    if (status == STATUS_OK)
        find_signs(expression);
    return status;
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
                            "the value of register '%.*s' is unknown at this point",
                            (int)term->name_length, name);
    return STATUS_OK;
}

static bool is_less(uint64_t left, uint64_t right, bool is_signed)
{
    return is_signed ? (int64_t)left < (int64_t)right : left < right;
}

static uint64_t apply(enum expression_op op, uint64_t left, uint64_t right, bool is_signed)
{
    switch (op) {
    case EXPRESSION_AND:
        return left & right;
    case EXPRESSION_XOR:
        return left ^ right;
    case EXPRESSION_OR:
        return left | right;
    case EXPRESSION_EQUAL:
        return left == right;
    case EXPRESSION_UNEQUAL:
        return left != right;
    case EXPRESSION_LESS:
        return is_less(left, right, is_signed);
    case EXPRESSION_LESS_EQUAL:
        return !is_less(right, left, is_signed);
    case EXPRESSION_GREATER:
        return is_less(right, left, is_signed);
    case EXPRESSION_GREATER_EQUAL:
        return !is_less(left, right, is_signed);
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

// The low bytes of a number with their sign.
static uint64_t with_sign(uint64_t value, unsigned size_bytes)
{
    unsigned shift = 64 - 8 * size_bytes;
    return (uint64_t)((int64_t)(value << shift) >> shift);
}

// Whether the event wrote what the term before `term` reads, at `address` if that is memory.
static bool was_written(const struct expression_term *term,
                        const struct expression_registers *registers, uint64_t address)
{
    const struct expression_term *of = term - 1;
    bool is_register = of->op == EXPRESSION_REGISTER;
    return registers->was_written &&
           registers->was_written(registers->self, is_register ? &of->which : NULL, address,
                                  is_register ? of->which.size_bytes
                                              : UINT64_C(1) << ((of->op - EXPRESSION_MEMORY) & 3));
}

// `address`: of the memory that was read last.
static void apply_unary(const struct expression *expression, const struct expression_term *term,
                        const struct expression_registers *registers, uint64_t *address,
                        struct expression_operand *operand)
{
    enum expression_op op = term->op;
    switch (op) {
    case EXPRESSION_IN:
        operand->value = operand->value - term->symbol.address < term->symbol.size_bytes;
        return;
    case EXPRESSION_CHANGED: {
        struct expression_operand *before = &registers->before[term - expression->terms];
        const struct expression_operand now = *operand;
        operand->is_known = now.is_known && before->is_known;
        operand->value = now.value != before->value;
        *before = now;
        return;
    }
    case EXPRESSION_WRITTEN:
        *operand = (struct expression_operand){was_written(term, registers, *address), true};
        return;
    case EXPRESSION_NEGATE:
        operand->value = 0 - operand->value;
        return;
    case EXPRESSION_NOT:
        operand->value = !operand->value;
        return;
    case EXPRESSION_COMPLEMENT:
        operand->value = ~operand->value;
        return;
    default:
        break;
    }
    unsigned kind = (unsigned)(op - EXPRESSION_MEMORY), size_bytes = 1u << (kind & 3);
    if (op < EXPRESSION_SIGNED) {
        *address = operand->value;
        operand->is_known =
            operand->is_known && registers->read_memory &&
            registers->read_memory(registers->self, *address, size_bytes, &operand->value);
    }
    if (kind >= 4)
        operand->value = with_sign(operand->value, size_bytes);
}

// The result if both sides are known, or if one alone decides it.
static void apply_binary(const struct expression_term *term, struct expression_operand *left,
                         const struct expression_operand *right)
{
    bool is_both = term->op == EXPRESSION_BOTH;
    if (!is_both && term->op != EXPRESSION_EITHER) {
        left->is_known = left->is_known && right->is_known;
        left->value = apply(term->op, left->value, right->value, term->is_signed);
        return;
    }
    bool left_decides = left->is_known && !left->value == is_both;
    bool right_decides = right->is_known && !right->value == is_both;
    left->value = left_decides || right_decides ? !is_both : is_both;
    left->is_known = left_decides || right_decides || (left->is_known && right->is_known);
}

enum status expression_evaluate(const struct expression *expression,
                                const struct expression_registers *registers, uint64_t *value,
                                struct error *err)
{
    struct expression_operand stack[LIMIT_EXPRESSION_TERMS], *top = stack; // after the last
    struct error first = {0};
    uint64_t address = 0;
    for (size_t i = 0; i < expression->count; i++) {
        const struct expression_term *term = &expression->terms[i];
        struct error other, *fault = first.status == STATUS_OK ? &first : &other;
        switch (term->op) {
        case EXPRESSION_NUMBER:
            *top++ = (struct expression_operand){term->number, true};
            break;
        case EXPRESSION_SYMBOL:
            *top++ = (struct expression_operand){term->symbol.address, true};
            break;
        case EXPRESSION_REGISTER:
            *top = (struct expression_operand){0, true};
            top->is_known =
                read_register(expression, term, registers, &top->value, fault) == STATUS_OK;
            top++;
            break;
        default:
            if (is_unary(term->op)) {
                apply_unary(expression, term, registers, &address, &top[-1]);
            } else {
                top--;
                apply_binary(term, &top[-1], &top[0]);
            }
        }
    }
    ASSERT(top == stack + 1);
    *value = stack[0].value;
    if (stack[0].is_known)
        return STATUS_OK;
    if (first.status == STATUS_OK)
        return error_set(err, STATUS_NOT_FOUND, "the memory is unknown at this point");
    if (err)
        *err = first;
    return first.status;
}

// --- Counts --------------------------------------------------------------------------------------

typedef __int128 wide;

// Intermediate values may be below 0. False: out of bounds.
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

// --- Parts ---------------------------------------------------------------------------------------

size_t expression_operand(const struct expression *expression, size_t last)
{
    size_t wanted = 1, at = last + 1;
    while (wanted) {
        enum expression_op op = expression->terms[--at].op;
        wanted += op <= EXPRESSION_SYMBOL ? (size_t)-1 : is_unary(op) ? 0 : 1;
    }
    return at;
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
