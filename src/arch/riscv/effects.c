#include "arch/riscv/effects.h"

#include "arch/riscv/control.h"
#include "arch/riscv/registers.h"
#include "flow/effects_build.h"

// What is decoded, and the width of x registers.
struct decoder {
    struct build b;
    uint32_t code;
    enum riscv_isa isa;
    unsigned xlen; // in bytes
    unsigned rd, rs1, rs2, rs3, function, upper;
};

enum { RA = 1, SP = 2, T0 = 5, FLEN = 8 };

static uint32_t field(uint32_t code, unsigned low, unsigned count)
{
    return code >> low & ((UINT32_C(1) << count) - 1);
}

// --- Places --------------------------------------------------------------------------------------

static void from_x(struct decoder *d, enum effect_role role, unsigned n, unsigned bytes)
{
    if (n)
        from_register(&d->b, role, riscv_offset_x(n, d->isa), bytes);
}

// The first bytes of an x register; those above them become zero.
static void to_x_low(struct decoder *d, unsigned n, unsigned bytes)
{
    if (!n) {
        to_nowhere(&d->b);
        return;
    }
    if (bytes < d->xlen)
        to_register(&d->b, riscv_offset_x(n, d->isa) + bytes, d->xlen - bytes);
    to_register(&d->b, riscv_offset_x(n, d->isa), bytes);
}

static void to_x(struct decoder *d, unsigned n)
{
    to_x_low(d, n, d->xlen);
}

static void from_f(struct decoder *d, enum effect_role role, unsigned n, unsigned bytes)
{
    from_register(&d->b, role, riscv_offset_f(n), bytes);
}

// A number in an operation: a narrower one counts only if all bits above it are set.
static void from_number(struct decoder *d, unsigned n)
{
    from_f(d, ROLE_VALUE, n, FLEN);
}

// A narrower value has all bits set above it.
static void to_f(struct decoder *d, unsigned n, unsigned bytes)
{
    if (bytes < FLEN)
        to_register(&d->b, riscv_offset_f(n) + bytes, FLEN - bytes);
    to_register(&d->b, riscv_offset_f(n), bytes);
}

// After the inputs of a result: the rounding mode, and the exceptions, which have the same inputs.
static void rounds(struct decoder *d, bool has_mode)
{
    if (has_mode && d->function == 7)
        from_flags(&d->b, ROLE_CONDITION, RISCV_FLAG_CONTROL);
    also_to(&d->b, EFFECT_FLAGS, RISCV_FLAG_STATUS, 0);
    from_flags(&d->b, ROLE_VALUE, RISCV_FLAG_STATUS);
}

// --- Accesses ------------------------------------------------------------------------------------

static void loaded(struct decoder *d, unsigned bytes)
{
    from_memory(&d->b, ROLE_COPY, 0, bytes);
    from_x(d, ROLE_ADDRESS, d->rs1, d->xlen);
}

static void stored(struct decoder *d, unsigned bytes)
{
    to(&d->b, EFFECT_MEMORY, 0, bytes);
    from_x(d, ROLE_ADDRESS, d->rs1, d->xlen);
}

static bool load(struct decoder *d)
{
    const unsigned bytes = 1U << (d->function & 3);
    const bool is_signed = d->function < 4;
    if (d->function == 7 || bytes > d->xlen || (!is_signed && bytes == d->xlen))
        return false;
    to_x_low(d, d->rd, is_signed ? d->xlen : bytes);
    loaded(d, bytes);
    return true;
}

static bool store(struct decoder *d)
{
    const unsigned bytes = 1U << (d->function & 3);
    if (d->function > 3 || bytes > d->xlen)
        return false;
    stored(d, bytes);
    from_x(d, ROLE_COPY, d->rs2, bytes);
    return true;
}

static bool load_or_store_float(struct decoder *d, bool is_load)
{
    const unsigned bytes = 1U << (d->function & 3);
    if (d->function < 1 || d->function > 3) // Q
        return false;
    if (is_load) {
        to_f(d, d->rd, bytes);
        loaded(d, bytes);
        return true;
    }
    stored(d, bytes);
    from_f(d, ROLE_COPY, d->rs2, bytes);
    return true;
}

static bool atomic(struct decoder *d)
{
    enum { ADD, SWAP, LR, SC, XOR, OR = 8, AND = 12, MIN = 16, MAX = 20, MINU = 24, MAXU = 28 };
    const unsigned bytes = 1U << d->function, operation = field(d->code, 27, 5);
    if (d->function > 3 || bytes > d->xlen)
        return false;
    switch (operation) {
    case LR:
        if (d->rs2)
            return false;
        to_x(d, d->rd);
        loaded(d, bytes);
        to(&d->b, EFFECT_SYSTEM, RISCV_SYSTEM_RESERVATION, 0);
        from_x(d, ROLE_ADDRESS, d->rs1, d->xlen);
        return true;
    case SC:
        stored(d, bytes);
        from_x(d, ROLE_COPY, d->rs2, bytes);
        from(&d->b, ROLE_CONDITION, EFFECT_SYSTEM, RISCV_SYSTEM_RESERVATION, 0);
        to_x(d, d->rd);
        from(&d->b, ROLE_VALUE, EFFECT_SYSTEM, RISCV_SYSTEM_RESERVATION, 0);
        from_x(d, ROLE_ADDRESS, d->rs1, d->xlen);
        to(&d->b, EFFECT_SYSTEM, RISCV_SYSTEM_RESERVATION, 0);
        return true;
    case SWAP:
    case ADD:
    case XOR:
    case OR:
    case AND:
    case MIN:
    case MAX:
    case MINU:
    case MAXU:
        to_x(d, d->rd);
        loaded(d, bytes);
        stored(d, bytes);
        from_x(d, operation == SWAP ? ROLE_COPY : ROLE_VALUE, d->rs2, bytes);
        if (operation != SWAP)
            from_memory(&d->b, ROLE_VALUE, 0, bytes);
        return true;
    }
    return false;
}

// Fences; of caches, whose blocks may be cleared.
static bool order(struct decoder *d)
{
    const uint32_t which = d->code >> 20;
    if (d->function < 2)
        return true;
    if (d->function > 2 || d->rd || which > 4 || which == 3)
        return false;
    if (which == 4) // cbo.zero
        stored(d, 0);
    return true;
}

// --- Computations --------------------------------------------------------------------------------

// What only moves bytes of rs1, or makes a constant: the first `bytes`, above them the sign or
// zeros.
static bool move(struct decoder *d, unsigned bytes, bool is_signed)
{
    to_x_low(d, d->rd, is_signed ? d->xlen : bytes);
    from_x(d, ROLE_COPY, d->rs1, bytes);
    return true;
}

static bool compute(struct decoder *d, unsigned bytes)
{
    to_x(d, d->rd);
    from_x(d, ROLE_VALUE, d->rs1, bytes);
    return true;
}

static bool compute_two(struct decoder *d, unsigned bytes, unsigned second_bytes)
{
    (void)compute(d, bytes);
    from_x(d, ROLE_VALUE, d->rs2, second_bytes);
    return true;
}

// Shifts by an immediate, and what shares their encodings.
static bool shift_immediate(struct decoder *d)
{
    const bool is_left = d->function == 1;
    const uint32_t immediate = d->code >> 20, above = immediate >> (d->xlen == 8 ? 6 : 5)
                                                                       << (d->xlen == 8 ? 6 : 5);
    switch (above) {
    case 0: // slli, srli
        return (immediate & (8 * d->xlen - 1)) ? compute(d, d->xlen) : move(d, d->xlen, true);
    case 0x280: // bseti
    case 0x680: // binvi
        if (above == 0x280 ? is_left : is_left || immediate == (d->xlen == 8 ? 0x6b8 : 0x698))
            return compute(d, d->xlen); // also rev8
        break;
    case 0x480: // bclri, bexti
        return compute(d, d->xlen);
    case 0x400: // srai
        if (!is_left)
            return (immediate & (8 * d->xlen - 1)) ? compute(d, d->xlen) : move(d, d->xlen, true);
        break;
    case 0x600: // rori; clz, ctz, cpop, sext.b, sext.h
        if (!is_left || (immediate & 0x1f) < 3)
            return compute(d, d->xlen) && (!is_left || (immediate & 0x3f) < 3);
        return (immediate == 0x604 && move(d, 1, true)) || (immediate == 0x605 && move(d, 2, true));
    }
    // orc.b, brev8; with 32 bits, zip and unzip
    if ((immediate == 0x287 || immediate == 0x687) && !is_left)
        return compute(d, d->xlen);
    return immediate == 0x08f && d->xlen == 4 && compute(d, d->xlen);
}

static bool compute_immediate(struct decoder *d)
{
    const uint32_t immediate = d->code >> 20;
    switch (d->function) {
    case 0: // addi, xori, ori
    case 4:
    case 6:
        return immediate ? compute(d, d->xlen) : move(d, d->xlen, true);
    case 7: // andi
        return immediate == 0xff    ? move(d, 1, false)
               : immediate == 0xfff ? move(d, d->xlen, true)
               : immediate          ? compute(d, d->xlen)
                                    : (to_x(d, d->rd), true);
    case 2:
    case 3:
        return compute(d, d->xlen);
    }
    return shift_immediate(d);
}

static bool compute_immediate_word(struct decoder *d)
{
    const uint32_t immediate = d->code >> 20;
    if (d->xlen != 8)
        return false;
    switch (d->function << 7 | immediate >> 5) {
    case 1 << 7:        // slliw
    case 5 << 7:        // srliw
    case 5 << 7 | 0x20: // sraiw
    case 5 << 7 | 0x30: // roriw
        return immediate & 0x1f ? compute(d, 4) : move(d, 4, true);
    case 1 << 7 | 4: // slli.uw
    case 1 << 7 | 5:
        return compute(d, 4);
    case 1 << 7 | 0x30: // clzw, ctzw, cpopw
        return (immediate & 0x1f) < 3 && compute(d, 4);
    }
    return d->function == 0 && (immediate ? compute(d, 4) : move(d, 4, true));
}

// One of two registers is the zero register, and the operation leaves the other as it is.
static bool moves_other(struct decoder *d, bool is_symmetric)
{
    if (d->rs1 && d->rs2)
        return false;
    if (is_symmetric && !d->rs1)
        d->rs1 = d->rs2;
    else if (!d->rs1)
        return false;
    return true;
}

// Which operations there are of those with the same upper seven bits: a bit for each function.
static unsigned functions_of(unsigned upper, bool is_word)
{
    static const struct {
        uint8_t upper, functions, word_functions;
    } known[] = {
        {0x00, 0xff, 0x23}, // add, sll, slt, sltu, xor, srl, or, and
        {0x01, 0xff, 0xf1}, // mul to remu
        {0x04, 0x90, 0x11}, // pack, packh; add.uw, packw
        {0x05, 0xfe, 0x00}, // clmul, clmulr, clmulh, min, minu, max, maxu
        {0x07, 0xa0, 0x00}, // czero.eqz, czero.nez
        {0x10, 0x54, 0x54}, // sh1add, sh2add, sh3add
        {0x14, 0x16, 0x00}, // bset, xperm4, xperm8
        {0x20, 0xf1, 0x21}, // sub, xnor, sra, orn, andn
        {0x24, 0x22, 0x00}, // bclr, bext
        {0x30, 0x22, 0x22}, // rol, ror
        {0x34, 0x02, 0x00}, // binv
    };
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        if (known[i].upper == upper)
            return is_word ? known[i].word_functions : known[i].functions;
    }
    return 0;
}

// Whether the second operand is only the place of a bit or a distance: its lowest byte decides.
static bool is_shift(unsigned upper, unsigned function)
{
    const bool is_one = upper == 0x00 || upper == 0x20 || upper == 0x14 || upper == 0x24 ||
                        upper == 0x30 || upper == 0x34;
    return is_one && (function == 1 || function == 5);
}

static bool compute_registers(struct decoder *d, bool is_word)
{
    const unsigned bytes = is_word ? 4 : d->xlen;
    const unsigned upper = d->upper, function = d->function;
    if ((is_word && d->xlen != 8) || !(functions_of(upper, is_word) >> function & 1))
        return false;
    if (upper == 0x04 && is_word && function == 0) { // add.uw: only rs1 is cut
        if (!d->rs2)
            return move(d, 4, false);
        return compute_two(d, 4, 8);
    }
    if (upper == 0x04 && function == 4 && !d->rs2 && is_word == (d->xlen == 8)) // zext.h
        return move(d, 2, false);
    if (upper == 0x10 && is_word) // sh1add.uw
        return compute_two(d, 4, 8);
    const bool keeps =
        upper == 0x00 && (function == 0 || (!is_word && (function == 4 || function == 6)));
    const bool subtracts = upper == 0x20 && function == 0;
    if ((keeps || subtracts) && moves_other(d, keeps))
        return move(d, bytes, true);
    if (upper == 0x04) // halves, or bytes of a pack
        return compute_two(d, bytes, bytes);
    return compute_two(d, bytes, is_shift(upper, function) ? 1 : bytes);
}

// --- Control and system --------------------------------------------------------------------------

static bool jump_by_register(struct decoder *d)
{
    if (d->function)
        return false;
    to_x(d, d->rd);
    from(&d->b, ROLE_VALUE, EFFECT_PC, 0, d->xlen);
    to(&d->b, EFFECT_PC, 0, d->xlen);
    from_x(d, d->code >> 20 ? ROLE_VALUE : ROLE_COPY, d->rs1, d->xlen);
    return true;
}

static bool branch(struct decoder *d)
{
    if (d->function == 2 || d->function == 3)
        return false;
    to(&d->b, EFFECT_PC, 0, d->xlen);
    from_x(d, ROLE_CONDITION, d->rs1, d->xlen);
    from_x(d, ROLE_CONDITION, d->rs2, d->xlen);
    return true;
}

// Returns from a trap, from the register that has the address.
static bool trap_return(struct decoder *d, unsigned number)
{
    to(&d->b, EFFECT_PC, 0, d->xlen);
    from(&d->b, ROLE_COPY, EFFECT_SYSTEM, number, d->xlen);
    d->b.effects->is_exception = true;
    return true;
}

static bool environment(struct decoder *d)
{
    switch (d->code) {
    case 0x00000073: // ecall, ebreak
    case 0x00100073:
        d->b.effects->is_exception = true;
        return true;
    case 0x10200073:
        return trap_return(d, 0x141);
    case 0x30200073:
        return trap_return(d, 0x341);
    case 0x70200073:
        return trap_return(d, 0x741);
    case 0x7b200073:
        return trap_return(d, 0x7b1);
    case 0x10500073: // wfi, wrs.nto, wrs.sto
    case 0x00d00073:
    case 0x01d00073:
        return true;
    }
    const bool is_fence = d->upper == 0x09 || d->upper == 0x0b || d->upper == 0x0c ||
                          d->upper == 0x11 || d->upper == 0x13 || d->upper == 0x31 ||
                          d->upper == 0x33;
    return is_fence && !d->rd; // sfence.vma and its like
}

// Control and status registers are read and written at once. An operand of zero changes nothing.
static bool move_system(struct decoder *d)
{
    const unsigned number = d->code >> 20;
    const bool is_immediate = d->function & 4, is_swap = (d->function & 3) == 1;
    if (d->rd) {
        to_x(d, d->rd);
        from(&d->b, ROLE_COPY, EFFECT_SYSTEM, number, d->xlen);
    }
    if (!is_swap && !d->rs1)
        return true;
    to(&d->b, EFFECT_SYSTEM, number, d->xlen);
    if (!is_swap)
        from(&d->b, ROLE_VALUE, EFFECT_SYSTEM, number, d->xlen);
    if (!is_immediate)
        from_x(d, is_swap ? ROLE_COPY : ROLE_VALUE, d->rs1, d->xlen);
    return true;
}

// --- Floating point ------------------------------------------------------------------------------

// The bytes of a format; 0: Q.
static unsigned bytes_of_format(unsigned format)
{
    static const uint8_t bytes[] = {4, 8, 2, 0};
    return bytes[format & 3];
}

static bool multiply_add(struct decoder *d)
{
    const unsigned bytes = bytes_of_format(d->upper);
    if (!bytes || d->function == 5 || d->function == 6)
        return false;
    to_f(d, d->rd, bytes);
    from_number(d, d->rs1);
    from_number(d, d->rs2);
    from_number(d, d->rs3);
    rounds(d, true);
    return true;
}

// Moves between the files, and classes.
static bool move_float(struct decoder *d, bool to_integer, unsigned bytes)
{
    if (d->rs2 || d->function > to_integer)
        return false;
    if (to_integer && d->function) { // fclass
        to_x(d, d->rd);
        from_number(d, d->rs1);
    } else if (bytes > d->xlen) {
        return false;
    } else if (to_integer) {
        to_x(d, d->rd);
        from_f(d, ROLE_COPY, d->rs1, bytes);
    } else {
        to_f(d, d->rd, bytes);
        from_x(d, ROLE_COPY, d->rs1, bytes);
    }
    return true;
}

static bool convert_integer(struct decoder *d, bool to_integer, unsigned bytes)
{
    const unsigned integer = d->rs2 & 2 ? 8 : 4;
    if (d->rs2 > 3 || integer > d->xlen)
        return false;
    if (to_integer) {
        to_x(d, d->rd);
        from_number(d, d->rs1);
    } else {
        to_f(d, d->rd, bytes);
        from_x(d, ROLE_VALUE, d->rs1, integer);
    }
    rounds(d, true);
    return true;
}

static bool compute_float(struct decoder *d)
{
    const unsigned bytes = bytes_of_format(d->upper), operation = d->upper >> 2;
    if (!bytes)
        return false;
    switch (operation) {
    case 0x00: // fadd, fsub, fmul, fdiv
    case 0x01:
    case 0x02:
    case 0x03:
    case 0x0b: // fsqrt
        if (d->function == 5 || d->function == 6 || (operation == 0x0b && d->rs2))
            return false;
        to_f(d, d->rd, bytes);
        from_number(d, d->rs1);
        if (operation != 0x0b)
            from_number(d, d->rs2);
        rounds(d, true);
        return true;
    case 0x04: { // fsgnj, fsgnjn, fsgnjx
        const bool is_move = d->rs1 == d->rs2 && d->function == 0;
        if (d->function > 2)
            return false;
        to_f(d, d->rd, bytes);
        if (is_move) {
            from_f(d, ROLE_COPY, d->rs1, bytes);
            if (bytes < FLEN)
                from_register(&d->b, ROLE_CONDITION, riscv_offset_f(d->rs1) + bytes, FLEN - bytes);
            return true;
        }
        from_number(d, d->rs1);
        from_number(d, d->rs2);
        return true;
    }
    case 0x05: // fmin, fmax
        if (d->function > 1)
            return false;
        to_f(d, d->rd, bytes);
        from_number(d, d->rs1);
        from_number(d, d->rs2);
        rounds(d, false);
        return true;
    case 0x08: // between formats
        if (!bytes_of_format(d->rs2) || d->rs2 > 3 || (d->rs2 & 3) == (d->upper & 3))
            return false;
        to_f(d, d->rd, bytes);
        from_number(d, d->rs1);
        rounds(d, true);
        return true;
    case 0x14: // fle, flt, feq
        if (d->function > 2)
            return false;
        to_x(d, d->rd);
        from_number(d, d->rs1);
        from_number(d, d->rs2);
        rounds(d, false);
        return true;
    case 0x18:
    case 0x1a:
        return convert_integer(d, operation == 0x18, bytes);
    case 0x1c:
    case 0x1e:
        return move_float(d, operation == 0x1c, bytes);
    }
    return false;
}

// --- By opcode -----------------------------------------------------------------------------------

static bool decode(struct decoder *d)
{
    switch (d->code & 0x7f) {
    case 0x03:
        return load(d);
    case 0x07:
        return load_or_store_float(d, true);
    case 0x0f:
        return order(d);
    case 0x13:
        return compute_immediate(d);
    case 0x17: // auipc
    case 0x6f: // jal
        to_x(d, d->rd);
        from(&d->b, ROLE_VALUE, EFFECT_PC, 0, d->xlen);
        return true;
    case 0x1b:
        return compute_immediate_word(d);
    case 0x23:
        return store(d);
    case 0x27:
        return load_or_store_float(d, false);
    case 0x2f:
        return atomic(d);
    case 0x33:
    case 0x3b:
        return compute_registers(d, d->code & 8);
    case 0x37: // lui
        to_x(d, d->rd);
        return true;
    case 0x43:
    case 0x47:
    case 0x4b:
    case 0x4f:
        return multiply_add(d);
    case 0x53:
        return compute_float(d);
    case 0x63:
        return branch(d);
    case 0x67:
        return jump_by_register(d);
    case 0x73:
        return d->function == 0 ? environment(d) : d->function != 4 && move_system(d);
    }
    return false;
}

void riscv_effects(uint32_t code, enum riscv_isa isa, const struct effect_vectors *vectors,
                   struct effects *effects)
{
    const uint32_t word = riscv_size_bytes(code) == 2 ? riscv_expand(code, isa) : code;
    struct decoder d = {.b = {.effects = effects},
                        .code = word,
                        .isa = isa,
                        .xlen = isa == RISCV_64 ? 8 : 4,
                        .rd = field(word, 7, 5),
                        .rs1 = field(word, 15, 5),
                        .rs2 = field(word, 20, 5),
                        .rs3 = field(word, 27, 5),
                        .function = field(word, 12, 3),
                        .upper = field(word, 25, 7)};
    d.b.flow = &d.b.nowhere;
    effects->is_known = true;
    effects->is_exception = effects->is_conditional = effects->selects = false;
    effects->condition = 14; // always
    effects->flow_count = effects->input_count = 0;
    const bool is_decoded =
        riscv_size_bytes(word) == 4 &&
        (riscv_is_vector(word) ? riscv_vector_effects(&d.b, word, isa, vectors) : decode(&d));
    if (is_decoded && effects->is_known)
        return;
    effects->is_known = effects->is_exception = false;
    effects->flow_count = effects->input_count = 0;
}
