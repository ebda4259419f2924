// T32, but for floating point and Advanced SIMD, whose encodings are those of A32 with some bits
// moved.
#include "arch/arm/effects_aarch32.h"

#define RN(encoding) FIELD(encoding, 16, 4)
#define RT(encoding) FIELD(encoding, 12, 4)
#define RD(encoding) FIELD(encoding, 8, 4)
#define RM(encoding) FIELD(encoding, 0, 4)

static void link_to_r14(struct build *b)
{
    to_r(b, R_LR);
    from(b, ROLE_VALUE, EFFECT_PC, 0, 4);
}

// --- 16 bits -------------------------------------------------------------------------------------

// The sixteen operations with two low registers.
static bool low_data(struct build *b, uint32_t encoding, bool sets_flags)
{
    static const uint8_t opcodes[] = {OP_AND, OP_EOR, OP_MOV, OP_MOV, OP_MOV, OP_ADC,
                                      OP_SBC, OP_MOV, OP_TST, OP_RSB, OP_CMP, OP_CMN,
                                      OP_ORR, 0,      OP_BIC, OP_MVN};
    unsigned op = FIELD(encoding, 6, 4), rd = encoding & 7, rm = FIELD(encoding, 3, 3);
    enum data_opcode opcode = opcodes[op];
    bool is_comparison = op == 8 || op == 10 || op == 11;
    if (op == 13) { // MUL
        const unsigned sources[] = {rm, rd};
        result_of(b, rd, sources, 2, sets_flags);
    } else if (opcode == OP_MOV) { // shifts by a register
        data_processing(b, OP_MOV, sets_flags, rd, rd, (struct operand){.rm = rd, .rs = rm});
    } else if (op == 9) { // RSB from 0
        data_processing(b, OP_RSB, sets_flags, rd, rm, constant_operand(false));
    } else {
        data_processing(b, opcode, sets_flags || is_comparison, is_comparison ? R_NONE : rd, rd,
                        shifted_operand(rm, 0, 0));
    }
    return true;
}

// ADD, CMP, MOV with any registers; BX, BLX.
static bool high_data(struct build *b, uint32_t encoding)
{
    unsigned rd = (encoding >> 4 & 8) | (encoding & 7), rm = FIELD(encoding, 3, 4);
    switch (FIELD(encoding, 8, 2)) {
    case 0:
        data_processing(b, OP_ADD, false, rd, rd, shifted_operand(rm, 0, 0));
        return true;
    case 1:
        data_processing(b, OP_CMP, true, R_NONE, rd, shifted_operand(rm, 0, 0));
        return true;
    case 2:
        data_processing(b, OP_MOV, false, rd, rd, shifted_operand(rm, 0, 0));
        return true;
    }
    if (encoding & 3) // BXNS and BLXNS have 4
        return false;
    if (encoding >> 7 & 1)
        link_to_r14(b);
    to(b, EFFECT_PC, 0, 4);
    from_r(b, ROLE_COPY, rm, 4);
    return true;
}

static bool low_access(struct build *b, uint32_t encoding)
{
    unsigned rt = encoding & 7, rn = FIELD(encoding, 3, 3), rm = FIELD(encoding, 6, 3);
    struct address32 address = {.base = rn, .index = R_NONE};
    static const uint8_t sizes[] = {4, 2, 1, 1, 4, 2, 1, 2};
    unsigned op, bytes;
    bool is_load = encoding >> 11 & 1;
    switch (encoding >> 12) {
    case 5: // STR, STRH, STRB, LDRSB, LDR, LDRH, LDRB, LDRSH with a register
        op = FIELD(encoding, 9, 3);
        address.index = rm;
        if (op < 3)
            store_r(b, rt, 0, sizes[op], &address);
        else
            load_r(b, rt, 0, sizes[op], op == 3 || op == 7, &address);
        return true;
    case 9: // relative to SP
        address.base = R_SP;
        rt = FIELD(encoding, 8, 3);
        bytes = 4;
        break;
    case 8:
        bytes = 2;
        break;
    default:
        bytes = encoding >> 12 & 1 ? 1 : 4;
    }
    if (is_load)
        load_r(b, rt, 0, bytes, false, &address);
    else
        store_r(b, rt, 0, bytes, &address);
    return true;
}

static bool miscellaneous16(struct build *b, uint32_t encoding)
{
    unsigned rd = encoding & 7, rm = FIELD(encoding, 3, 3);
    switch (FIELD(encoding, 8, 4)) {
    case 0: // ADD and SUB of SP
        data_processing(b, OP_ADD, false, R_SP, R_SP, constant_operand(false));
        return true;
    case 1:
    case 3:
    case 9:
    case 11: // CBZ, CBNZ
        to(b, EFFECT_PC, 0, 4);
        from_r(b, ROLE_CONDITION, rd, 4);
        return true;
    case 2: { // SXTH, SXTB, UXTH, UXTB
        unsigned op = FIELD(encoding, 6, 2);
        extend(b, rd, R_PC, rm, 0, op & 1 ? 1 : 2, op < 2, false);
        return true;
    }
    case 4:
    case 5:
    case 12:
    case 13: { // PUSH, POP
        bool is_load = encoding >> 11 & 1, has_last = encoding >> 8 & 1;
        unsigned list = (encoding & 0xff) | (has_last ? 1U << (is_load ? R_PC : R_LR) : 0);
        multiple(b, is_load, list, R_SP, true);
        return list != 0;
    }
    case 6: // SETPAN, SETEND, CPS
        to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_MODE, 4);
        from(b, ROLE_VALUE, EFFECT_SYSTEM, EFFECT_SYSTEM_MODE, 4);
        return (encoding & 0xffb7) == 0xb610 || (encoding & 0xffe8) == 0xb660;
    case 10: // REV, REV16, REVSH; HLT
        b->effects->is_exception = FIELD(encoding, 6, 2) == 2;
        if (!b->effects->is_exception)
            result_of(b, rd, &rm, 1, false);
        return true;
    case 14: // BKPT
        b->effects->is_exception = true;
        return true;
    case 15: // IT, hints
        if (encoding & 15)
            to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_IT, 0);
        return true;
    }
    return false;
}

bool effects_of_t16(struct build *b, uint32_t encoding, bool sets_flags)
{
    unsigned rd = encoding & 7, rm = FIELD(encoding, 3, 3), high = FIELD(encoding, 8, 3);
    const struct address32 literal = {.base = R_PC, .index = R_NONE};
    switch (encoding >> 11 & 31) {
    case 0:
    case 1:
    case 2: // LSL, LSR, ASR; MOVS
        data_processing(b, OP_MOV, sets_flags, rd, rd,
                        shifted_operand(rm, FIELD(encoding, 11, 2), FIELD(encoding, 6, 5)));
        return true;
    case 3: // ADD, SUB with a register or three bits
        data_processing(b, encoding >> 9 & 1 ? OP_SUB : OP_ADD, sets_flags, rd, rm,
                        encoding >> 10 & 1 ? constant_operand(false)
                                           : shifted_operand(FIELD(encoding, 6, 3), 0, 0));
        return true;
    case 4: // MOV
        data_processing(b, OP_MOV, sets_flags, high, high, constant_operand(false));
        return true;
    case 5: // CMP
        data_processing(b, OP_CMP, true, R_NONE, high, constant_operand(false));
        return true;
    case 6:
    case 7: // ADD, SUB
        data_processing(b, encoding >> 11 & 1 ? OP_SUB : OP_ADD, sets_flags, high, high,
                        constant_operand(false));
        return true;
    case 8:
        return encoding >> 10 & 1 ? high_data(b, encoding) : low_data(b, encoding, sets_flags);
    case 9:
        load_r(b, high, 0, 4, false, &literal);
        return true;
    case 20: // ADR
        to_r(b, high);
        from(b, ROLE_VALUE, EFFECT_PC, 0, 4);
        return true;
    case 21: // ADD of SP
        data_processing(b, OP_ADD, false, high, R_SP, constant_operand(false));
        return true;
    case 22:
    case 23:
        return miscellaneous16(b, encoding);
    case 24:
    case 25: // STM, LDM: a base in the list is not updated
        multiple(b, encoding >> 11 & 1, encoding & 0xff, high, true);
        return (encoding & 0xff) != 0;
    case 26:
    case 27:
        if (FIELD(encoding, 8, 4) >= 14) { // UDF, SVC
            b->effects->is_exception = true;
            return true;
        }
        to(b, EFFECT_PC, 0, 4);
        return true; // the condition is added
    case 28:
        to(b, EFFECT_PC, 0, 4);
        return true;
    }
    return encoding >> 11 < 20 && low_access(b, encoding);
}

// --- 32 bits: data processing --------------------------------------------------------------------

// Of the opcodes of modified constants and shifted registers. `rd` R_PC with flags: a comparison;
// `rn` R_PC: a move.
static bool data32(struct build *b, uint32_t encoding, struct operand operand)
{
    enum { NO = 255 };
    static const uint8_t opcodes[] = {OP_AND, OP_BIC, OP_ORR, OP_ORN, OP_EOR, NO,     NO,     NO,
                                      OP_ADD, NO,     OP_ADC, OP_SBC, NO,     OP_SUB, OP_RSB, NO};
    unsigned index = FIELD(encoding, 21, 4), rd = RD(encoding), rn = RN(encoding);
    enum data_opcode opcode = opcodes[index];
    bool sets_flags = encoding >> 20 & 1;
    if (opcodes[index] == NO)
        return false;
    if (rd == R_PC && sets_flags) {
        if (opcode != OP_AND && opcode != OP_EOR && opcode != OP_ADD && opcode != OP_SUB)
            return false;
        rd = R_NONE;
    }
    if (rn == R_PC && opcode == OP_ORR)
        opcode = OP_MOV;
    else if (rn == R_PC && opcode == OP_ORN)
        opcode = OP_MVN;
    else if (rn == R_PC)
        return false;
    data_processing(b, opcode, sets_flags, rd, rn, operand);
    return rd != R_PC;
}

static bool shifted_register(struct build *b, uint32_t encoding)
{
    unsigned amount = FIELD(encoding, 12, 3) << 2 | FIELD(encoding, 6, 2);
    if (encoding >> 15 & 1)
        return false;
    if (FIELD(encoding, 21, 4) == 6) { // PKH
        const unsigned sources[] = {RN(encoding), RM(encoding)};
        result_of(b, RD(encoding), sources, 2, false);
        return !(encoding & 0x00100010) && RD(encoding) != R_PC;
    }
    return data32(b, encoding, shifted_operand(RM(encoding), FIELD(encoding, 4, 2), amount));
}

static bool plain_constant(struct build *b, uint32_t encoding)
{
    unsigned rd = RD(encoding), rn = RN(encoding);
    unsigned lsb = FIELD(encoding, 12, 3) << 2 | FIELD(encoding, 6, 2), last = encoding & 31;
    if (rd == R_PC || (encoding >> 24 & encoding >> 26 & 1))
        return false;
    switch (FIELD(encoding, 20, 5)) {
    case 0:
    case 10: // ADD, SUB, ADR
        data_processing(b, OP_ADD, false, rd, rn, constant_operand(false));
        return true;
    case 4: // MOVW
        to_r(b, rd);
        return true;
    case 12:
        move_top(b, rd);
        return true;
    case 16:
    case 18:
    case 24:
    case 26: // SSAT, USAT
        if (rn == R_PC || encoding & 0x20)
            return false;
        result_of(b, rd, &rn, 1, false);
        sticky_q(b, &rn, 1);
        return true;
    case 20:
    case 28: // SBFX, UBFX
        if (rn == R_PC || lsb + last > 31)
            return false;
        extract32(b, rd, rn, lsb, last + 1, !(encoding >> 23 & 1));
        return true;
    case 22: // BFI, BFC
        return bitfield32(b, rd, rn, lsb, last, rn != R_PC);
    }
    return false;
}

static bool register_data(struct build *b, uint32_t encoding)
{
    unsigned op1 = FIELD(encoding, 20, 4), op2 = FIELD(encoding, 4, 4), rd = RD(encoding);
    unsigned rn = RN(encoding), rm = RM(encoding);
    const unsigned sources[] = {rn, rm};
    if (rd == R_PC || RT(encoding) != 15)
        return false;
    if (op1 < 8 && op2 == 0) { // shifts
        data_processing(b, OP_MOV, op1 & 1, rd, rn, (struct operand){.rm = rn, .rs = rm});
        return rn != R_PC && rm != R_PC;
    }
    if (op1 < 6 && op2 >> 3) { // SXTAH, UXTAH, SXTAB16, UXTAB16, SXTAB, UXTAB
        static const uint8_t sizes[] = {2, 2, 1};
        extend(b, rd, rn, rm, op2 & 3, sizes[op1 >> 1], !(op1 & 1), op1 >> 1 == 1);
        return rm != R_PC && !(op2 & 4);
    }
    if (op1 >= 8 && op2 < 8) { // parallel
        unsigned kind = op2 & 3, op = op1 & 7;
        if (kind == 3 || op == 3 || op == 7)
            return false;
        result_of(b, rd, sources, 2, false);
        if (!kind)
            also_to(b, EFFECT_FLAGS, EFFECT_GE, 0);
        return true;
    }
    if (op1 < 8 || op2 > 11)
        return false;
    switch (op1) {
    case 8: // QADD
        result_of(b, rd, sources, 2, false);
        sticky_q(b, sources, 2);
        return true;
    case 9: // REV, REV16, RBIT, REVSH
        result_of(b, rd, &rm, 1, false);
        return rn == rm;
    case 10: // SEL
        if (op2 != 8)
            return false;
        result_of(b, rd, sources, 2, false);
        from_flags(b, ROLE_CONDITION, EFFECT_GE);
        return true;
    case 11: // CLZ
        if (op2 != 8 || rn != rm)
            return false;
        result_of(b, rd, &rm, 1, false);
        return true;
    case 12:
    case 13: // CRC32, CRC32C
        if (op2 == 11)
            return false;
        to_r(b, rd);
        from_r(b, ROLE_VALUE, rn, 4);
        from_r(b, ROLE_VALUE, rm, 1U << (op2 & 3));
        return rn != R_PC && rm != R_PC;
    }
    return false;
}

static bool multiply32(struct build *b, uint32_t encoding)
{
    unsigned op1 = FIELD(encoding, 20, 3), op2 = FIELD(encoding, 4, 2), rd = RD(encoding);
    const unsigned sources[] = {RN(encoding), RM(encoding), RT(encoding)};
    unsigned count = RT(encoding) == R_PC ? 2 : 3;
    if (rd == R_PC || encoding & 0xc0)
        return false;
    switch (op1) {
    case 0: // MLA, MUL, MLS
        result_of(b, rd, sources, count, false);
        return op2 == 0 || (op2 == 1 && count == 3);
    case 1: // SMLAxy, SMULxy
        result_of(b, rd, sources, count, false);
        if (count == 3)
            sticky_q(b, sources, count);
        return true;
    case 2:
    case 3:
    case 4: // SMLAD, SMLAW, SMLSD
        result_of(b, rd, sources, count, false);
        if (count == 3 || op1 == 2)
            sticky_q(b, sources, count);
        return op2 < 2;
    case 5:
    case 6: // SMMLA, SMMLS
        result_of(b, rd, sources, count, false);
        return op2 < 2 && (op1 == 5 || count == 3);
    }
    result_of(b, rd, sources, count, false); // USADA8
    return op2 == 0;
}

static bool long_multiply(struct build *b, uint32_t encoding)
{
    unsigned op1 = FIELD(encoding, 20, 3), op2 = FIELD(encoding, 4, 4);
    unsigned low = RT(encoding), high = RD(encoding);
    const unsigned sources[] = {RN(encoding), RM(encoding), low, high};
    bool exists = false, accumulates = true;
    switch (op1) {
    case 0:
    case 2: // SMULL, UMULL
        exists = op2 == 0;
        accumulates = false;
        break;
    case 1:
    case 3: // SDIV, UDIV
        result_of(b, high, sources, 2, false);
        return op2 == 15 && high != R_PC;
    case 4: // SMLAL, SMLALxy, SMLALD
        exists = op2 == 0 || (op2 >= 8 && op2 <= 13);
        break;
    case 5: // SMLSLD
        exists = op2 == 12 || op2 == 13;
        break;
    case 6: // UMLAL, UMAAL
        exists = op2 == 0 || op2 == 6;
    }
    if (!exists || low == R_PC || high == R_PC)
        return false;
    long_result_of(b, low, high, sources, accumulates ? 4 : 2, false);
    return true;
}

// --- 32 bits: branches, system -------------------------------------------------------------------

// Where a security extension of the M profile or its loops have their encodings among others.
static bool loop_or_branch(struct build *b, uint32_t encoding)
{
    bool is_end = (encoding & 0x000f0000) == 0x000f0000;
    unsigned form = FIELD(encoding, 20, 3);
    if ((encoding & 0xff80c001) != 0xf000c001)
        return false;
    if (!is_end && (encoding & 0xe000) == 0xe000 && form >= 4) { // DLS
        to_r(b, R_LR);
        from_r(b, ROLE_COPY, RN(encoding), 4);
        return form == 4 && !(encoding & 0xffe);
    }
    if (encoding & 0x2000)
        return false;
    if (is_end) { // LE
        if (form == 2) {
            to(b, EFFECT_PC, 0, 4);
            return true;
        }
        if (form) // with tail predication
            return false;
        to_r(b, R_LR);
        from_r(b, ROLE_VALUE, R_LR, 4);
        to(b, EFFECT_PC, 0, 4);
        from_r(b, ROLE_CONDITION, R_LR, 4);
        return true;
    }
    if (form == 4) { // WLS
        to_r(b, R_LR);
        from_r(b, ROLE_COPY, RN(encoding), 4);
        to(b, EFFECT_PC, 0, 4);
        from_r(b, ROLE_CONDITION, RN(encoding), 4);
        return true;
    }
    return false;
}

static bool system32(struct build *b, uint32_t encoding)
{
    unsigned op = FIELD(encoding, 20, 7), mask = FIELD(encoding, 8, 4), sysm = encoding & 0xff;
    switch (op) {
    case 0x38:
    case 0x39: // MSR: of the A profile without SYSm
        if (encoding & 0x20) {
            to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_BANK | (op & 1) << 5 | (encoding & 0x10) | mask, 4);
            from_r(b, ROLE_COPY, RN(encoding), 4);
            return RN(encoding) != R_PC && op < 0x3a;
        }
        if (op == 0x39) {
            to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_SPSR, 4);
            from_r(b, ROLE_COPY, RN(encoding), 4);
        } else if (sysm) { // of the M profile; with up to 3, flags too
            if (sysm < 4) {
                write_psr(b, mask, RN(encoding));
            } else {
                to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_M | sysm, 4);
                from_r(b, ROLE_COPY, RN(encoding), 4);
            }
        } else {
            write_psr(b, mask, RN(encoding));
        }
        return RN(encoding) != R_PC;
    case 0x3e:
    case 0x3f: // MRS
        if (!(encoding & 0x20) && op == 0x3e && sysm < 4) {
            read_psr(b, mask);
            return mask != R_PC;
        }
        to_r(b, mask);
        if (encoding & 0x20)
            from(b, ROLE_COPY, EFFECT_SYSTEM,
                 EFFECT_SYSTEM_BANK | (op & 1) << 5 | (encoding & 0x10) | RN(encoding), 4);
        else if (op & 1)
            from(b, ROLE_COPY, EFFECT_SYSTEM, EFFECT_SYSTEM_SPSR, 4);
        else
            from(b, ROLE_COPY, EFFECT_SYSTEM, EFFECT_SYSTEM_M | sysm, 4);
        return mask != R_PC;
    case 0x3a: // hints, CPS
        if (encoding & 0x700) {
            to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_MODE, 4);
            from(b, ROLE_VALUE, EFFECT_SYSTEM, EFFECT_SYSTEM_MODE, 4);
        }
        return true;
    case 0x3b: // barriers, CLREX
        if (FIELD(encoding, 4, 4) == 2)
            to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
        return FIELD(encoding, 4, 4) == 2 ||
               (FIELD(encoding, 4, 4) >= 4 && FIELD(encoding, 4, 4) <= 7);
    case 0x3c: // BXJ
        to(b, EFFECT_PC, 0, 4);
        from_r(b, ROLE_COPY, RN(encoding), 4);
        return true;
    case 0x3d: // SUBS PC, LR; ERET
        restore_psr(b);
        to(b, EFFECT_PC, 0, 4);
        if (encoding & 0xff)
            from_r(b, ROLE_VALUE, R_LR, 4);
        else
            from(b, ROLE_COPY, EFFECT_SYSTEM, EFFECT_SYSTEM_ELR, 4);
        return RN(encoding) == R_LR;
    case 0x7e:
    case 0x7f: // HVC, SMC, UDF
        b->effects->is_exception = true;
        return true;
    }
    return false;
}

static bool branch32(struct build *b, uint32_t encoding)
{
    switch (encoding & 0x5000) {
    case 0x0000:
        if ((encoding & 0x03800000) == 0x03800000)
            return system32(b, encoding);
        to(b, EFFECT_PC, 0, 4); // the condition is added
        return true;
    case 0x1000: // B
        to(b, EFFECT_PC, 0, 4);
        return true;
    case 0x4000: // BLX
        if (encoding & 1)
            return loop_or_branch(b, encoding);
    }
    link_to_r14(b);
    to(b, EFFECT_PC, 0, 4);
    return true;
}

// --- 32 bits: loads and stores -------------------------------------------------------------------

static bool block32(struct build *b, uint32_t encoding)
{
    unsigned op = FIELD(encoding, 23, 2), rn = RN(encoding), list = encoding & 0xffff;
    bool is_load = encoding >> 20 & 1, writes_back = encoding >> 21 & 1;
    const struct address32 address = {.base = rn, .index = R_NONE};
    if (op == 0 || op == 3) { // RFE, SRS
        if ((encoding & 0xffff) != 0xc000 || !is_load || rn == R_PC)
            return false;
        b->effects->is_exception = true;
        load_r(b, R_PC, 0, 4, false, &address);
        to_flags(b, EFFECT_NZCV | EFFECT_Q | EFFECT_GE);
        from_memory(b, ROLE_COPY, 4, 4);
        from_r(b, ROLE_ADDRESS, rn, 4);
        if (writes_back)
            update_base(b, &address);
        return true;
    }
    if (!list || list >> 13 & 1 || (rn == R_PC && !(is_load && op == 1 && !writes_back)))
        return false;
    if (rn == R_PC) { // CLRM
        for (unsigned n = 0; n < 15; n++) {
            if (list >> n & 1)
                to_r(b, n);
        }
        if (list >> 15)
            to_flags(b, EFFECT_NZCV | EFFECT_Q | EFFECT_GE);
        return true;
    }
    if (!is_load && list >> 15)
        return false;
    multiple(b, is_load, list, rn, writes_back);
    return true;
}

static bool pair_or_exclusive(struct build *b, uint32_t encoding)
{
    unsigned rn = RN(encoding), rt = RT(encoding), rt2 = RD(encoding), rm = RM(encoding);
    bool is_before = encoding >> 24 & 1, writes_back = encoding >> 21 & 1,
         is_load = encoding >> 20 & 1;
    const struct address32 address = {.base = rn, .index = R_NONE};
    if (is_before || writes_back) { // LDRD, STRD
        if (encoding == 0xe97fe97f) // SG
            return true;
        if (rt == R_PC || rt2 == R_PC || (rn == R_PC && (writes_back || !is_load)))
            return false;
        for (unsigned i = 0; i < 2; i++) {
            if (is_load)
                load_r(b, i ? rt2 : rt, i * 4, 4, false, &address);
            else
                store_r(b, i ? rt2 : rt, i * 4, 4, &address);
        }
        if (writes_back)
            update_base(b, &address);
        return true;
    }
    if (!(encoding >> 23 & 1)) { // LDREX, STREX; TT
        if (is_load) {
            load_exclusive32(b, rt, R_NONE, 4, rn);
            return rn != R_PC && rt != R_PC && rt2 == 15;
        }
        if (rt == R_PC) {
            to_r(b, rt2);
            from_r(b, ROLE_VALUE, rn, 4);
            return rt2 != R_PC && rn != R_PC && !(encoding & 0x3f);
        }
        store_exclusive32(b, rt2, rt, R_NONE, 4, rn);
        return rn != R_PC && rt2 != R_PC;
    }
    static const uint8_t sizes[] = {1, 2, 4, 8};
    unsigned op = FIELD(encoding, 4, 4), bytes = sizes[op & 3];
    if (op < 2) { // TBB, TBH
        const struct address32 indexed = {.base = rn, .index = rm};
        if (!is_load || rt != 15 || rt2)
            return false;
        to(b, EFFECT_PC, 0, 4);
        from_memory(b, ROLE_VALUE, 0, bytes);
        from(b, ROLE_VALUE, EFFECT_PC, 0, 4);
        from_r(b, ROLE_ADDRESS, indexed.base, 4);
        from_r(b, ROLE_ADDRESS, indexed.index, 4);
        return rm != R_PC;
    }
    if (op < 4 || rn == R_PC || rt == R_PC || op == 6)
        return false;
    bool is_pair = bytes == 8;
    if (op >= 8 && op < 12) { // LDA, STL
        if (is_pair)
            return false;
        if (is_load)
            load_r(b, rt, 0, bytes, false, &address);
        else
            store_r(b, rt, 0, bytes, &address);
        return true;
    }
    if (op == 14 || op < 8 || op >= 12) {
        if (is_pair && rt2 == R_PC)
            return false;
        if (is_load)
            load_exclusive32(b, rt, is_pair ? rt2 : R_NONE, is_pair ? 4 : bytes, rn);
        else
            store_exclusive32(b, rm, rt, is_pair ? rt2 : R_NONE, is_pair ? 4 : bytes, rn);
        return is_load || rm != R_PC;
    }
    return false;
}

static bool single32(struct build *b, uint32_t encoding)
{
    unsigned rn = RN(encoding), rt = RT(encoding), size = FIELD(encoding, 21, 2),
             bytes = 1U << size;
    bool is_signed = encoding >> 24 & 1, is_load = encoding >> 20 & 1, is_long = encoding >> 23 & 1;
    bool writes_back = false, is_unprivileged = false;
    struct address32 address = {.base = rn, .index = R_NONE}, update = address;
    if (size == 3 || (is_signed && (!is_load || size == 2)))
        return false;
    if (rn == R_PC) {
        if (!is_load)
            return false;
    } else if (!is_long && !(encoding >> 11 & 1)) { // a register
        if (FIELD(encoding, 6, 5) || RM(encoding) == R_PC)
            return false;
        address.index = RM(encoding);
    } else if (!is_long) {
        bool is_before = encoding >> 10 & 1;
        writes_back = encoding >> 8 & 1;
        is_unprivileged = FIELD(encoding, 8, 3) == 6;
        if (!is_before && !writes_back)
            return false;
    }
    if (rt == R_PC && size < 2 && is_load && !writes_back)
        return !is_unprivileged; // PLD, PLI
    if (rt == R_PC && (size < 2 || !is_load || is_unprivileged))
        return false;
    if (is_load)
        load_r(b, rt, 0, bytes, is_signed, &address);
    else
        store_r(b, rt, 0, bytes, &address);
    if (writes_back)
        update_base(b, &update);
    return true;
}

// Coprocessors and Advanced SIMD, as A32 has them.
static bool vectors_or_coprocessor(struct build *b, uint32_t encoding)
{
    unsigned which = FIELD(encoding, 8, 4);
    if ((encoding & 0xef000000) == 0xef000000) // data of Advanced SIMD: U is in another bit
        return effects_of_vfp(b,
                              0xf2000000 | (encoding >> 4 & 0x01000000) | (encoding & 0x00ffffff));
    if (encoding >> 28 == 14 && (which == 14 || which == 15))
        return coprocessor(b, encoding);
    return which >= 8 && which <= 11 && effects_of_vfp(b, encoding);
}

bool effects_of_t32(struct build *b, uint32_t encoding)
{
    switch (encoding >> 25 & 15) {
    case 4:
        return encoding >> 22 & 1 ? pair_or_exclusive(b, encoding) : block32(b, encoding);
    case 5:
        return shifted_register(b, encoding);
    case 6:
    case 7:
    case 14:
    case 15:
        return vectors_or_coprocessor(b, encoding);
    case 8:
    case 10:
        return encoding >> 15 & 1
                   ? branch32(b, encoding)
                   : data32(b, encoding,
                            constant_operand(encoding >> 26 & 1 || encoding >> 14 & 1));
    case 9:
    case 11:
        return encoding >> 15 & 1 ? branch32(b, encoding) : plain_constant(b, encoding);
    case 12:
        if ((encoding & 0xff100000) == 0xf9000000)
            return effects_of_vfp(b, 0xf4000000 | (encoding & 0x00ffffff));
        return single32(b, encoding);
    case 13:
        if (!(encoding >> 24 & 1))
            return register_data(b, encoding);
        return encoding >> 23 & 1 ? long_multiply(b, encoding) : multiply32(b, encoding);
    }
    return false;
}
