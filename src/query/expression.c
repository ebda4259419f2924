// The values of compiled expressions.
#include "query/expression.h"

bool expression_is_unary(enum expression_op op)
{
    return op == EXPRESSION_NEGATE || op == EXPRESSION_NOT || op == EXPRESSION_COMPLEMENT ||
           op >= EXPRESSION_IN;
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
    case EXPRESSION_DIVIDE:
        return is_signed && right == UINT64_MAX ? 0 - left
               : is_signed                      ? (uint64_t)((int64_t)left / (int64_t)right)
                                                : left / right;
    case EXPRESSION_REST:
        return is_signed && right == UINT64_MAX ? 0
               : is_signed                      ? (uint64_t)((int64_t)left % (int64_t)right)
                                                : left % right;
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
    if (!registers->was_written)
        return false;
    if (of->op == EXPRESSION_REGISTER)
        return registers->was_written(registers->self, &of->which, 0, of->which.size_bytes);
    return registers->was_written(registers->self, NULL, address,
                                  of->op == EXPRESSION_OBJECT
                                      ? of->number
                                      : UINT64_C(1) << ((of->op - EXPRESSION_MEMORY) & 3));
}

// Reads the memory at an address.
static void read_memory(const struct expression_term *term,
                        const struct expression_registers *registers,
                        struct expression_operand *operand)
{
    const uint64_t address = operand->value;
    if (term->op == EXPRESSION_OBJECT || term->op == EXPRESSION_DIGEST) {
        bool wants_value = term->op == EXPRESSION_DIGEST;
        bool is_read = operand->is_known && registers->read_object &&
                       registers->read_object(registers->self, address, term->number,
                                              wants_value ? &operand->value : NULL);
        operand->is_known = is_read && wants_value;
        return;
    }
    operand->is_known = operand->is_known && registers->read_memory &&
                        registers->read_memory(registers->self, address,
                                               UINT64_C(1) << ((term->op - EXPRESSION_MEMORY) & 3),
                                               &operand->value);
}

// `address`: of the memory that was read last.
static void apply_unary(const struct expression *expression, const struct expression_term *term,
                        const struct expression_registers *registers,
                        struct expression_operand *address, struct expression_operand *operand)
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
        if (term[-1].op != EXPRESSION_REGISTER && !address->is_known)
            *operand = (struct expression_operand){0, false};
        else
            *operand =
                (struct expression_operand){was_written(term, registers, address->value), true};
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
    unsigned kind = (unsigned)(op - EXPRESSION_MEMORY);
    if (op < EXPRESSION_SIGNED) {
        *address = *operand;
        read_memory(term, registers, operand);
    }
    if (op >= EXPRESSION_MEMORY && kind >= 4)
        operand->value = with_sign(operand->value, 1u << (kind & 3));
}

// The result if both sides are known, or if one alone decides it.
static void apply_binary(const struct expression_term *term, struct expression_operand *left,
                         const struct expression_operand *right)
{
    bool is_both = term->op == EXPRESSION_BOTH;
    if (!is_both && term->op != EXPRESSION_EITHER) {
        left->is_known = left->is_known && right->is_known;
        // A quotient by zero is unknown.
        if ((term->op == EXPRESSION_DIVIDE || term->op == EXPRESSION_REST) && !right->value) {
            left->is_known = false;
            return;
        }
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
    struct error first = {.status = STATUS_OK};
    struct expression_operand address = {0};
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
        case EXPRESSION_LOCAL:
            *top = (struct expression_operand){0, false};
            top->is_known =
                registers->read_local && registers->read_local(registers->self, &term->local,
                                                               expression->text + term->name_offset,
                                                               term->name_length, &top->value);
            if (!top->is_known)
                error_set_at(fault, STATUS_NOT_FOUND, term->name_offset,
                             "'%.*s' is unknown at this point%s", (int)term->name_length,
                             expression->text + term->name_offset,
                             term->local.wants_address ? ", or not in memory" : "");
            top++;
            break;
        default:
            if (expression_is_unary(term->op)) {
                apply_unary(expression, term, registers, &address, &top[-1]);
            } else {
                top--;
                if ((term->op == EXPRESSION_DIVIDE || term->op == EXPRESSION_REST) &&
                    top[0].is_known && !top[0].value)
                    error_set(fault, STATUS_NOT_FOUND, "a division by zero has no value");
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
        wanted += op <= EXPRESSION_LOCAL ? (size_t)-1 : expression_is_unary(op) ? 0 : 1;
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
