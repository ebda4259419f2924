// Expressions in the bytecode of GDB's agents, as it sends the conditions of breakpoints, so that
// these are decided here and not by a question for each hit (GDB's manual, "The Agent Expression
// Mechanism").
//
// They come from outside: a stack of LIMIT_GDB_AGENT_STACK values, at most LIMIT_GDB_AGENT_STEPS
// steps, jumps only within the code.
#include "gdb/run.h"

#include "base/limits.h"

// The opcodes, as in GDB's gdbsupport/ax.def, of which tracing is left out.
enum {
    AX_ADD = 0x02,
    AX_SUB = 0x03,
    AX_MUL = 0x04,
    AX_DIV_SIGNED = 0x05,
    AX_DIV_UNSIGNED = 0x06,
    AX_REM_SIGNED = 0x07,
    AX_REM_UNSIGNED = 0x08,
    AX_LSH = 0x09,
    AX_RSH_SIGNED = 0x0a,
    AX_RSH_UNSIGNED = 0x0b,
    AX_LOG_NOT = 0x0e,
    AX_BIT_AND = 0x0f,
    AX_BIT_OR = 0x10,
    AX_BIT_XOR = 0x11,
    AX_BIT_NOT = 0x12,
    AX_EQUAL = 0x13,
    AX_LESS_SIGNED = 0x14,
    AX_LESS_UNSIGNED = 0x15,
    AX_EXT = 0x16,
    AX_REF8 = 0x17,
    AX_REF16 = 0x18,
    AX_REF32 = 0x19,
    AX_REF64 = 0x1a,
    AX_IF_GOTO = 0x20,
    AX_GOTO = 0x21,
    AX_CONST8 = 0x22,
    AX_CONST16 = 0x23,
    AX_CONST32 = 0x24,
    AX_CONST64 = 0x25,
    AX_REG = 0x26,
    AX_END = 0x27,
    AX_DUP = 0x28,
    AX_POP = 0x29,
    AX_ZERO_EXT = 0x2a,
    AX_SWAP = 0x2b,
    AX_PICK = 0x32,
    AX_ROT = 0x33,
};

struct run {
    const struct gdb_agent *agent;
    const struct gdb_agent_reader *reader;
    size_t at, depth;
    uint64_t stack[LIMIT_GDB_AGENT_STACK];
};

// The operand of an opcode: the next bytes, the most significant first.
static bool operand(struct run *run, size_t size_bytes, uint64_t *value)
{
    if (size_bytes > run->agent->size_bytes - run->at)
        return false;
    *value = 0;
    for (size_t i = 0; i < size_bytes; i++)
        *value = *value << 8 | run->agent->code[run->at++];
    return true;
}

static bool push(struct run *run, uint64_t value)
{
    if (run->depth == LIMIT_GDB_AGENT_STACK)
        return false;
    run->stack[run->depth++] = value;
    return true;
}

static uint64_t extend(uint64_t value, uint64_t bits, bool is_signed)
{
    if (bits == 0 || bits >= 64)
        return value;
    uint64_t low = value & ((UINT64_C(1) << bits) - 1);
    return is_signed && low >> (bits - 1) ? low | ~UINT64_C(0) << bits : low;
}

static bool divide(uint64_t a, uint64_t b, uint8_t opcode, uint64_t *result)
{
    bool is_signed = opcode == AX_DIV_SIGNED || opcode == AX_REM_SIGNED;
    bool is_quotient = opcode == AX_DIV_SIGNED || opcode == AX_DIV_UNSIGNED;
    if (b == 0 || (is_signed && (int64_t)a == INT64_MIN && (int64_t)b == -1))
        return false;
    if (is_signed)
        *result = (uint64_t)(is_quotient ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
    else
        *result = is_quotient ? a / b : a % b;
    return true;
}

// Replaces the two values on top by the result of their operator.
static bool combine(struct run *run, uint8_t opcode)
{
    if (run->depth < 2)
        return false;
    uint64_t b = run->stack[--run->depth], *a = &run->stack[run->depth - 1];
    switch (opcode) {
    case AX_ADD:
        *a += b;
        return true;
    case AX_SUB:
        *a -= b;
        return true;
    case AX_MUL:
        *a *= b;
        return true;
    case AX_LSH:
        *a = b < 64 ? *a << b : 0;
        return true;
    case AX_RSH_UNSIGNED:
        *a = b < 64 ? *a >> b : 0;
        return true;
    case AX_RSH_SIGNED:
        *a = (uint64_t)((int64_t)*a >> (b < 64 ? b : 63));
        return true;
    case AX_BIT_AND:
        *a &= b;
        return true;
    case AX_BIT_OR:
        *a |= b;
        return true;
    case AX_BIT_XOR:
        *a ^= b;
        return true;
    case AX_EQUAL:
        *a = *a == b;
        return true;
    case AX_LESS_SIGNED:
        *a = (int64_t)*a < (int64_t)b;
        return true;
    case AX_LESS_UNSIGNED:
        *a = *a < b;
        return true;
    default:
        return divide(*a, b, opcode, a);
    }
}

static bool load(struct run *run, size_t size_bytes)
{
    uint8_t bytes[8];
    uint64_t value = 0;
    if (!run->depth ||
        !run->reader->read_memory(run->reader->self, run->stack[run->depth - 1], size_bytes, bytes))
        return false;
    for (size_t i = 0; i < size_bytes; i++)
        value = value << 8 | bytes[run->reader->is_big_endian ? i : size_bytes - 1 - i];
    run->stack[run->depth - 1] = value;
    return true;
}

static bool jump(struct run *run, bool is_conditional)
{
    uint64_t target;
    if (!operand(run, 2, &target) || (is_conditional && !run->depth))
        return false;
    if (!is_conditional || run->stack[--run->depth])
        run->at = (size_t)target;
    return run->at < run->agent->size_bytes;
}

static bool rotate(struct run *run)
{
    if (run->depth < 3)
        return false;
    uint64_t *top = &run->stack[run->depth - 1], kept = top[0];
    top[0] = top[-1];
    top[-1] = top[-2];
    top[-2] = kept;
    return true;
}

// One step after an opcode other than AX_END.
static bool step(struct run *run, uint8_t opcode)
{
    uint64_t *top = run->depth ? &run->stack[run->depth - 1] : NULL, value;
    switch (opcode) {
    case AX_LOG_NOT:
        return top && (*top = !*top, true);
    case AX_BIT_NOT:
        return top && (*top = ~*top, true);
    case AX_EXT:
    case AX_ZERO_EXT:
        return top && operand(run, 1, &value) &&
               (*top = extend(*top, value, opcode == AX_EXT), true);
    case AX_REF8:
    case AX_REF16:
    case AX_REF32:
    case AX_REF64:
        return load(run, (size_t)1 << (opcode - AX_REF8));
    case AX_IF_GOTO:
    case AX_GOTO:
        return jump(run, opcode == AX_IF_GOTO);
    case AX_CONST8:
    case AX_CONST16:
    case AX_CONST32:
    case AX_CONST64:
        return operand(run, (size_t)1 << (opcode - AX_CONST8), &value) && push(run, value);
    case AX_REG:
        return operand(run, 2, &value) &&
               run->reader->read_register(run->reader->self, (uint32_t)value, &value) &&
               push(run, value);
    case AX_DUP:
        return top && push(run, *top);
    case AX_POP:
        return top && (run->depth--, true);
    case AX_SWAP:
        return run->depth >= 2 && (value = top[0], top[0] = top[-1], top[-1] = value, true);
    case AX_PICK:
        return operand(run, 1, &value) && value < run->depth &&
               push(run, run->stack[run->depth - 1 - value]);
    case AX_ROT:
        return rotate(run);
    default:
        return opcode >= AX_ADD && opcode <= AX_LESS_UNSIGNED && combine(run, opcode);
    }
}

bool gdb_agent_value(const struct gdb_agent *agent, const struct gdb_agent_reader *reader,
                     uint64_t *value)
{
    struct run run; // its stack is not cleared: this runs at each visit
    run.agent = agent;
    run.reader = reader;
    run.at = run.depth = 0;
    for (size_t steps = 0; steps < LIMIT_GDB_AGENT_STEPS && run.at < agent->size_bytes; steps++) {
        uint8_t opcode = agent->code[run.at++];
        if (opcode == AX_END) {
            *value = run.depth ? run.stack[run.depth - 1] : 0;
            return run.depth > 0;
        }
        if (!step(&run, opcode))
            return false;
    }
    return false;
}
