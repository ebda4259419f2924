#include "elf/cfi_expression.h"

#include "base/limits.h"
#include "elf/cfi_program.h"

#include <dwarf.h>

struct evaluation {
    const struct cfi_expression *expression;
    const struct cfi_reader *reader;
    struct cfi_bytes in;
    uint64_t stack[LIMIT_EXPRESSION_STACK];
    unsigned depth;
};

static bool push(struct evaluation *at, uint64_t value)
{
    if (at->depth == LIMIT_EXPRESSION_STACK)
        return false;
    at->stack[at->depth++] = value;
    return true;
}

// Values are as wide as addresses.
static uint64_t narrowed(const struct evaluation *at, uint64_t value)
{
    return at->expression->address_bytes == 4 ? value & UINT32_MAX : value;
}

static int64_t widened(const struct evaluation *at, uint64_t value)
{
    return at->expression->address_bytes == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static int64_t read_signed(struct evaluation *at, unsigned size_bytes)
{
    unsigned unused = 64 - 8 * size_bytes;
    return (int64_t)(cfi_read_uint(&at->in, size_bytes) << unused) >> unused;
}

static bool push_register(struct evaluation *at, uint64_t number, int64_t offset)
{
    uint64_t value;
    return at->reader->read_register(at->reader->self, number, &value) &&
           push(at, narrowed(at, value + (uint64_t)offset));
}

static bool push_memory(struct evaluation *at, unsigned size_bytes)
{
    if (at->depth == 0 || size_bytes == 0 || size_bytes > 8)
        return false;
    uint64_t *top = &at->stack[at->depth - 1];
    return at->reader->read_memory(at->reader->self, *top, size_bytes, top);
}

static bool pick(struct evaluation *at, uint64_t number)
{
    return number < at->depth && push(at, at->stack[at->depth - 1 - number]);
}

// Rotates the top `count` values by one place; the top goes below the others.
static bool rotate(struct evaluation *at, unsigned count)
{
    if (at->depth < count)
        return false;
    uint64_t *first = &at->stack[at->depth - count], top = at->stack[at->depth - 1];
    memmove(first + 1, first, (count - 1) * sizeof *first);
    *first = top;
    return true;
}

static bool jump(struct evaluation *at, bool is_taken)
{
    int64_t distance = read_signed(at, 2);
    const uint8_t *start = at->expression->bytes;
    if (!is_taken)
        return true;
    if (distance < start - at->in.at || distance > at->in.end - at->in.at)
        return false;
    at->in.at += distance;
    return true;
}

static bool run_unary(struct evaluation *at, uint8_t code)
{
    if (at->depth == 0)
        return false;
    uint64_t *top = &at->stack[at->depth - 1];
    switch (code) {
    case DW_OP_abs:
        *top = widened(at, *top) < 0 ? 0 - *top : *top;
        break;
    case DW_OP_neg:
        *top = 0 - *top;
        break;
    case DW_OP_not:
        *top = ~*top;
        break;
    default: // DW_OP_plus_uconst
        *top += cfi_read_uleb(&at->in);
        break;
    }
    *top = narrowed(at, *top);
    return true;
}

static bool divide(const struct evaluation *at, uint8_t code, uint64_t left, uint64_t right,
                   uint64_t *result)
{
    int64_t dividend = widened(at, left), divisor = widened(at, right);
    if (right == 0)
        return false;
    if (code == DW_OP_mod)
        *result = left % right;
    else
        *result = divisor == -1 ? 0 - left : (uint64_t)(dividend / divisor);
    return true;
}

static uint64_t shift(const struct evaluation *at, uint8_t code, uint64_t value, uint64_t count)
{
    bool is_far = count >= 8 * at->expression->address_bytes;
    if (code == DW_OP_shra)
        return (uint64_t)(widened(at, value) >> (is_far ? 63 : count));
    if (is_far)
        return 0;
    return code == DW_OP_shl ? value << count : value >> count;
}

static bool run_binary(struct evaluation *at, uint8_t code)
{
    if (at->depth < 2)
        return false;
    uint64_t right = at->stack[--at->depth], left = at->stack[at->depth - 1], result = 0;
    int64_t a = widened(at, left), b = widened(at, right);
    bool is_fine = true;
    switch (code) {
    case DW_OP_and:
        result = left & right;
        break;
    case DW_OP_or:
        result = left | right;
        break;
    case DW_OP_xor:
        result = left ^ right;
        break;
    case DW_OP_plus:
        result = left + right;
        break;
    case DW_OP_minus:
        result = left - right;
        break;
    case DW_OP_mul:
        result = left * right;
        break;
    case DW_OP_eq:
        result = a == b;
        break;
    case DW_OP_ne:
        result = a != b;
        break;
    case DW_OP_lt:
        result = a < b;
        break;
    case DW_OP_le:
        result = a <= b;
        break;
    case DW_OP_gt:
        result = a > b;
        break;
    case DW_OP_ge:
        result = a >= b;
        break;
    case DW_OP_div:
    case DW_OP_mod:
        is_fine = divide(at, code, left, right, &result);
        break;
    default:
        result = shift(at, code, left, right);
        break;
    }
    at->stack[at->depth - 1] = narrowed(at, result);
    return is_fine;
}

static bool run_constant(struct evaluation *at, uint8_t code)
{
    struct cfi_bytes *in = &at->in;
    switch (code) {
    case DW_OP_addr:
        return push(at, cfi_read_uint(in, at->expression->address_bytes));
    case DW_OP_const1u:
        return push(at, cfi_read_uint(in, 1));
    case DW_OP_const2u:
        return push(at, cfi_read_uint(in, 2));
    case DW_OP_const4u:
        return push(at, cfi_read_uint(in, 4));
    case DW_OP_const8u:
        return push(at, narrowed(at, cfi_read_uint(in, 8)));
    case DW_OP_const1s:
        return push(at, narrowed(at, (uint64_t)read_signed(at, 1)));
    case DW_OP_const2s:
        return push(at, narrowed(at, (uint64_t)read_signed(at, 2)));
    case DW_OP_const4s:
        return push(at, narrowed(at, (uint64_t)read_signed(at, 4)));
    case DW_OP_const8s:
        return push(at, narrowed(at, cfi_read_uint(in, 8)));
    case DW_OP_constu:
        return push(at, narrowed(at, cfi_read_uleb(in)));
    default:
        return push(at, narrowed(at, (uint64_t)cfi_read_sleb(in))); // DW_OP_consts
    }
}

static bool run_others(struct evaluation *at, uint8_t code)
{
    uint64_t number;
    switch (code) {
    case DW_OP_bregx:
        number = cfi_read_uleb(&at->in);
        return push_register(at, number, cfi_read_sleb(&at->in));
    case DW_OP_deref:
        return push_memory(at, at->expression->address_bytes);
    case DW_OP_deref_size:
        return push_memory(at, (unsigned)cfi_read_uint(&at->in, 1));
    case DW_OP_dup:
        return pick(at, 0);
    case DW_OP_over:
        return pick(at, 1);
    case DW_OP_pick:
        return pick(at, cfi_read_uint(&at->in, 1));
    case DW_OP_drop:
        return at->depth-- > 0;
    case DW_OP_swap:
        return rotate(at, 2);
    case DW_OP_rot:
        return rotate(at, 3);
    case DW_OP_skip:
        return jump(at, true);
    case DW_OP_bra:
        return at->depth && jump(at, at->stack[--at->depth] != 0);
    case DW_OP_nop:
        return true;
    default:
        return false;
    }
}

static bool run_one(struct evaluation *at)
{
    uint8_t code = (uint8_t)cfi_read_uint(&at->in, 1);
    if (code >= DW_OP_lit0 && code <= DW_OP_lit31)
        return push(at, code - DW_OP_lit0);
    if (code >= DW_OP_breg0 && code <= DW_OP_breg31)
        return push_register(at, code - DW_OP_breg0, cfi_read_sleb(&at->in));
    if (code == DW_OP_addr || (code >= DW_OP_const1u && code <= DW_OP_consts))
        return run_constant(at, code);
    switch (code) {
    case DW_OP_abs:
    case DW_OP_neg:
    case DW_OP_not:
    case DW_OP_plus_uconst:
        return run_unary(at, code);
    case DW_OP_and:
    case DW_OP_div:
    case DW_OP_minus:
    case DW_OP_mod:
    case DW_OP_mul:
    case DW_OP_or:
    case DW_OP_plus:
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra:
    case DW_OP_xor:
    case DW_OP_eq:
    case DW_OP_ge:
    case DW_OP_gt:
    case DW_OP_le:
    case DW_OP_lt:
    case DW_OP_ne:
        return run_binary(at, code);
    default:
        return run_others(at, code);
    }
}

bool cfi_expression_value(const struct cfi_expression *expression, const struct cfi_reader *reader,
                          const uint64_t *initial, uint64_t *value)
{
    struct evaluation at = {.expression = expression, .reader = reader};
    at.in = (struct cfi_bytes){expression->bytes, expression->bytes + expression->size_bytes,
                               expression->is_big_endian, false};
    if (initial)
        push(&at, *initial);
    for (unsigned steps = 0; at.in.at < at.in.end; steps++) {
        if (steps == LIMIT_EXPRESSION_STEPS || !run_one(&at) || at.in.is_damaged)
            return false;
    }
    if (at.depth == 0)
        return false;
    *value = at.stack[at.depth - 1];
    return true;
}
