// A64: data processing of general registers, branches, system.
#include "arch/arm/effects_build.h"

#define LINK 30
#define CONTROL_SYSTEM(op1, crn, crm, op2)                                                         \
    (3U << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))

enum {
    SYSTEM_NZCV = CONTROL_SYSTEM(3, 4, 2, 0),
    SYSTEM_FPCR = CONTROL_SYSTEM(3, 4, 4, 0),
    SYSTEM_FPSR = CONTROL_SYSTEM(3, 4, 4, 1),
    SYSTEM_DAIF = CONTROL_SYSTEM(3, 4, 2, 1),
    SYSTEM_RNDR = CONTROL_SYSTEM(3, 2, 4, 0),
    SYSTEM_RNDRRS = CONTROL_SYSTEM(3, 2, 4, 1),
    SYSTEM_PAR = CONTROL_SYSTEM(0, 7, 4, 0),
};

// --- Immediates ----------------------------------------------------------------------------------

// Whether the immediate of a logical instruction is allocated.
static bool logical_immediate_exists(unsigned n, unsigned imms, bool is_wide)
{
    unsigned selector = n << 6 | (~imms & 63);
    if (selector < 2 || (n && !is_wide))
        return false;
    unsigned length = 31U - (unsigned)__builtin_clz(selector), levels = (1U << length) - 1;
    return (imms & levels) != levels;
}

// AND with 0xff, 0xffff or 0xffffffff only cuts. Returns the bytes that remain, or 0.
static unsigned bytes_kept_by_and(uint32_t encoding)
{
    unsigned n = FIELD(encoding, 22, 1), immr = FIELD(encoding, 16, 6),
             imms = FIELD(encoding, 10, 6);
    bool is_whole_element = encoding >> 31 ? n : !n && imms < 32;
    if (!is_whole_element || immr)
        return 0;
    return imms == 7 ? 1 : imms == 15 ? 2 : imms == 31 && n ? 4 : 0;
}

static void logical_immediate(struct build *b, uint32_t encoding)
{
    unsigned rd = FIELD(encoding, 0, 5), rn = FIELD(encoding, 5, 5), opc = FIELD(encoding, 29, 2);
    unsigned bytes = encoding >> 31 ? 8 : 4, kept = opc == 0 ? bytes_kept_by_and(encoding) : 0;
    if (opc == 3) {
        to_flags(b, EFFECT_C | EFFECT_V);
        to_flags(b, EFFECT_N | EFFECT_Z);
        from_x(b, ROLE_VALUE, rn, bytes);
        if (rd != 31) {
            to_x(b, rd, bytes);
            from_x(b, ROLE_VALUE, rn, bytes);
        }
        return;
    }
    if (kept) {
        to_register(b, REGISTER_OFFSET_X(rd) + kept, 8 - kept);
        to_register(b, REGISTER_OFFSET_X(rd), kept);
        from_x(b, ROLE_COPY, rn, kept);
        return;
    }
    to_xsp(b, rd, bytes);
    from_x(b, ROLE_VALUE, rn, bytes);
}

// A field of one register moves to a place in another: by whole bytes, it is a copy. What is beside
// it is cleared (UBFM), the sign above and zero below (SBFM), or stays (BFM).
static bool bitfield(struct build *b, uint32_t encoding)
{
    bool is_wide = encoding >> 31;
    unsigned rd = FIELD(encoding, 0, 5), rn = FIELD(encoding, 5, 5), opc = FIELD(encoding, 29, 2);
    unsigned immr = FIELD(encoding, 16, 6), imms = FIELD(encoding, 10, 6), bits = is_wide ? 64 : 32;
    enum { SIGNED, INSERT, UNSIGNED };
    if (opc == 3 || FIELD(encoding, 22, 1) != is_wide || immr >= bits || imms >= bits)
        return false;
    unsigned width = imms >= immr ? imms - immr + 1 : imms + 1;
    unsigned source = imms >= immr ? immr : 0, target = imms >= immr ? 0 : bits - immr;
    bool is_copy = !((width | source | target) & 7);
    unsigned low = target / 8, high = (target + width + 7) / 8; // bytes of the output
    unsigned source_low = source / 8, source_high = (source + width + 7) / 8;
    uint64_t output = REGISTER_OFFSET_X(rd), input = REGISTER_OFFSET_X(rn);
    if (rd == 31)
        return true;
    if (!is_wide)
        to_register(b, output + 4, 4);
    if (low) {
        to_register(b, output, low);
        if (opc == INSERT)
            from_x(b, ROLE_COPY, rd, low);
    }
    bool signs = opc == SIGNED && high < bits / 8;
    if (signs && is_copy) { // one with the field, as its sign
        high = bits / 8;
        signs = false;
    }
    if (high < bits / 8) {
        to_register(b, output + high, bits / 8 - high);
        if (opc == INSERT)
            from_register(b, ROLE_COPY, output + high, bits / 8 - high);
        else if (signs && rn != 31)
            from_register(b, ROLE_VALUE, input + source_high - 1, 1);
    }
    to_register(b, output + low, high - low);
    if (rn != 31)
        from_register(b, is_copy ? ROLE_COPY : ROLE_VALUE, input + source_low,
                      source_high - source_low);
    if (opc == INSERT && !is_copy)
        from_register(b, ROLE_VALUE, output + low, high - low);
    return true;
}

static bool extract(struct build *b, uint32_t encoding)
{
    bool is_wide = encoding >> 31;
    unsigned rd = FIELD(encoding, 0, 5), rn = FIELD(encoding, 5, 5), rm = FIELD(encoding, 16, 5);
    unsigned bytes = is_wide ? 8 : 4, low = FIELD(encoding, 10, 6), shift = low / 8;
    uint64_t output = REGISTER_OFFSET_X(rd);
    if ((encoding & 0x60200000) || FIELD(encoding, 22, 1) != is_wide || low >= bytes * 8)
        return false;
    if (low & 7) {
        to_x(b, rd, bytes);
        from_x(b, ROLE_VALUE, rn, bytes);
        from_x(b, ROLE_VALUE, rm, bytes);
        return true;
    }
    if (rd == 31)
        return true;
    if (!is_wide)
        to_register(b, output + 4, 4);
    if (shift) {
        to_register(b, output + bytes - shift, shift);
        from_x(b, ROLE_COPY, rn, shift);
    }
    to_register(b, output, bytes - shift);
    if (rm != 31)
        from_register(b, ROLE_COPY, REGISTER_OFFSET_X(rm) + shift, bytes - shift);
    return true;
}

static bool move_wide(struct build *b, uint32_t encoding)
{
    unsigned rd = FIELD(encoding, 0, 5), opc = FIELD(encoding, 29, 2), hw = FIELD(encoding, 21, 2);
    unsigned bytes = encoding >> 31 ? 8 : 4, at = hw * 2;
    if (opc == 1 || at >= bytes)
        return false;
    if (rd == 31)
        return true;
    uint64_t output = REGISTER_OFFSET_X(rd);
    if (opc != 3) {
        to_register(b, output, 8);
        return true;
    }
    if (bytes == 4)
        to_register(b, output + 4, 4);
    if (at) {
        to_register(b, output, at);
        from_register(b, ROLE_COPY, output, at);
    }
    if (at + 2 < bytes) {
        to_register(b, output + at + 2, bytes - at - 2);
        from_register(b, ROLE_COPY, output + at + 2, bytes - at - 2);
    }
    to_register(b, output + at, 2);
    return true;
}

static bool data_immediate(struct build *b, uint32_t encoding)
{
    bool is_wide = encoding >> 31, sets_flags = encoding >> 29 & 1;
    unsigned rd = FIELD(encoding, 0, 5), rn = FIELD(encoding, 5, 5), bytes = is_wide ? 8 : 4;
    switch (FIELD(encoding, 23, 3)) {
    case 0:
    case 1: // ADR, ADRP
        to_x(b, rd, 8);
        from(b, ROLE_VALUE, EFFECT_PC, 0, 8);
        return true;
    case 2: { // ADD, SUB; with 0 it is MOV to or from SP
        bool is_copy = !FIELD(encoding, 10, 12);
        if (sets_flags) {
            to_flags(b, EFFECT_NZCV);
            from_xsp(b, ROLE_VALUE, rn, bytes);
            if (rd == 31)
                return true;
        }
        to_xsp(b, rd, bytes);
        from_xsp(b, is_copy ? ROLE_COPY : ROLE_VALUE, rn, bytes);
        return true;
    }
    case 3:
        if (sets_flags)
            return false;
        if (!(encoding >> 22 & 1)) { // ADDG, SUBG
            if (!is_wide)
                return false;
            to_xsp(b, rd, 8);
            from_xsp(b, ROLE_VALUE, rn, 8);
            return true;
        }
        if (encoding & 0x40300000) // SMAX, UMAX, SMIN, UMIN
            return false;
        to_x(b, rd, bytes);
        from_x(b, ROLE_VALUE, rn, bytes);
        return true;
    case 4:
        if (!logical_immediate_exists(FIELD(encoding, 22, 1), FIELD(encoding, 10, 6), is_wide))
            return false;
        logical_immediate(b, encoding);
        return true;
    case 5:
        return move_wide(b, encoding);
    case 6:
        return bitfield(b, encoding);
    }
    if ((encoding & 0xffc0001f) == 0xf380001f) { // AUTIASPPC, AUTIBSPPC
        to_x(b, LINK, 8);
        from_x(b, ROLE_VALUE, LINK, 8);
        from_xsp(b, ROLE_VALUE, 31, 8);
        from(b, ROLE_VALUE, EFFECT_PC, 0, 8);
        return true;
    }
    return extract(b, encoding);
}

// --- Data processing of registers ----------------------------------------------------------------

static bool logical_register(struct build *b, uint32_t encoding)
{
    bool is_wide = encoding >> 31, inverts = encoding >> 21 & 1;
    unsigned rd = FIELD(encoding, 0, 5), rn = FIELD(encoding, 5, 5), rm = FIELD(encoding, 16, 5);
    unsigned bytes = is_wide ? 8 : 4, amount = FIELD(encoding, 10, 6), opc = FIELD(encoding, 29, 2);
    if (!is_wide && amount > 31)
        return false;
    if (opc == 3) {
        to_flags(b, EFFECT_C | EFFECT_V);
        to_flags(b, EFFECT_N | EFFECT_Z);
        from_x(b, ROLE_VALUE, rn, bytes);
        from_x(b, ROLE_VALUE, rm, bytes);
        if (rd == 31)
            return true;
    }
    // ORR and EOR with the zero register, ORR and AND with itself move the other one.
    bool has_zero = rn == 31 && (opc == 1 || opc == 2),
         is_same = rn == rm && (opc == 0 || opc == 1);
    bool is_copy = !inverts && !amount && (has_zero || is_same);
    to_x(b, rd, bytes);
    if (!is_copy)
        from_x(b, ROLE_VALUE, rn, bytes);
    from_x(b, is_copy ? ROLE_COPY : ROLE_VALUE, rm, bytes);
    return true;
}

static void sum_of_two(struct build *b, uint32_t encoding, bool reads_carry)
{
    unsigned rd = FIELD(encoding, 0, 5), rn = FIELD(encoding, 5, 5), rm = FIELD(encoding, 16, 5);
    unsigned bytes = encoding >> 31 ? 8 : 4;
    bool sets_flags = encoding >> 29 & 1;
    if (sets_flags) {
        to_flags(b, EFFECT_NZCV);
        from_x(b, ROLE_VALUE, rn, bytes);
        from_x(b, ROLE_VALUE, rm, bytes);
        if (reads_carry)
            from_flags(b, ROLE_VALUE, EFFECT_C);
        if (rd == 31)
            return;
    }
    to_x(b, rd, bytes);
    from_x(b, ROLE_VALUE, rn, bytes);
    from_x(b, ROLE_VALUE, rm, bytes);
    if (reads_carry)
        from_flags(b, ROLE_VALUE, EFFECT_C);
}

static bool sum_of_extended(struct build *b, uint32_t encoding)
{
    unsigned rd = FIELD(encoding, 0, 5), rn = FIELD(encoding, 5, 5), rm = FIELD(encoding, 16, 5);
    unsigned bytes = encoding >> 31 ? 8 : 4, extended = 1U << FIELD(encoding, 13, 2);
    unsigned amount = FIELD(encoding, 10, 3);
    bool sets_flags = encoding >> 29 & 1;
    if ((encoding & 0x00c00000) || amount > 4)
        return false;
    if (extended > bytes)
        extended = bytes;
    if (sets_flags) {
        to_flags(b, EFFECT_NZCV);
        from_xsp(b, ROLE_VALUE, rn, bytes);
        from_x(b, ROLE_VALUE, rm, extended);
        if (rd == 31)
            return true;
    }
    to_xsp(b, rd, bytes);
    from_xsp(b, ROLE_VALUE, rn, bytes);
    from_x(b, ROLE_VALUE, rm, extended);
    return true;
}

// CCMP, CCMN: flags of a comparison, or from the code.
static bool conditional_compare(struct build *b, uint32_t encoding)
{
    unsigned bytes = encoding >> 31 ? 8 : 4;
    if (!(encoding >> 29 & 1) || (encoding & 0x410))
        return false;
    to_flags(b, EFFECT_NZCV);
    from_x(b, ROLE_VALUE, FIELD(encoding, 5, 5), bytes);
    if (!(encoding >> 11 & 1))
        from_x(b, ROLE_VALUE, FIELD(encoding, 16, 5), bytes);
    from_flags(b, ROLE_CONDITION, effects_condition_flags(FIELD(encoding, 12, 4)));
    return true;
}

// CSEL, CSINC, CSINV, CSNEG.
static bool conditional_select(struct build *b, uint32_t encoding)
{
    unsigned rn = FIELD(encoding, 5, 5), rm = FIELD(encoding, 16, 5),
             bytes = encoding >> 31 ? 8 : 4;
    unsigned condition = FIELD(encoding, 12, 4);
    bool changes_second = (encoding >> 30 & 1) || (encoding >> 10 & 1);
    if ((encoding >> 29 & 1) || (encoding >> 11 & 1))
        return false;
    to_x(b, FIELD(encoding, 0, 5), bytes);
    if (condition >= CONDITION_ALWAYS) {
        from_x(b, ROLE_COPY, rn, bytes);
        return true;
    }
    b->effects->condition = (uint8_t)condition;
    b->effects->selects = true;
    if (rn != 31)
        from_x(b, ROLE_COPY, rn, bytes);
    else
        from(b, ROLE_COPY, EFFECT_ZERO, 0, bytes);
    if (rm != 31)
        from_x(b, changes_second ? ROLE_VALUE : ROLE_COPY, rm, bytes);
    else
        from(b, ROLE_VALUE, EFFECT_ZERO, 0, bytes);
    from_flags(b, ROLE_CONDITION, effects_condition_flags(condition));
    return true;
}

static bool of_two_sources(struct build *b, uint32_t encoding)
{
    bool is_wide = encoding >> 31, sets_flags = encoding >> 29 & 1;
    unsigned rd = FIELD(encoding, 0, 5), rn = FIELD(encoding, 5, 5), rm = FIELD(encoding, 16, 5);
    unsigned bytes = is_wide ? 8 : 4, opcode = FIELD(encoding, 10, 6), second = bytes;
    bool has_sp = false, has_second_sp = false, is_sp = false;
    if (sets_flags && (opcode || !is_wide))
        return false;
    switch (opcode) {
    case 0: // SUBP, SUBPS
        has_sp = has_second_sp = true;
        break;
    case 2:
    case 3: // UDIV, SDIV
    case 24:
    case 25:
    case 26:
    case 27: // SMAX, UMAX, SMIN, UMIN
        break;
    case 4: // IRG
        is_sp = has_sp = true;
        break;
    case 5: // GMI
        has_sp = true;
        break;
    case 8:
    case 9:
    case 10:
    case 11: // shifts, by the lowest bits
        second = 1;
        break;
    case 12: // PACGA
        has_second_sp = true;
        break;
    default: // CRC32
        if (opcode < 16 || opcode > 23 || ((opcode & 3) == 3) != is_wide)
            return false;
        bytes = 4;
        second = 1U << (opcode & 3);
    }
    if (!is_wide && (opcode == 0 || opcode == 4 || opcode == 5 || opcode == 12))
        return false;
    if (sets_flags) {
        to_flags(b, EFFECT_NZCV);
        from_xsp(b, ROLE_VALUE, rn, 8);
        from_xsp(b, ROLE_VALUE, rm, 8);
    }
    if (is_sp)
        to_xsp(b, rd, 8);
    else
        to_x(b, rd, bytes);
    if (has_sp)
        from_xsp(b, ROLE_VALUE, rn, bytes);
    else
        from_x(b, ROLE_VALUE, rn, bytes);
    if (has_second_sp)
        from_xsp(b, ROLE_VALUE, rm, second);
    else
        from_x(b, ROLE_VALUE, rm, second);
    if (opcode == 4) { // the tags to leave out and the seed: GCR_EL1, RGSR_EL1
        from(b, ROLE_VALUE, EFFECT_SYSTEM, CONTROL_SYSTEM(0, 1, 0, 6), 8);
        from(b, ROLE_VALUE, EFFECT_SYSTEM, CONTROL_SYSTEM(0, 1, 0, 5), 8);
    }
    return true;
}

// Signing, authenticating or stripping a pointer leaves at least its lower half as it is.
static void change_pointer(struct build *b, unsigned rd, unsigned modifier, bool modifier_is_sp)
{
    if (rd == 31)
        return;
    to_register(b, REGISTER_OFFSET_X(rd), 4);
    from_x(b, ROLE_COPY, rd, 4);
    to_register(b, REGISTER_OFFSET_X(rd) + 4, 4);
    from_x(b, ROLE_VALUE, rd, 8);
    if (modifier_is_sp)
        from_xsp(b, ROLE_VALUE, modifier, 8);
    else
        from_x(b, ROLE_VALUE, modifier, 8);
}

static bool of_one_source(struct build *b, uint32_t encoding)
{
    bool is_wide = encoding >> 31;
    unsigned rd = FIELD(encoding, 0, 5), rn = FIELD(encoding, 5, 5), bytes = is_wide ? 8 : 4;
    unsigned opcode = FIELD(encoding, 10, 6);
    if (encoding >> 29 & 1)
        return false;
    if (FIELD(encoding, 16, 5) == 1) {
        if (!is_wide || opcode > 17 || (opcode >= 8 && rn != 31))
            return false;
        change_pointer(b, rd, rn, opcode < 8);
        return true;
    }
    if (FIELD(encoding, 16, 5) || opcode > 8 || (opcode == 3 && !is_wide))
        return false;
    to_x(b, rd, bytes);
    from_x(b, ROLE_VALUE, rn, bytes);
    return true;
}

static bool of_three_sources(struct build *b, uint32_t encoding)
{
    bool is_wide = encoding >> 31, is_high = false;
    unsigned bytes = is_wide ? 8 : 4, source = bytes, op = FIELD(encoding, 21, 3);
    switch (op) {
    case 0:
        break;
    case 1:
    case 5: // SMADDL, UMADDL
        source = 4;
        break;
    case 2:
    case 6: // SMULH, UMULH
        is_high = true;
        break;
    default:
        return false;
    }
    if ((encoding & 0x60000000) || (op && !is_wide) || (is_high && encoding & 0x8000))
        return false;
    to_x(b, FIELD(encoding, 0, 5), bytes);
    from_x(b, ROLE_VALUE, FIELD(encoding, 5, 5), source);
    from_x(b, ROLE_VALUE, FIELD(encoding, 16, 5), source);
    if (!is_high)
        from_x(b, ROLE_VALUE, FIELD(encoding, 10, 5), bytes);
    return true;
}

// ADC and SBC; RMIF, SETF8 and SETF16, which make flags.
static bool with_carry(struct build *b, uint32_t encoding)
{
    unsigned rn = FIELD(encoding, 5, 5), kind = FIELD(encoding, 10, 6);
    if (!kind) {
        sum_of_two(b, encoding, true);
        return true;
    }
    if ((encoding & 0xffe07c10) == 0xba000400) { // RMIF
        unsigned flags = encoding & 15;
        if (!flags)
            return true;
        to_flags(b, flags);
        if (rn != 31) // the lowest four bits after a rotation
            from_register(b, ROLE_VALUE, REGISTER_OFFSET_X(rn), 8);
        return true;
    }
    if ((encoding & 0xffffbc1f) == 0x3a00080d) { // SETF8, SETF16
        to_flags(b, EFFECT_N | EFFECT_Z | EFFECT_V);
        from_x(b, ROLE_VALUE, rn, 4);
        return true;
    }
    return false;
}

static bool data_register(struct build *b, uint32_t encoding)
{
    bool is_wide = encoding >> 31;
    if (!(encoding >> 28 & 1)) {
        if (!(encoding >> 24 & 1))
            return logical_register(b, encoding);
        if (encoding >> 21 & 1)
            return sum_of_extended(b, encoding);
        if (FIELD(encoding, 22, 2) == 3 || (!is_wide && encoding >> 15 & 1))
            return false;
        sum_of_two(b, encoding, false);
        return true;
    }
    if (encoding >> 24 & 1)
        return of_three_sources(b, encoding);
    switch (FIELD(encoding, 21, 3)) {
    case 0:
        return with_carry(b, encoding);
    case 2:
        return conditional_compare(b, encoding);
    case 4:
        return conditional_select(b, encoding);
    case 6:
        return encoding >> 30 & 1 ? of_one_source(b, encoding) : of_two_sources(b, encoding);
    }
    return false;
}

// --- Branches ------------------------------------------------------------------------------------

static void link_to_x30(struct build *b)
{
    to_x(b, LINK, 8);
    from(b, ROLE_VALUE, EFFECT_PC, 0, 8);
}

static bool branch_to_register(struct build *b, uint32_t encoding)
{
    unsigned rn = FIELD(encoding, 5, 5), rm = encoding & 31, opc = FIELD(encoding, 21, 4);
    unsigned variant = FIELD(encoding, 10, 6); // 2, 3: authenticates with key A or B
    bool authenticates = variant == 2 || variant == 3;
    if (FIELD(encoding, 16, 5) != 31 || (variant && !authenticates))
        return false;
    switch (opc) {
    case 0:
    case 1:
        if (rm != (authenticates ? 31 : 0)) // without a modifier
            return false;
        break;
    case 2:
        if (authenticates) { // RETAA, RETAASPPCR
            if (rn != 31)
                return false;
            to(b, EFFECT_PC, 0, 8);
            from_x(b, ROLE_VALUE, LINK, 8);
            from_xsp(b, ROLE_VALUE, 31, 8);
            from_x(b, ROLE_VALUE, rm, 8);
            return true;
        }
        if (rm)
            return false;
        break;
    case 4: // ERET
        if (rn != 31 || rm != (authenticates ? 31 : 0))
            return false;
        to(b, EFFECT_PC, 0, 8);
        from(b, ROLE_COPY, EFFECT_SYSTEM, EFFECT_SYSTEM_ELR, 8);
        to_flags(b, EFFECT_NZCV);
        from(b, ROLE_COPY, EFFECT_SYSTEM, EFFECT_SYSTEM_SPSR, 8);
        b->effects->is_exception = true;
        return true;
    case 5: // DRPS
        b->effects->is_exception = true;
        return encoding == 0xd6bf03e0;
    case 8:
    case 9:
        if (!authenticates)
            return false;
        break;
    default:
        return false;
    }
    if (opc & 1)
        link_to_x30(b);
    to(b, EFFECT_PC, 0, 8);
    from_x(b, authenticates ? ROLE_VALUE : ROLE_COPY, rn, 8);
    if (opc >= 8)
        from_xsp(b, ROLE_VALUE, rm, 8);
    return true;
}

// Compare and branch (FEAT_CMPBR).
static bool branch_by_comparison(struct build *b, uint32_t encoding)
{
    bool has_immediate = encoding >> 24 & 1, is_wide = encoding >> 31;
    unsigned condition = FIELD(encoding, 21, 3), size = FIELD(encoding, 14, 2);
    unsigned bytes = is_wide ? 8 : 4;
    if (condition == 4 || condition == 5 ||
        (has_immediate ? size & 1 : size == 1 || (size && is_wide)))
        return false;
    if (!has_immediate && size)
        bytes = size == 2 ? 1 : 2;
    to(b, EFFECT_PC, 0, 8);
    from_x(b, ROLE_CONDITION, encoding & 31, bytes);
    if (!has_immediate)
        from_x(b, ROLE_CONDITION, FIELD(encoding, 16, 5), bytes);
    return true;
}

static bool call_exception(struct build *b, uint32_t encoding)
{
    unsigned opc = FIELD(encoding, 21, 3), low = encoding & 31;
    bool is_allocated = opc == 0   ? low >= 1 && low <= 3              // SVC, HVC, SMC
                        : opc == 1 ? low == 0                          // BRK
                        : opc == 2 ? low == 0                          // HLT
                                   : opc == 5 && low >= 1 && low <= 3; // DCPS
    b->effects->is_exception = true;
    return is_allocated;
}

// --- System --------------------------------------------------------------------------------------

static bool hint(struct build *b, uint32_t encoding)
{
    unsigned number = FIELD(encoding, 5, 7);
    switch (number) {
    case 7: // XPACLRI
        change_pointer(b, LINK, 31, false);
        return true;
    case 8:
    case 10:
    case 12:
    case 14: // PACIA1716 and the like
        change_pointer(b, 17, 16, false);
        return true;
    case 25:
    case 27:
    case 29:
    case 31: // PACIASP, AUTIASP
        change_pointer(b, LINK, 31, true);
        return true;
    case 24:
    case 26:
    case 28:
    case 30: // PACIAZ, AUTIAZ
        change_pointer(b, LINK, 31, false);
        return true;
    case 40: // CHKFEAT
        to_x(b, 16, 8);
        from_x(b, ROLE_VALUE, 16, 8);
    }
    return true; // the others do nothing with data
}

// MSR with an immediate, which writes a field of PSTATE; flags.
static bool write_state(struct build *b, uint32_t encoding)
{
    unsigned op1 = FIELD(encoding, 16, 3), op2 = FIELD(encoding, 5, 3), number;
    if (op1 == 0 && op2 <= 2) {
        to_flags(b, op2 ? EFFECT_NZCV : EFFECT_C); // XAFLAG, AXFLAG; CFINV
        from_flags(b, ROLE_VALUE, op2 ? EFFECT_NZCV : EFFECT_C);
        return !FIELD(encoding, 8, 4);
    }
    switch (op1 << 3 | op2) {
    case 3: // UAO
        number = CONTROL_SYSTEM(0, 4, 2, 4);
        break;
    case 4: // PAN
        number = CONTROL_SYSTEM(0, 4, 2, 3);
        break;
    case 5: // SPSel
        number = CONTROL_SYSTEM(0, 4, 2, 0);
        break;
    case 3 << 3 | 1: // SSBS
        number = CONTROL_SYSTEM(3, 4, 2, 6);
        break;
    case 3 << 3 | 2: // DIT
        number = CONTROL_SYSTEM(3, 4, 2, 5);
        break;
    case 3 << 3 | 4: // TCO
        number = CONTROL_SYSTEM(3, 4, 2, 7);
        break;
    case 3 << 3 | 6:
    case 3 << 3 | 7: // DAIFSet, DAIFClr
        to(b, EFFECT_SYSTEM, SYSTEM_DAIF, 8);
        from(b, ROLE_VALUE, EFFECT_SYSTEM, SYSTEM_DAIF, 8);
        return true;
    default: // also SMSTART, SMSTOP
        return false;
    }
    to(b, EFFECT_SYSTEM, number, 8);
    return true;
}

// SYS: DC ZVA writes memory, AT the result of a translation.
static bool system_operation(struct build *b, uint32_t encoding)
{
    unsigned operation = FIELD(encoding, 5, 14), rt = encoding & 31;
    enum { ZVA = 3 << 11 | 7 << 7 | 4 << 3 | 1, GVA = ZVA + 2, GZVA = ZVA + 3, CRN = 15 << 7 };
    if (encoding >> 21 & 1) // SYSL
        return false;
    if (operation == ZVA || operation == GZVA) {
        to(b, EFFECT_MEMORY, 0, 0);
        from_x(b, ROLE_ADDRESS, rt, 8);
    }
    if (operation == GVA || operation == GZVA) {
        to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_TAGS, 0);
        from_x(b, ROLE_VALUE, rt, 8);
        return true;
    }
    if ((operation & CRN) == 7 << 7 && FIELD(encoding, 9, 3) == 4) { // CRm 8 and 9: AT
        to(b, EFFECT_SYSTEM, SYSTEM_PAR, 8);
        from_x(b, ROLE_VALUE, rt, 8);
    }
    unsigned crn = operation >> 7 & 15;
    return crn == 7 || crn == 8 || crn == 9; // caches, translations
}

static void move_system(struct build *b, uint32_t encoding)
{
    unsigned number = encoding >> 5 & 0xffff, rt = encoding & 31;
    bool reads = encoding >> 21 & 1;
    unsigned flags = number == SYSTEM_NZCV   ? EFFECT_NZCV
                     : number == SYSTEM_FPCR ? EFFECT_FP_CONTROL
                     : number == SYSTEM_FPSR ? EFFECT_FP_STATUS
                                             : 0;
    if (flags && reads) {
        to_x(b, rt, 8);
        from_flags(b, ROLE_COPY, flags);
    } else if (flags) {
        to_flags(b, flags);
        from_x(b, ROLE_COPY, rt, 8);
    } else if (reads) {
        if (number == SYSTEM_RNDR || number == SYSTEM_RNDRRS) {
            to_flags(b, EFFECT_NZCV);
            from(b, ROLE_VALUE, EFFECT_SYSTEM, number, 8);
        }
        to_x(b, rt, 8);
        from(b, ROLE_COPY, EFFECT_SYSTEM, number, 8);
    } else {
        to(b, EFFECT_SYSTEM, number, 8);
        from_x(b, ROLE_COPY, rt, 8);
    }
}

static bool system(struct build *b, uint32_t encoding)
{
    if (encoding >> 20 & 1) {
        move_system(b, encoding);
        return true;
    }
    if (encoding >> 19 & 1)
        return system_operation(b, encoding);
    if ((encoding & 0xffffffc0) == 0xd5031000) // WFET, WFIT
        return true;
    if ((encoding & 0xfffff01f) == 0xd503201f)
        return hint(b, encoding);
    if ((encoding & 0xfffff01f) == 0xd503301f) { // barriers
        if (FIELD(encoding, 5, 3) == 2)
            to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
        return true;
    }
    return (encoding & 0xfff8f01f) == 0xd500401f && write_state(b, encoding);
}

static bool branch(struct build *b, uint32_t encoding)
{
    if ((encoding & 0x7c000000) == 0x14000000) { // B, BL
        if (encoding >> 31)
            link_to_x30(b);
        to(b, EFFECT_PC, 0, 8);
        return true;
    }
    if ((encoding & 0xff000000) == 0x54000000) { // B.cond, BC.cond
        to(b, EFFECT_PC, 0, 8);
        from_flags(b, ROLE_CONDITION, effects_condition_flags(encoding & 15));
        return true;
    }
    if ((encoding & 0x7e000000) == 0x34000000) { // CBZ, CBNZ
        to(b, EFFECT_PC, 0, 8);
        from_x(b, ROLE_CONDITION, encoding & 31, encoding >> 31 ? 8 : 4);
        return true;
    }
    if ((encoding & 0x7e000000) == 0x36000000) { // TBZ, TBNZ
        unsigned bit = FIELD(encoding, 19, 5) | encoding >> 31 << 5, rt = encoding & 31;
        to(b, EFFECT_PC, 0, 8);
        if (rt != 31)
            from_register(b, ROLE_CONDITION, REGISTER_OFFSET_X(rt) + bit / 8, 1);
        return true;
    }
    if ((encoding & 0x7e000000) == 0x74000000)
        return branch_by_comparison(b, encoding);
    if ((encoding & 0xfe000000) == 0xd6000000)
        return branch_to_register(b, encoding);
    if ((encoding & 0xff000000) == 0xd4000000)
        return call_exception(b, encoding);
    if ((encoding & 0xffc00000) == 0xd5000000)
        return system(b, encoding);
    if ((encoding & 0xffc0001f) == 0x5500001f) { // RETAASPPC
        to(b, EFFECT_PC, 0, 8);
        from_x(b, ROLE_VALUE, LINK, 8);
        from_xsp(b, ROLE_VALUE, 31, 8);
        return true;
    }
    return false;
}

bool effects_of_a64(struct build *b, uint32_t encoding)
{
    switch (FIELD(encoding, 25, 4)) {
    case 8:
    case 9:
        return data_immediate(b, encoding);
    case 10:
    case 11:
        return branch(b, encoding);
    case 5:
    case 13:
        return data_register(b, encoding);
    case 4:
    case 6:
    case 12:
    case 14:
        return effects_of_a64_access(b, encoding);
    case 7:
    case 15:
        return effects_of_a64_vector(b, encoding);
    case 2:
        return effects_of_sve(b, encoding);
    case 0: // UDF
        b->effects->is_exception = true;
        return encoding < 0x10000;
    }
    return false;
}
