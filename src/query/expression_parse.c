// Compiles the text of an expression.
//
// Operator precedence with a bounded stack for operators that wait for their right side (Dijkstra's
// shunting yard): without recursion, no input can exhaust the machine's stack.
//
// Types of C exist only here. An operand whose terms were emitted is a `part`: a value, or a place,
// whose terms compute its address. What follows decides whether a place is loaded (value_of), so
// that jobs[i].next becomes an addition, a multiplication and one load.
#include "query/expression.h"

#include "base/characters.h"

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
    TOKEN_DIVIDE,
    TOKEN_REST,
    TOKEN_ARROW,
    TOKEN_DOT,
    TOKEN_OPEN_BRACKET,
    TOKEN_CLOSE_BRACKET,
    TOKEN_OTHER,
};

struct token {
    enum token_kind kind;
    size_t start, length;
    uint64_t number;
    const char *fault; // of TOKEN_NUMBER_BROKEN
};

// Also on the stack of operators.
enum { OPEN_PARENTHESIS = 0xff, OPEN_BRACKET = 0xfe };

// An operator that waits for its right side, or what is open.
struct waiting {
    uint8_t op;             // enum expression_op, or what is open
    bool is_call;           // the parenthesis of a function such as u32()
    bool counted_addresses; // before it
    size_t start;           // in the text
    struct c_type type;     // of a cast
};

// An operand of which the terms were emitted.
struct part {
    size_t first; // its first term
    size_t start; // in the text
    enum { PART_VALUE, PART_PLACE, PART_NAME, PART_LOCAL } kind;
    bool is_address; // PART_NAME: where an address is expected
    bool is_signed;
    struct c_type type;
    unsigned load_bytes, shift, bits; // of a bit-field that is a place
};

struct parser {
    struct expression *expression;
    const struct expression_names *names;
    size_t length; // of the text
    struct token token;
    struct waiting waiting[LIMIT_EXPRESSION_NESTING];
    size_t waiting_count, open_count;
    struct part parts[LIMIT_EXPRESSION_TERMS];
    size_t part_count;
    bool is_after_operand; // where `in` is an operator, and not a name
    bool counts_addresses; // bare names of variables are addresses here
    struct c_names *types; // opened when the first is asked for
    struct c_scope scope;
    struct error *err;
};

static enum status fail(const struct parser *parser, const char *message)
{
    return error_set_at(parser->err, STATUS_INPUT, parser->token.start, "%s", message);
}

// --- Tokens --------------------------------------------------------------------------------------

static bool begins_name(char c)
{
    return is_letter(c) || c == '_' || c == '$' || c == '.';
}

static bool continues_name(char c)
{
    return begins_name(c) || is_digit(c) || c == '@' || c == '#';
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
    {"==", TOKEN_EQUAL},       {"!=", TOKEN_UNEQUAL},      {"<=", TOKEN_LESS_EQUAL},
    {"&&", TOKEN_BOTH},        {"||", TOKEN_EITHER},       {">=", TOKEN_GREATER_EQUAL},
    {"<", TOKEN_LESS},         {">", TOKEN_GREATER},       {"!", TOKEN_NOT},
    {"&", TOKEN_AND},          {"~", TOKEN_COMPLEMENT},    {"|", TOKEN_OR},
    {"^", TOKEN_XOR},          {"/", TOKEN_DIVIDE},        {"%", TOKEN_REST},
    {"[", TOKEN_OPEN_BRACKET}, {"]", TOKEN_CLOSE_BRACKET},
};
static const struct operator_text arrow[] = {{"->", TOKEN_ARROW}};

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
    const bool is_full = parser->names->takes_conditions;
    if (is_digit(text[at])) {
        lex_number(token, text, end);
    } else if (is_full && parser->is_after_operand && text[at] == '.') {
        token->kind = TOKEN_DOT;
        token->length = 1;
    } else if (begins_name(text[at])) {
        while (at < end && continues_name(text[at]))
            at++;
        token->kind = TOKEN_NAME;
        token->length = at - token->start;
        if (is_full && token->length == 2 && memcmp(text + token->start, "in", 2) == 0 &&
            parser->is_after_operand)
            token->kind = TOKEN_IN;
    } else if (!(is_full && lex_operator(token, text, end, arrow, 1)) &&
               !lex_operator(token, text, end, plain_operators, ARRAY_COUNT(plain_operators)) &&
               !(is_full && lex_operator(token, text, end, condition_operators,
                                         ARRAY_COUNT(condition_operators)))) {
        token->kind = TOKEN_OTHER;
        token->length = 1;
    }
}

// --- Parts ---------------------------------------------------------------------------------------

static enum status fail_at(const struct parser *parser, const struct part *part,
                           const char *message)
{
    return error_set_at(parser->err, STATUS_INPUT, part->start, "%s", message);
}

static struct part *last_part(struct parser *parser)
{
    return &parser->parts[parser->part_count - 1];
}

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

static enum status emit_op(struct parser *parser, enum expression_op op, bool is_signed)
{
    return emit(parser, (struct expression_term){.op = op, .is_signed = is_signed});
}

// Emits an operator with a number as its right side.
static enum status emit_number_op(struct parser *parser, enum expression_op op, uint64_t number,
                                  bool is_signed)
{
    enum status status =
        emit(parser, (struct expression_term){.op = EXPRESSION_NUMBER, .number = number});
    return status == STATUS_OK ? emit_op(parser, op, is_signed) : status;
}

// Emits an operand that is one term.
static enum status emit_part(struct parser *parser, struct expression_term term, struct part part)
{
    part.first = parser->expression->count;
    parser->parts[parser->part_count] = part; // there is never more than one for a term
    enum status status = emit(parser, term);
    parser->part_count += status == STATUS_OK;
    return status;
}

static struct part number_part(size_t start)
{
    return (struct part){.start = start};
}

// --- Types ---------------------------------------------------------------------------------------

static enum status open_types(struct parser *parser)
{
    if (!parser->types)
        parser->types = c_names_begin(
            parser->names->types, parser->names->address_bytes ? parser->names->address_bytes : 8);
    return parser->types ? STATUS_OK
                         : error_set(parser->err, STATUS_MEMORY, "no memory for an expression");
}

static enum status check_types(const struct parser *parser)
{
    return c_names_lack_memory(parser->types)
               ? error_set(parser->err, STATUS_MEMORY, "no memory for an expression")
               : STATUS_OK;
}

// What DWARF knows of a name. C_NOT_FOUND also without DWARF.
static enum status find_variable(struct parser *parser, const struct c_scope *scope, size_t start,
                                 size_t length, struct c_variable *variable, bool *is_found)
{
    *is_found = false;
    if (!parser->names->types || !parser->names->takes_conditions)
        return STATUS_OK;
    enum status status = open_types(parser);
    if (status != STATUS_OK)
        return status;
    const char *name = parser->expression->text + start;
    enum c_found found = c_names_find(parser->types, scope, name, length, variable);
    if (found == C_AMBIGUOUS)
        return error_set_at(parser->err, STATUS_INPUT, start,
                            "several files have a static '%.*s': write FILE::%.*s", (int)length,
                            name, (int)length, name);
    *is_found = found == C_FOUND;
    return check_types(parser);
}

// Makes a part of what DWARF says of the name whose term, the last one, is part->first.
static enum status take_variable(struct parser *parser, struct part *part,
                                 const struct c_variable *variable)
{
    struct expression_term *term = &parser->expression->terms[part->first];
    part->type = variable->type;
    part->is_signed = variable->type.is_signed;
    part->kind = variable->type.kind == C_FUNCTION ? PART_VALUE : PART_PLACE;
    if (variable->kind == C_CONSTANT) {
        term->op = EXPRESSION_NUMBER;
        term->number = variable->value;
        part->kind = PART_VALUE;
    } else if (variable->kind == C_LOCAL) {
        term->op = EXPRESSION_LOCAL;
        term->local = (struct c_local){.kind = variable->type.kind,
                                       .is_signed = variable->type.is_signed,
                                       .size_bytes = variable->type.size_bytes,
                                       .low = variable->low,
                                       .high = variable->high};
        part->kind = PART_LOCAL;
    } else if (variable->has_address) {
        if (term->op != EXPRESSION_SYMBOL)
            term->symbol.size_bytes = variable->type.size_bytes;
        term->op = EXPRESSION_SYMBOL;
        term->symbol.address = variable->value;
    } else if (term->op != EXPRESSION_SYMBOL) {
        return error_set_at(parser->err, STATUS_NOT_FOUND, part->start,
                            "'%.*s' has no place: the compiler did not keep it",
                            (int)term->name_length, parser->expression->text + term->name_offset);
    }
    return STATUS_OK;
}

// Looks up the type of a bare name, if that is not done yet.
static enum status resolve(struct parser *parser, struct part *part)
{
    struct expression_term *term = &parser->expression->terms[part->first];
    struct c_variable variable;
    bool is_found;
    if (part->kind != PART_NAME)
        return STATUS_OK;
    part->kind = PART_VALUE;
    enum status status = find_variable(parser, &parser->scope, term->name_offset, term->name_length,
                                       &variable, &is_found);
    return status == STATUS_OK && is_found ? take_variable(parser, part, &variable) : status;
}

// Loads the bits of a bit-field at the address on the stack.
static enum status load_bits(struct parser *parser, const struct part *part)
{
    unsigned size = (unsigned)__builtin_ctz(part->load_bytes);
    uint64_t mask = UINT64_MAX >> (64 - part->bits), top = UINT64_C(1) << (part->bits - 1);
    enum status status = emit_op(parser, (enum expression_op)(EXPRESSION_MEMORY + size), false);
    if (status == STATUS_OK && part->shift)
        status = emit_number_op(parser, EXPRESSION_SHIFT_RIGHT, part->shift, false);
    if (status == STATUS_OK)
        status = emit_number_op(parser, EXPRESSION_AND, mask, false);
    if (status == STATUS_OK && part->type.is_signed)
        status = emit_number_op(parser, EXPRESSION_XOR, top, true);
    if (status == STATUS_OK && part->type.is_signed)
        status = emit_number_op(parser, EXPRESSION_SUBTRACT, top, true);
    return status;
}

// Makes a number of the last part, as C does where a value is needed: loads variables, and takes
// the addresses of arrays.
static enum status value_of(struct parser *parser)
{
    struct part *part = last_part(parser);
    if (part->kind == PART_NAME && part->is_address)
        part->kind = PART_VALUE;
    enum status status = resolve(parser, part);
    if (status != STATUS_OK || part->kind == PART_VALUE)
        return status;
    const struct c_type *type = &part->type;
    bool is_local = part->kind == PART_LOCAL, is_placed = !is_local;
    part->kind = PART_VALUE;
    switch (type->kind) {
    case C_NUMBER:
    case C_POINTER:
        part->is_signed = type->is_signed;
        if (part->bits)
            return load_bits(parser, part);
        return is_placed ? emit_op(parser,
                                   (enum expression_op)(EXPRESSION_MEMORY +
                                                        __builtin_ctzll(type->size_bytes) +
                                                        (type->is_signed ? 4 : 0)),
                                   type->is_signed)
                         : STATUS_OK;
    case C_ARRAY:
        if (is_local)
            parser->expression->terms[part->first].local.wants_address = true;
        part->is_signed = false;
        struct c_type element = c_type_target(type);
        part->type = c_type_pointer(parser->types, &element);
        return check_types(parser);
    case C_FUNCTION:
        part->is_signed = false;
        return STATUS_OK;
    case C_STRUCT:
        return error_set_at(parser->err, STATUS_INPUT, part->start,
                            "an object of %llu bytes is no number: expected one of its members",
                            (unsigned long long)type->size_bytes);
    case C_FLOAT:
        return fail_at(parser, part,
                       "floating point is no number here: u32(&NAME) or u64(&NAME) has its bits");
    default:
        return fail_at(parser, part, "its type is unknown");
    }
}

// Makes sure that the last part is an object at an address on the stack.
static enum status place_of(struct parser *parser, const char *wanted)
{
    struct part *part = last_part(parser);
    enum status status = resolve(parser, part);
    if (status == STATUS_OK && part->kind == PART_LOCAL) {
        parser->expression->terms[part->first].local.wants_address = true;
        part->kind = PART_PLACE;
    }
    return status != STATUS_OK || part->kind == PART_PLACE
               ? status
               : error_set_at(parser->err, STATUS_INPUT, part->start, "%s", wanted);
}

// Makes a pointer of the last part.
static enum status pointer_of(struct parser *parser, const char *wanted)
{
    struct part *part = last_part(parser);
    part->is_address = false;
    enum status status = value_of(parser);
    return status != STATUS_OK || part->type.kind == C_POINTER
               ? status
               : error_set_at(parser->err, STATUS_INPUT, part->start, "%s", wanted);
}

// The pointer that is the last part becomes the object that it points to.
static enum status follow(struct parser *parser)
{
    struct part *part = last_part(parser);
    part->type = c_type_target(&part->type);
    part->kind = PART_PLACE;
    part->bits = 0;
    part->is_signed = false;
    if (part->type.kind == C_VOID)
        return fail_at(parser, part, "a pointer to void points to nothing: cast it, (TYPE *)E");
    if (part->type.kind == C_FUNCTION)
        part->kind = PART_VALUE;
    return check_types(parser);
}

// Multiplies a part, whose terms end before term `end`, by the size of what a pointer points to.
static enum status scale(struct parser *parser, size_t end, const struct c_type *pointer)
{
    struct expression *expression = parser->expression;
    struct c_type target = c_type_target(pointer);
    size_t moved = expression->count - end;
    if (target.size_bytes <= 1)
        return check_types(parser);
    enum status status = emit_number_op(parser, EXPRESSION_MULTIPLY, target.size_bytes, true);
    if (status != STATUS_OK || !moved)
        return status;
    const struct expression_term number = expression->terms[expression->count - 2];
    const struct expression_term multiply = expression->terms[expression->count - 1];
    memmove(&expression->terms[end + 2], &expression->terms[end], moved * sizeof number);
    expression->terms[end] = number;
    expression->terms[end + 1] = multiply;
    last_part(parser)->first += 2;
    return STATUS_OK;
}

// --- Names ---------------------------------------------------------------------------------------

static bool token_is(const struct parser *parser, const struct token *token, const char *text)
{
    return token->length == strlen(text) &&
           memcmp(parser->expression->text + token->start, text, token->length) == 0;
}

// Emits the register or symbol of that name, registers first, as far as its scope allows. False:
// there is none.
static bool emit_known(struct parser *parser, size_t start, size_t length, bool as_register,
                       bool as_symbol, enum status *status)
{
    const struct expression_names *names = parser->names;
    const char *name = parser->expression->text + start;
    struct expression_term term = {.name_offset = (uint32_t)start, .name_length = (uint32_t)length};
    struct part part = number_part(start);
    size_t dollar = names->takes_conditions && length > 1 && *name == '$'; // as in GDB
    if (as_register && names->find_register &&
        names->find_register(names->self, name + dollar, length - dollar, &term.which)) {
        term.op = EXPRESSION_REGISTER;
        *status = emit_part(parser, term, part);
        return true;
    }
    if (as_symbol && names->find_symbol &&
        names->find_symbol(names->self, name, length, &term.symbol)) {
        term.op = EXPRESSION_SYMBOL;
        part.kind = names->types && !term.symbol.is_code ? PART_NAME : PART_VALUE;
        part.is_address = parser->counts_addresses;
        *status = emit_part(parser, term, part);
        return true;
    }
    return false;
}

// Emits what only DWARF knows: variables of functions, enumerators. False: there is none.
static bool emit_variable(struct parser *parser, const struct c_scope *scope, size_t start,
                          size_t length, enum status *status)
{
    struct c_variable variable;
    bool is_found;
    const struct expression_names *names = parser->names;
    struct expression_term term = {
        .op = EXPRESSION_NUMBER, .name_offset = (uint32_t)start, .name_length = (uint32_t)length};
    *status = find_variable(parser, scope, start, length, &variable, &is_found);
    if (*status != STATUS_OK || !is_found)
        return *status != STATUS_OK;
    if (variable.kind == C_LOCAL && names->takes_places && names->find_local &&
        names->find_local(names->self, parser->expression->text + start, length, &term.which)) {
        term.op = EXPRESSION_REGISTER;
        *status = emit_part(parser, term,
                            (struct part){.start = start,
                                          .type = variable.type,
                                          .is_signed = variable.type.is_signed});
        return true;
    }
    *status = emit_part(parser, term, number_part(start));
    if (*status == STATUS_OK)
        *status = take_variable(parser, last_part(parser), &variable);
    return true;
}

// Emits the longest name at a token that is known up to a dot, behind which the text continues.
static bool emit_longest(struct parser *parser, struct token *token, enum status *status)
{
    const char *name = parser->expression->text + token->start;
    size_t length = token->length;
    while (length) {
        if (emit_known(parser, token->start, length, true, true, status) ||
            emit_variable(parser, &parser->scope, token->start, length, status)) {
            token->length = length;
            return true;
        }
        const char *dot = parser->names->takes_conditions ? memrchr(name, '.', length) : NULL;
        length = dot ? (size_t)(dot - name) : 0;
    }
    return false;
}

// Refuses a name; where expressions are those of the browser as it was first, in its spelling.
static enum status unrecognized(struct parser *parser, enum status status, const char *what,
                                const struct token *name)
{
    return error_set_at(parser->err, status, name->start, "unrecogni%ced %s '%.*s'",
                        parser->names->takes_conditions ? 'z' : 's', what, (int)name->length,
                        parser->expression->text + name->start);
}

// FILE::NAME, or FUNCTION::NAME.
static enum status emit_scoped(struct parser *parser, const struct token *outer,
                               const struct token *name)
{
    const struct expression_names *names = parser->names;
    const char *text = parser->expression->text;
    struct expression_symbol function;
    struct c_scope scope = {.file = text + outer->start, .file_length = outer->length};
    enum status status;
    size_t length = name->length;
    if (names->find_symbol &&
        names->find_symbol(names->self, text + outer->start, outer->length, &function))
        scope = (struct c_scope){
            .has_pc = true, .is_only = true, .pc = function.address & ~UINT64_C(1)};
    const char *dot = memchr(text + name->start, '.', length);
    if (dot)
        length = (size_t)(dot - (text + name->start));
    parser->token = (struct token){.start = name->start, .length = length};
    advance(parser);
    if (names->types && names->takes_conditions &&
        emit_variable(parser, &scope, name->start, length, &status))
        return status;
    bool is_function = scope.has_pc;
    if (!names->types || !names->takes_conditions ||
        (!is_function && !memchr(text + outer->start, '.', outer->length)))
        return unrecognized(parser, STATUS_INPUT, "identifier scope", outer);
    return error_set_at(parser->err, STATUS_NOT_FOUND, name->start,
                        "the DWARF of no image has a variable '%.*s' in the %s '%.*s'", (int)length,
                        text + name->start, is_function ? "function" : "file", (int)outer->length,
                        text + outer->start);
}

static enum status parse_name(struct parser *parser)
{
    struct token first = parser->token;
    enum status status = STATUS_OK;
    advance(parser);
    if (parser->token.kind != TOKEN_SCOPE) {
        const struct token whole = first;
        if (!emit_longest(parser, &first, &status))
            return unrecognized(parser, STATUS_NOT_FOUND, "identifier name", &whole);
        if (first.length < whole.length) {
            parser->token = first;
            advance(parser);
        }
        return status;
    }
    parser->is_after_operand = false;
    advance(parser);
    parser->is_after_operand = true;
    if (parser->token.kind != TOKEN_NAME)
        return fail(parser, "expected an identifier after '::'");
    bool is_register = token_is(parser, &first, "reg"), is_symbol = token_is(parser, &first, "sym");
    struct token name = parser->token;
    if (!is_register && !is_symbol)
        return emit_scoped(parser, &first, &name);
    advance(parser);
    if (emit_known(parser, name.start, name.length, is_register, is_symbol, &status))
        return status;
    return unrecognized(parser, STATUS_NOT_FOUND, is_register ? "register name" : "symbol name",
                        &name);
}

static enum status parse_operand(struct parser *parser)
{
    parser->is_after_operand = true;
    switch (parser->token.kind) {
    case TOKEN_NUMBER: {
        struct expression_term term = {.op = EXPRESSION_NUMBER, .number = parser->token.number};
        struct part part = number_part(parser->token.start);
        advance(parser);
        return emit_part(parser, term, part);
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

// --- Types in parentheses ------------------------------------------------------------------------

static size_t skip_blanks(const struct parser *parser, size_t at)
{
    const char *text = parser->expression->text;
    while (at < parser->length && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n'))
        at++;
    return at;
}

// Reads words and stars up to the parenthesis that closes before `*end`. False: something else.
static bool read_type(const struct parser *parser, size_t at, char name[128], unsigned *pointers,
                      size_t *end)
{
    const char *text = parser->expression->text;
    size_t used = 0;
    *pointers = 0;
    for (at = skip_blanks(parser, at); at < parser->length; at = skip_blanks(parser, at)) {
        size_t start = at;
        if (text[at] == ')') {
            name[used] = '\0';
            *end = at + 1;
            return used > 0;
        }
        if (text[at] == '*' && used && *pointers < LIMIT_DEBUG_DEPTH) {
            ++*pointers;
            at++;
            continue;
        }
        while (at < parser->length && text[at] != '.' &&
               (begins_name(text[at]) || (at > start && is_digit(text[at]))))
            at++;
        size_t length = at - start;
        if (!length || *pointers || used + length + 2 > 128)
            return false;
        if ((length == 5 && memcmp(text + start, "const", 5) == 0) ||
            (length == 8 && memcmp(text + start, "volatile", 8) == 0))
            continue;
        if (used)
            name[used++] = ' ';
        memcpy(name + used, text + start, length);
        used += length;
    }
    return false;
}

// The type in the parentheses that were opened before `at`; `*end` is behind them. A name that is
// a register or a symbol is no type, unless a star follows it.
static bool find_type(struct parser *parser, size_t at, struct c_type *type, size_t *end)
{
    const struct expression_names *names = parser->names;
    char name[128];
    unsigned pointers;
    struct trawl_register which;
    struct expression_symbol symbol;
    if (!names->takes_conditions || !read_type(parser, at, name, &pointers, end))
        return false;
    size_t length = strlen(name);
    bool is_known =
        !pointers &&
        ((names->find_register && names->find_register(names->self, name, length, &which)) ||
         (names->find_symbol && names->find_symbol(names->self, name, length, &symbol)));
    return !is_known && open_types(parser) == STATUS_OK &&
           c_names_type(parser->types, name, length, pointers, type);
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
        [EXPRESSION_MULTIPLY] = 10,   [EXPRESSION_DIVIDE] = 10,       [EXPRESSION_REST] = 10,
        [EXPRESSION_NEGATE] = 11,     [EXPRESSION_NOT] = 11,          [EXPRESSION_COMPLEMENT] = 11,
        [EXPRESSION_CHANGED] = 11,    [EXPRESSION_WRITTEN] = 11,      [EXPRESSION_DEREFERENCE] = 11,
        [EXPRESSION_ADDRESS_OF] = 11, [EXPRESSION_CAST] = 11,         [EXPRESSION_SIZE_OF] = 11,
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
        [TOKEN_DIVIDE] = EXPRESSION_DIVIDE,
        [TOKEN_REST] = EXPRESSION_REST,
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
    const struct waiting *below =
        parser->waiting_count ? &parser->waiting[parser->waiting_count - 1] : NULL;
    struct waiting *waiting = &parser->waiting[parser->waiting_count++];
    *waiting = (struct waiting){.op = (uint8_t)op,
                                .counted_addresses = parser->counts_addresses,
                                .start = parser->token.start};
    // The address of u32(ADDR) is one; all else that is in parentheses of its own is a value.
    waiting->is_call = op == OPEN_PARENTHESIS && below && below->op > EXPRESSION_IN &&
                       below->op < OPEN_BRACKET && below->op != EXPRESSION_CAST &&
                       below->op != EXPRESSION_DEREFERENCE && below->op != EXPRESSION_ADDRESS_OF;
    if (waiting->is_call)
        parser->counts_addresses = below->op >= EXPRESSION_MEMORY && below->op < EXPRESSION_SIGNED;
    else if (op == OPEN_BRACKET)
        parser->counts_addresses = false;
    parser->is_after_operand = false;
    advance(parser);
    return STATUS_OK;
}

// Values of two parts that are both ready become one.
static enum status apply_binary(struct parser *parser, enum expression_op op)
{
    struct part *left = &parser->parts[parser->part_count - 2], *right = left + 1;
    const bool is_sum = op == EXPRESSION_ADD || op == EXPRESSION_SUBTRACT;
    const bool is_left = left->type.kind == C_POINTER, is_right = right->type.kind == C_POINTER;
    struct c_type pointer = is_left ? left->type : right->type;
    enum status status = STATUS_OK;
    if (is_sum && is_left && !is_right)
        status = scale(parser, parser->expression->count, &left->type);
    else if (op == EXPRESSION_ADD && is_right && !is_left)
        status = scale(parser, right->first, &right->type);
    bool is_signed = left->is_signed || right->is_signed;
    if (status == STATUS_OK)
        status = emit_op(parser, op, is_signed);
    if (status != STATUS_OK)
        return status;
    left->is_signed = is_signed && op <= EXPRESSION_SHIFT_RIGHT;
    left->kind = PART_VALUE;
    left->type = is_sum && is_left != is_right ? pointer : (struct c_type){.kind = C_NONE};
    parser->part_count--;
    if (op == EXPRESSION_SUBTRACT && is_left && is_right) {
        uint64_t size_bytes = c_type_target(&pointer).size_bytes;
        left->is_signed = true;
        if (size_bytes > 1)
            status = emit_number_op(parser, EXPRESSION_DIVIDE, size_bytes, true);
    }
    return status;
}

// changed() and written() of the last part: a value, or an object.
static enum status apply_event(struct parser *parser, enum expression_op op)
{
    struct expression *expression = parser->expression;
    struct part *part = last_part(parser);
    part->is_address = false;
    enum status status = resolve(parser, part);
    const bool is_written = op == EXPRESSION_WRITTEN;
    const struct expression_term *term = &expression->terms[expression->count - 1];
    bool is_number = (part->type.kind == C_NUMBER || part->type.kind == C_POINTER) && !part->bits;
    if (status == STATUS_OK && part->kind == PART_LOCAL && (is_written || !is_number))
        status = place_of(parser, "");
    // Without DWARF, a symbol has a size, too.
    bool is_symbol = is_written && part->kind == PART_VALUE && part->type.kind == C_NONE &&
                     term->op == EXPRESSION_SYMBOL && part->first + 1 == expression->count;
    if (status != STATUS_OK)
        return status;
    if (is_symbol || (part->kind == PART_PLACE && !part->bits && (is_written || !is_number))) {
        uint64_t size_bytes = is_symbol ? term->symbol.size_bytes : part->type.size_bytes;
        if (!size_bytes)
            return fail_at(parser, part, "its size is unknown");
        if (!is_written && size_bytes > LIMIT_EXPRESSION_OBJECT_BYTES)
            return error_set_at(parser->err, STATUS_LIMIT, part->start,
                                "changed() takes objects of at most %d bytes, written() any",
                                LIMIT_EXPRESSION_OBJECT_BYTES);
        status = emit(parser, (struct expression_term){.op = is_written ? EXPRESSION_OBJECT
                                                                        : EXPRESSION_DIGEST,
                                                       .number = size_bytes});
    } else {
        status = value_of(parser);
        enum expression_op of = expression->terms[expression->count - 1].op;
        if (status == STATUS_OK && is_written && of != EXPRESSION_REGISTER &&
            !(of >= EXPRESSION_MEMORY && of < EXPRESSION_SIGNED))
            return fail_at(parser, part,
                           "written() takes a register, a variable, or memory such as u32(ADDR)");
    }
    if (status == STATUS_OK)
        status = emit_op(parser, op, false);
    *part = (struct part){.first = part->first, .start = part->start};
    return status;
}

static enum status apply_cast(struct parser *parser, const struct waiting *cast)
{
    const struct c_type *type = &cast->type;
    last_part(parser)->is_address = false;
    enum status status = value_of(parser);
    if (status != STATUS_OK)
        return status;
    struct part *part = last_part(parser);
    if (type->kind != C_NUMBER && type->kind != C_POINTER)
        return error_set_at(parser->err, STATUS_INPUT, cast->start,
                            "expected a cast to an integer or a pointer");
    if (type->size_bytes < 8) {
        unsigned size = (unsigned)__builtin_ctzll(type->size_bytes);
        uint64_t mask = UINT64_MAX >> (64 - 8 * type->size_bytes);
        status = type->is_signed
                     ? emit_op(parser, (enum expression_op)(EXPRESSION_SIGNED + size), true)
                     : emit_number_op(parser, EXPRESSION_AND, mask, false);
    }
    part->type = *type;
    part->is_signed = type->is_signed;
    return status;
}

// The size of the last part, whose terms are dropped.
static enum status apply_size(struct parser *parser)
{
    struct part *part = last_part(parser);
    enum status status = resolve(parser, part);
    struct expression *expression = parser->expression;
    const struct expression_term *term = &expression->terms[part->first];
    if (status != STATUS_OK)
        return status;
    uint64_t size_bytes = part->type.size_bytes;
    if (part->type.kind == C_NONE && part->first + 1 == expression->count)
        size_bytes = term->op == EXPRESSION_SYMBOL     ? term->symbol.size_bytes
                     : term->op == EXPRESSION_REGISTER ? term->which.size_bytes
                                                       : 0;
    if (!size_bytes)
        return fail_at(parser, part, "its size is unknown");
    expression->count = part->first;
    *part = (struct part){.first = part->first, .start = part->start};
    return emit(parser, (struct expression_term){.op = EXPRESSION_NUMBER, .number = size_bytes});
}

static enum status apply_unary(struct parser *parser, const struct waiting *waiting)
{
    const enum expression_op op = (enum expression_op)waiting->op;
    struct part *part = last_part(parser);
    enum status status;
    switch (op) {
    case EXPRESSION_DEREFERENCE:
        status =
            pointer_of(parser, "not a pointer: u32(ADDR) reads memory, and (TYPE *)E makes one");
        return status == STATUS_OK ? follow(parser) : status;
    case EXPRESSION_ADDRESS_OF:
        status = resolve(parser, part);
        if (status == STATUS_OK && part->kind == PART_VALUE &&
            (part->type.kind == C_NONE || part->type.kind == C_FUNCTION) &&
            parser->expression->terms[parser->expression->count - 1].op == EXPRESSION_SYMBOL)
            return STATUS_OK; // it is its address
        if (status == STATUS_OK)
            status = place_of(parser, "it has no address");
        if (status == STATUS_OK && part->bits)
            return fail_at(parser, part, "a bit-field has no address");
        if (status != STATUS_OK)
            return status;
        part->type = c_type_pointer(parser->types, &part->type);
        part->kind = PART_VALUE;
        part->is_signed = false;
        return check_types(parser);
    case EXPRESSION_CAST:
        return apply_cast(parser, waiting);
    case EXPRESSION_SIZE_OF:
        return apply_size(parser);
    case EXPRESSION_CHANGED:
    case EXPRESSION_WRITTEN:
        return apply_event(parser, op);
    default:
        break;
    }
    status = value_of(parser);
    if (status == STATUS_OK)
        status = emit_op(parser, op, part->is_signed);
    part->type = (struct c_type){.kind = C_NONE};
    part->is_signed = op == EXPRESSION_NEGATE || op >= EXPRESSION_MEMORY + 4;
    return status;
}

// Applies the operator that waits on top.
static enum status apply_waiting(struct parser *parser)
{
    const struct waiting waiting = parser->waiting[--parser->waiting_count];
    if (waiting.op >= EXPRESSION_END || expression_is_unary((enum expression_op)waiting.op))
        return apply_unary(parser, &waiting);
    enum status status = value_of(parser);
    return status == STATUS_OK ? apply_binary(parser, (enum expression_op)waiting.op) : status;
}

// Applies waiting operators that bind at least as tightly as `tightness`, which is above 0, back to
// the innermost open parenthesis at most.
static enum status apply_tighter(struct parser *parser, unsigned tightness)
{
    while (parser->waiting_count &&
           precedence(parser->waiting[parser->waiting_count - 1].op) >= tightness) {
        enum status status = apply_waiting(parser);
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
    if (token_is(parser, token, "sizeof"))
        return EXPRESSION_SIZE_OF;
    if (parser->names->takes_events && token_is(parser, token, "changed"))
        return EXPRESSION_CHANGED;
    if (parser->names->takes_events && token_is(parser, token, "written"))
        return EXPRESSION_WRITTEN;
    return EXPRESSION_NUMBER;
}

// Pushes the cast to the type whose parentheses end before `end`.
static enum status wait_for_cast(struct parser *parser, const struct c_type *type, size_t end)
{
    parser->token.length = end - parser->token.start;
    enum status status = wait_for_operand(parser, EXPRESSION_CAST);
    if (status == STATUS_OK)
        parser->waiting[parser->waiting_count - 1].type = *type;
    return status;
}

// The size of a type, at "sizeof(". False: it is no type.
static bool parse_size_of_type(struct parser *parser, enum status *status)
{
    struct token token = parser->token;
    struct c_type type;
    size_t end;
    if (function_of(parser) != EXPRESSION_SIZE_OF ||
        !find_type(parser, token.start + token.length + 1, &type, &end))
        return false;
    parser->is_after_operand = true;
    parser->token.length = end - token.start;
    advance(parser);
    struct expression_term term = {.op = EXPRESSION_NUMBER, .number = type.size_bytes};
    *status = type.size_bytes ? emit_part(parser, term, number_part(token.start))
                              : error_set_at(parser->err, STATUS_INPUT, token.start,
                                             "the size of the type is unknown");
    return true;
}

// Signs, parentheses and then an operand.
static enum status parse_before_operator(struct parser *parser)
{
    const bool is_full = parser->names->takes_conditions;
    for (;;) {
        enum status status = STATUS_OK;
        enum expression_op op = EXPRESSION_NUMBER;
        struct c_type type;
        size_t end;
        switch (parser->token.kind) {
        case TOKEN_PLUS:
            advance(parser);
            continue;
        case TOKEN_OPEN:
            if (find_type(parser, parser->token.start + 1, &type, &end)) {
                status = wait_for_cast(parser, &type, end);
            } else {
                parser->open_count++;
                status = wait_for_operand(parser, OPEN_PARENTHESIS);
            }
            if (status != STATUS_OK)
                return status;
            continue;
        case TOKEN_MINUS:
            op = EXPRESSION_NEGATE;
            break;
        case TOKEN_NOT:
            op = EXPRESSION_NOT;
            break;
        case TOKEN_COMPLEMENT:
            op = EXPRESSION_COMPLEMENT;
            break;
        case TOKEN_TIMES:
            op = is_full ? EXPRESSION_DEREFERENCE : EXPRESSION_NUMBER;
            break;
        case TOKEN_AND:
            op = EXPRESSION_ADDRESS_OF;
            break;
        case TOKEN_NAME:
            if (parse_size_of_type(parser, &status))
                return status;
            op = function_of(parser);
            break;
        default:
            break;
        }
        if (op == EXPRESSION_NUMBER)
            return parse_operand(parser);
        status = wait_for_operand(parser, op);
        if (status != STATUS_OK)
            return status;
    }
}

// --- What follows an operand ---------------------------------------------------------------------

static enum status close_parenthesis(struct parser *parser)
{
    enum status status = apply_tighter(parser, 1);
    if (status != STATUS_OK)
        return status;
    const struct waiting open = parser->waiting[parser->waiting_count - 1];
    if (open.op != OPEN_PARENTHESIS)
        return fail(parser, "expected closing ']'");
    parser->waiting_count--;
    parser->open_count--;
    parser->counts_addresses = open.counted_addresses;
    advance(parser);
    // The brackets of u32(...) make an operand of it.
    return open.is_call ? apply_waiting(parser) : STATUS_OK;
}

static enum status open_bracket(struct parser *parser)
{
    enum status status = resolve(parser, last_part(parser));
    const struct c_type array = last_part(parser)->type;
    if (status == STATUS_OK)
        status = pointer_of(parser, "neither an array nor a pointer: [] needs its type (DWARF, or "
                                    "a cast)");
    if (status == STATUS_OK)
        status = wait_for_operand(parser, OPEN_BRACKET);
    if (status == STATUS_OK)
        parser->waiting[parser->waiting_count - 1].type = array;
    return status;
}

// The element that a number is the index of. A constant index must be within the array.
static enum status close_bracket(struct parser *parser)
{
    enum status status = apply_tighter(parser, 1);
    if (status != STATUS_OK)
        return status;
    if (!parser->waiting_count || parser->waiting[parser->waiting_count - 1].op != OPEN_BRACKET)
        return fail(parser, parser->open_count ? "expected closing ')'"
                                               : "unexpected tokens after expression");
    const struct waiting open = parser->waiting[--parser->waiting_count];
    parser->counts_addresses = open.counted_addresses;
    status = value_of(parser);
    if (status != STATUS_OK)
        return status;
    const struct part *index = last_part(parser);
    if (index->type.kind == C_POINTER)
        return fail_at(parser, index, "an index is a number, and this is a pointer");
    const struct expression_term *term = &parser->expression->terms[index->first];
    // Arrays of one element or none stand for any number at the end of a structure.
    if (open.type.kind == C_ARRAY && open.type.has_count && open.type.count > 1 &&
        index->first + 1 == parser->expression->count && term->op == EXPRESSION_NUMBER &&
        term->number >= open.type.count)
        return error_set_at(parser->err, STATUS_INPUT, index->start,
                            "the array has only %llu elements",
                            (unsigned long long)open.type.count);
    status = apply_binary(parser, EXPRESSION_ADD);
    if (status == STATUS_OK)
        status = follow(parser);
    if (status == STATUS_OK)
        advance(parser);
    return status;
}

static enum status parse_member(struct parser *parser, bool is_arrow)
{
    const char *text = parser->expression->text;
    struct part *part = last_part(parser);
    struct c_member member;
    enum status status = is_arrow
                             ? pointer_of(parser, "not a pointer to a structure: '->' needs its "
                                                  "type (DWARF, or a cast)")
                             : place_of(parser, "not a structure: '.' needs its type (DWARF, or a "
                                                "cast)");
    if (status == STATUS_OK && is_arrow)
        status = follow(parser);
    if (status != STATUS_OK)
        return status;
    parser->is_after_operand = false;
    advance(parser);
    parser->is_after_operand = true;
    struct token name = parser->token;
    if (name.kind != TOKEN_NAME || text[name.start] == '.')
        return fail(parser, "expected the name of a member");
    const char *dot = memchr(text + name.start, '.', name.length);
    if (dot)
        parser->token.length = name.length = (size_t)(dot - (text + name.start));
    if (part->type.kind == C_POINTER && !is_arrow)
        return error_set_at(parser->err, STATUS_INPUT, part->start,
                            "a pointer has no members: expected '->%.*s'", (int)name.length,
                            text + name.start);
    if (part->bits || !c_type_member(&part->type, text + name.start, name.length, &member))
        return error_set_at(parser->err, STATUS_INPUT, name.start,
                            "there is no member named '%.*s'", (int)name.length, text + name.start);
    advance(parser);
    part->type = member.type;
    part->load_bytes = member.load_bytes;
    part->shift = member.shift;
    part->bits = member.bits;
    status = check_types(parser);
    return status == STATUS_OK && member.offset
               ? emit_number_op(parser, EXPRESSION_ADD, member.offset, false)
               : status;
}

// `in SYMBOL`, which belongs to what comes before it like an operator with one side. Comparisons
// that wait before it have their right side now.
static enum status parse_in(struct parser *parser)
{
    enum status status = apply_tighter(parser, precedence(EXPRESSION_LESS));
    if (status == STATUS_OK)
        status = value_of(parser);
    parser->is_after_operand = false;
    advance(parser);
    struct token name = parser->token;
    if (status == STATUS_OK && name.kind != TOKEN_NAME)
        return fail(parser, "expected a symbol after 'in'");
    parser->is_after_operand = true;
    advance(parser);
    struct expression_term term = {.op = EXPRESSION_IN,
                                   .name_offset = (uint32_t)name.start,
                                   .name_length = (uint32_t)name.length};
    const char *text = parser->expression->text + name.start;
    if (status != STATUS_OK)
        return status;
    if (!parser->names->find_symbol ||
        !parser->names->find_symbol(parser->names->self, text, name.length, &term.symbol))
        return unrecognized(parser, STATUS_NOT_FOUND, "symbol name", &name);
    if (!term.symbol.size_bytes)
        return error_set_at(parser->err, STATUS_INPUT, name.start, "the size of '%.*s' is unknown",
                            (int)name.length, text);
    struct part *part = last_part(parser);
    part->type = (struct c_type){.kind = C_NONE};
    part->is_signed = false;
    return emit(parser, term);
}

// All that can follow an operand before an operator with two sides.
static enum status parse_after_operand(struct parser *parser)
{
    for (;;) {
        enum status status;
        switch (parser->token.kind) {
        case TOKEN_CLOSE:
            if (!parser->open_count)
                return STATUS_OK;
            status = close_parenthesis(parser);
            break;
        case TOKEN_OPEN_BRACKET:
            status = open_bracket(parser);
            if (status == STATUS_OK)
                status = parse_before_operator(parser);
            break;
        case TOKEN_CLOSE_BRACKET:
            status = close_bracket(parser);
            break;
        case TOKEN_DOT:
        case TOKEN_ARROW:
            status = parse_member(parser, parser->token.kind == TOKEN_ARROW);
            break;
        case TOKEN_IN:
            status = parse_in(parser);
            break;
        default:
            return STATUS_OK;
        }
        if (status != STATUS_OK)
            return status;
    }
}

static enum status parse(struct parser *parser)
{
    enum status status;
    advance(parser);
    for (;;) {
        if ((status = parse_before_operator(parser)) != STATUS_OK ||
            (status = parse_after_operand(parser)) != STATUS_OK)
            return status;
        enum expression_op op = binary_op(parser->token.kind);
        if (op == EXPRESSION_NUMBER)
            break;
        if ((status = apply_tighter(parser, precedence(op))) != STATUS_OK ||
            (status = value_of(parser)) != STATUS_OK ||
            (status = wait_for_operand(parser, op)) != STATUS_OK)
            return status;
    }
    const struct waiting *open = NULL;
    for (size_t i = parser->waiting_count; i-- > 0 && !open;) {
        if (parser->waiting[i].op == OPEN_PARENTHESIS || parser->waiting[i].op == OPEN_BRACKET)
            open = &parser->waiting[i];
    }
    if (open)
        return fail(parser,
                    open->op == OPEN_BRACKET ? "expected closing ']'" : "expected closing ')'");
    if (parser->token.kind != TOKEN_END)
        return fail(parser, "unexpected tokens after expression");
    return apply_tighter(parser, 1);
}

// --- The whole -----------------------------------------------------------------------------------

// A condition that says `pc in FUNCTION` knows its variables by their bare names.
static void find_scope(struct parser *parser)
{
    const struct expression_names *names = parser->names;
    const char *text = parser->expression->text;
    struct token before = {.kind = TOKEN_END};
    size_t functions = 0;
    parser->scope = names->scope;
    if (!names->types || !names->takes_conditions || names->scope.has_pc)
        return;
    parser->is_after_operand = true;
    for (advance(parser); parser->token.kind != TOKEN_END; advance(parser)) {
        struct expression_symbol symbol;
        if (before.kind == TOKEN_IN && parser->token.kind == TOKEN_NAME && names->find_symbol &&
            names->find_symbol(names->self, text + parser->token.start, parser->token.length,
                               &symbol) &&
            (!functions || symbol.address != parser->scope.pc)) {
            parser->scope = (struct c_scope){.has_pc = true, .pc = symbol.address & ~UINT64_C(1)};
            functions++;
        }
        before = parser->token;
    }
    if (functions > 1) // whose, would be a guess
        parser->scope = names->scope;
    parser->token = (struct token){.kind = TOKEN_END};
    parser->is_after_operand = false;
}

// What the whole is: a number, or with takes_places the address of an object.
static enum status finish(struct parser *parser)
{
    struct expression *expression = parser->expression;
    struct part *part = last_part(parser);
    enum status status = STATUS_OK;
    if (parser->names->takes_places && part->kind == PART_NAME)
        part->kind = PART_VALUE; // a symbol with its size
    if (parser->names->takes_places && part->kind == PART_LOCAL)
        status = place_of(parser, "");
    if (status != STATUS_OK)
        return status;
    if (parser->names->takes_places && part->kind == PART_PLACE) {
        expression->is_place = true;
        expression->place_bytes = part->bits ? part->load_bytes : part->type.size_bytes;
    } else {
        status = value_of(parser);
    }
    if (status == STATUS_OK && part->kind == PART_VALUE && part->type.kind == C_POINTER) {
        struct c_type target = c_type_target(&part->type);
        expression->is_text = target.kind == C_NUMBER && target.size_bytes == 1;
        if (parser->names->takes_places) // &NAME
            expression->place_bytes = target.size_bytes;
    }
    for (size_t i = 0; i < expression->count; i++) {
        enum expression_op op = expression->terms[i].op;
        expression->has_locals |= op == EXPRESSION_LOCAL;
        expression->has_registers |= op == EXPRESSION_REGISTER;
        expression->has_memory |= (op >= EXPRESSION_MEMORY && op < EXPRESSION_SIGNED) ||
                                  op == EXPRESSION_OBJECT || op == EXPRESSION_DIGEST;
        expression->has_changes |= op == EXPRESSION_CHANGED;
        expression->has_events |= op == EXPRESSION_CHANGED || op == EXPRESSION_WRITTEN;
    }
    expression->has_registers |= expression->has_locals;
    return status;
}

enum status expression_parse(struct expression *expression, const char *text, size_t length,
                             const struct expression_names *names, struct error *err)
{
    struct parser parser = {.expression = expression, .names = names, .length = length, .err = err};
    expression->text = text;
    expression->count = 0;
    expression->has_registers = expression->has_memory = expression->has_locals = false;
    expression->has_events = expression->has_changes = false;
    expression->is_place = expression->is_text = false;
    expression->place_bytes = 0;
    if (length > LIMIT_EXPRESSION_BYTES)
        return error_set_at(err, STATUS_LIMIT, LIMIT_EXPRESSION_BYTES,
                            "expression is longer than %d bytes", LIMIT_EXPRESSION_BYTES);
    parser.counts_addresses = !names->takes_values;
    find_scope(&parser);
    enum status status = parse(&parser);
    if (status == STATUS_OK)
        status = finish(&parser);
    c_names_end(parser.types);
    return status;
}
