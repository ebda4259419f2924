// A32, but for floating point and Advanced SIMD.
#include "arch/arm/effects_aarch32.h"

#define RN(encoding) FIELD(encoding, 16, 4)
#define RD(encoding) FIELD(encoding, 12, 4)
#define RS(encoding) FIELD(encoding, 8, 4)
#define RM(encoding) FIELD(encoding, 0, 4)

// --- Data processing -----------------------------------------------------------------------------

static bool data(struct build *b, uint32_t encoding, struct operand operand)
{
    enum data_opcode opcode = FIELD(encoding, 21, 4);
    bool sets_flags = encoding >> 20 & 1, is_comparison = opcode >= OP_TST && opcode <= OP_CMN;
    unsigned rd = is_comparison ? R_NONE : RD(encoding);
    if (operand.rs != R_NONE &&
        (rd == R_PC || RN(encoding) == R_PC || operand.rm == R_PC || operand.rs == R_PC))
        return false;
    if (rd == R_PC && sets_flags) { // returns from an exception
        restore_psr(b);
        sets_flags = false;
    }
    data_processing(b, opcode, sets_flags, rd, RN(encoding), operand);
    return true;
}

static bool data_register(struct build *b, uint32_t encoding)
{
    struct operand operand =
        shifted_operand(RM(encoding), FIELD(encoding, 5, 2), FIELD(encoding, 7, 5));
    if (encoding >> 4 & 1)
        operand = (struct operand){.rm = RM(encoding), .rs = RS(encoding)};
    return data(b, encoding, operand);
}

static bool multiply(struct build *b, uint32_t encoding)
{
    const unsigned rd = RN(encoding), ra = RD(encoding);
    const unsigned sources[] = {RM(encoding), RS(encoding), ra, rd};
    bool sets_flags = encoding >> 20 & 1;
    switch (FIELD(encoding, 21, 3)) {
    case 0: // MUL
        result_of(b, rd, sources, 2, sets_flags);
        return rd != R_PC;
    case 1: // MLA
        result_of(b, rd, sources, 3, sets_flags);
        return rd != R_PC;
    case 3: // MLS
        result_of(b, rd, sources, 3, false);
        return !sets_flags && rd != R_PC;
    case 2: // UMAAL
        long_result_of(b, ra, rd, sources, 4, false);
        return !sets_flags && rd != R_PC && ra != R_PC;
    case 4:
    case 6: // UMULL, SMULL
        long_result_of(b, ra, rd, sources, 2, sets_flags);
        break;
    default: // UMLAL, SMLAL
        long_result_of(b, ra, rd, sources, 4, sets_flags);
    }
    return rd != R_PC && ra != R_PC;
}

static bool halfword_multiply(struct build *b, uint32_t encoding)
{
    const unsigned rd = RN(encoding), ra = RD(encoding);
    const unsigned sources[] = {RM(encoding), RS(encoding), ra, rd};
    unsigned op = FIELD(encoding, 21, 2);
    bool is_plain = op == 3 || (op == 1 && encoding >> 5 & 1); // without an addend
    if (rd == R_PC)
        return false;
    if (op == 2) { // SMLALxy
        long_result_of(b, ra, rd, sources, 4, false);
        return ra != R_PC;
    }
    result_of(b, rd, sources, is_plain ? 2 : 3, false);
    if (!is_plain)
        sticky_q(b, sources, 3);
    return true;
}

static bool move_status(struct build *b, uint32_t encoding)
{
    bool is_spsr = encoding >> 22 & 1, writes = encoding >> 21 & 1;
    if (encoding >> 9 & 1) { // of a bank
        unsigned number = EFFECT_SYSTEM_BANK | (encoding >> 22 & 1) << 5 |
                          FIELD(encoding, 8, 1) << 4 | RN(encoding);
        if (writes) {
            to(b, EFFECT_SYSTEM, number, 4);
            from_r(b, ROLE_COPY, RM(encoding), 4);
        } else {
            to_r(b, RD(encoding));
            from(b, ROLE_COPY, EFFECT_SYSTEM, number, 4);
        }
        return (writes ? RM(encoding) : RD(encoding)) != R_PC;
    }
    if (!writes && is_spsr) {
        to_r(b, RD(encoding));
        from(b, ROLE_COPY, EFFECT_SYSTEM, EFFECT_SYSTEM_SPSR, 4);
    } else if (!writes) {
        read_psr(b, RD(encoding));
    } else if (is_spsr) {
        to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_SPSR, 4);
        from_r(b, ROLE_COPY, RM(encoding), 4);
    } else {
        write_psr(b, RN(encoding), RM(encoding));
    }
    return true;
}

static bool miscellaneous(struct build *b, uint32_t encoding)
{
    unsigned op = FIELD(encoding, 21, 2), rm = RM(encoding), rd = RD(encoding);
    if (encoding >> 7 & 1)
        return halfword_multiply(b, encoding);
    switch (FIELD(encoding, 4, 3)) {
    case 0:
        return move_status(b, encoding);
    case 1: // BX, CLZ
    case 2: // BXJ
        if (op == 1) {
            to(b, EFFECT_PC, 0, 4);
            from_r(b, ROLE_COPY, rm, 4);
            return true;
        }
        if (op != 3 || FIELD(encoding, 4, 3) == 2)
            return false;
        result_of(b, rd, &rm, 1, false);
        return rd != R_PC;
    case 3: // BLX
        if (op != 1)
            return false;
        to_r(b, R_LR);
        from(b, ROLE_VALUE, EFFECT_PC, 0, 4);
        to(b, EFFECT_PC, 0, 4);
        from_r(b, ROLE_COPY, rm, 4);
        return true;
    case 4: { // CRC32
        const unsigned rn = RN(encoding);
        if (op == 3 || encoding & 0xd00)
            return false;
        to_r(b, rd);
        from_r(b, ROLE_VALUE, rn, 4);
        from_r(b, ROLE_VALUE, rm, 1U << op);
        return rd != R_PC && rn != R_PC && rm != R_PC;
    }
    case 5: { // QADD
        const unsigned sources[] = {rm, RN(encoding)};
        result_of(b, rd, sources, 2, false);
        sticky_q(b, sources, 2);
        return rd != R_PC;
    }
    case 6: // ERET
        if (op != 3)
            return false;
        restore_psr(b);
        to(b, EFFECT_PC, 0, 4);
        from(b, ROLE_COPY, EFFECT_SYSTEM, EFFECT_SYSTEM_ELR, 4);
        return true;
    }
    b->effects->is_exception = true; // HLT, BKPT, HVC, SMC
    return true;
}

// --- Loads and stores ----------------------------------------------------------------------------

static bool synchronization(struct build *b, uint32_t encoding)
{
    static const uint8_t sizes[] = {4, 8, 1, 2};
    unsigned type = FIELD(encoding, 21, 2), bytes = sizes[type], rn = RN(encoding),
             rd = RD(encoding);
    unsigned rt = RM(encoding);
    bool is_load = encoding >> 20 & 1, is_exclusive = encoding >> 9 & 1;
    const struct address32 address = {.base = rn, .index = R_NONE};
    if (!(encoding >> 23 & 1)) { // SWP
        bytes = encoding >> 22 & 1 ? 1 : 4;
        if (encoding & 0x00300f00)
            return false;
        store_r(b, rt, 0, bytes, &address);
        load_r(b, rd, 0, bytes, false, &address);
        return rn != R_PC && rd != R_PC && rt != R_PC;
    }
    if (!(encoding >> 11 & 1) || (!is_exclusive && encoding >> 8 & 1))
        return false;
    if (rn == R_PC || rd == R_PC + (!is_exclusive && !is_load) || (!is_load && rt == R_PC))
        return false;
    if (!is_exclusive) { // LDA, STL
        if (type == 1)
            return false;
        if (is_load)
            load_r(b, rd, 0, bytes, false, &address);
        else
            store_r(b, rt, 0, bytes, &address);
        return true;
    }
    unsigned first = is_load ? rd : rt, second = type == 1 ? first + 1 : R_NONE;
    if (type == 1 && (first & 1 || first == R_LR))
        return false;
    if (is_load)
        load_exclusive32(b, rd, second, type == 1 ? 4 : bytes, rn);
    else
        store_exclusive32(b, rd, rt, second, type == 1 ? 4 : bytes, rn);
    return true;
}

static bool extra_access(struct build *b, uint32_t encoding)
{
    unsigned op = FIELD(encoding, 5, 2), rn = RN(encoding), rt = RD(encoding);
    bool has_immediate = encoding >> 22 & 1, is_load = encoding >> 20 & 1;
    bool is_before = encoding >> 24 & 1, writes_back = encoding >> 21 & 1;
    const struct address32 update = {.base = rn, .index = has_immediate ? R_NONE : RM(encoding)};
    const struct address32 address = is_before ? update : (struct address32){rn, R_NONE, false};
    bool is_pair = !is_load && op >= 2, is_signed = is_load && op >= 2;
    bool is_unprivileged = !is_before && writes_back;
    if (is_pair) { // LDRD, STRD
        if (rt & 1 || rt == R_LR || is_unprivileged)
            return false;
        for (unsigned i = 0; i < 2; i++) {
            if (op == 2)
                load_r(b, rt + i, i * 4, 4, false, &address);
            else
                store_r(b, rt + i, i * 4, 4, &address);
        }
    } else if (is_load) {
        load_r(b, rt, 0, op == 2 ? 1 : 2, is_signed, &address);
    } else {
        store_r(b, rt, 0, 2, &address);
    }
    if (!is_before || writes_back)
        update_base(b, &update);
    return rt != R_PC && (rn != R_PC || (is_before && !writes_back)) &&
           (has_immediate || RM(encoding) != R_PC);
}

static bool access(struct build *b, uint32_t encoding)
{
    unsigned rn = RN(encoding), rt = RD(encoding), bytes = encoding >> 22 & 1 ? 1 : 4;
    bool has_register = encoding >> 25 & 1, is_load = encoding >> 20 & 1;
    bool is_before = encoding >> 24 & 1, writes_back = encoding >> 21 & 1;
    struct address32 update = {.base = rn, .index = R_NONE};
    if (has_register) {
        update.index = RM(encoding);
        update.reads_carry = FIELD(encoding, 5, 7) == 3; // RRX
    }
    const struct address32 address = is_before ? update : (struct address32){rn, R_NONE, false};
    if (is_load)
        load_r(b, rt, 0, bytes, false, &address);
    else
        store_r(b, rt, 0, bytes, &address);
    if (!is_before || writes_back)
        update_base(b, &update);
    bool may_be_pc = bytes == 4 && (is_before || !writes_back);
    return (rt != R_PC || may_be_pc) && (rn != R_PC || (is_before && !writes_back)) &&
           (!has_register || RM(encoding) != R_PC);
}

static bool block(struct build *b, uint32_t encoding)
{
    bool is_load = encoding >> 20 & 1, has_pc = encoding >> 15 & 1;
    unsigned list = encoding & 0xffff, rn = RN(encoding);
    if (!list || rn == R_PC)
        return false;
    if (encoding >> 22 & 1) {
        if (!is_load || !has_pc) // the user mode's registers
            return false;
        restore_psr(b);
    }
    multiple(b, is_load, list, rn, encoding >> 21 & 1);
    return true;
}

// --- Media ---------------------------------------------------------------------------------------

static bool parallel(struct build *b, uint32_t encoding)
{
    const unsigned sources[] = {RN(encoding), RM(encoding)};
    unsigned kind = FIELD(encoding, 20, 2), op = FIELD(encoding, 5, 3);
    if (!kind || op == 5 || op == 6)
        return false;
    result_of(b, RD(encoding), sources, 2, false);
    if (kind == 1) // SADD16, UADD16
        also_to(b, EFFECT_FLAGS, EFFECT_GE, 0);
    return RD(encoding) != R_PC;
}

static bool pack_and_extend(struct build *b, uint32_t encoding)
{
    unsigned op1 = FIELD(encoding, 20, 3), op2 = FIELD(encoding, 5, 3), rd = RD(encoding);
    unsigned rn = RN(encoding), rm = RM(encoding);
    const unsigned sources[] = {rn, rm};
    if (rd == R_PC || rm == R_PC)
        return false;
    if (op2 == 3) {
        static const uint8_t sizes[] = {2, 0, 1, 2};
        if ((op1 & 3) == 1)
            return false;
        extend(b, rd, rn, rm, FIELD(encoding, 10, 2), sizes[op1 & 3], op1 < 4, (op1 & 3) == 0);
        return true;
    }
    if (!(op2 & 1)) {
        if (op1 == 0) { // PKH
            result_of(b, rd, sources, 2, false);
            return true;
        }
        if (!(op1 & 2))
            return false;
        result_of(b, rd, &rm, 1, false); // SSAT, USAT
        sticky_q(b, &rm, 1);
        return true;
    }
    switch (op1 << 3 | op2) {
    case 0 << 3 | 5: // SEL
        result_of(b, rd, sources, 2, false);
        from_flags(b, ROLE_CONDITION, EFFECT_GE);
        return true;
    case 2 << 3 | 1:
    case 6 << 3 | 1: // SSAT16, USAT16
        result_of(b, rd, &rm, 1, false);
        sticky_q(b, &rm, 1);
        return true;
    case 3 << 3 | 1:
    case 3 << 3 | 5:
    case 7 << 3 | 1:
    case 7 << 3 | 5: // REV, REV16, RBIT, REVSH
        result_of(b, rd, &rm, 1, false);
        return true;
    }
    return false;
}

static bool signed_multiply(struct build *b, uint32_t encoding)
{
    const unsigned rd = RN(encoding), ra = RD(encoding);
    const unsigned sources[] = {RM(encoding), RS(encoding), ra, rd};
    unsigned op2 = FIELD(encoding, 5, 3), count = ra == R_PC ? 2 : 3;
    if (rd == R_PC)
        return false;
    switch (FIELD(encoding, 20, 3)) {
    case 0: // SMLAD, SMLSD, SMUAD, SMUSD
        if (op2 > 3)
            return false;
        result_of(b, rd, sources, count, false);
        if (op2 < 2 || count == 3)
            sticky_q(b, sources, count);
        return true;
    case 1:
    case 3: // SDIV, UDIV
        result_of(b, rd, sources, 2, false);
        return op2 == 0;
    case 4: // SMLALD, SMLSLD
        long_result_of(b, ra, rd, sources, 4, false);
        return op2 < 4 && ra != R_PC;
    case 5: // SMMLA, SMMUL, SMMLS
        result_of(b, rd, sources, count, false);
        return op2 < 2 || (op2 > 5 && count == 3);
    }
    return false;
}

static bool media(struct build *b, uint32_t encoding)
{
    unsigned op1 = FIELD(encoding, 20, 5), op2 = FIELD(encoding, 5, 3), rd = RD(encoding);
    if (op1 < 8)
        return parallel(b, encoding);
    if (op1 < 16)
        return pack_and_extend(b, encoding);
    if (op1 < 24)
        return signed_multiply(b, encoding);
    if (op1 == 24) { // USAD8, USADA8
        const unsigned sources[] = {RM(encoding), RS(encoding), rd};
        result_of(b, RN(encoding), sources, rd == R_PC ? 2 : 3, false);
        return op2 == 0 && RN(encoding) != R_PC;
    }
    unsigned lsb = FIELD(encoding, 7, 5), last = RN(encoding) | (encoding >> 16 & 16);
    if ((op1 & 0x1e) == 0x1c && (op2 & 3) == 0) // BFI, BFC
        return rd != R_PC && bitfield32(b, rd, RM(encoding), lsb, last, RM(encoding) != R_PC);
    if ((op1 & 0x1a) == 0x1a && (op2 & 3) == 2) { // SBFX, UBFX
        if (rd == R_PC || RM(encoding) == R_PC || lsb + last > 31)
            return false;
        extract32(b, rd, RM(encoding), lsb, last + 1, !(op1 & 4));
        return true;
    }
    b->effects->is_exception = true; // UDF
    return op1 == 31 && op2 == 7 && encoding >> 28 == 14;
}

// --- Encodings with "never" in place of a condition ----------------------------------------------

static bool unconditional(struct build *b, uint32_t encoding)
{
    if ((encoding & 0xfe000000) == 0xf2000000 || (encoding & 0xff100000) == 0xf4000000 ||
        ((encoding & 0xfe000000) == 0xfe000000 && (encoding & 0x00000c00) == 0x00000800) ||
        ((encoding & 0xff000000) == 0xfe000000) || (encoding & 0xff000000) == 0xfc000000) {
        if (effects_of_vfp(b, encoding))
            return true;
    }
    if ((encoding & 0xfe000000) == 0xfa000000) { // BLX
        to_r(b, R_LR);
        from(b, ROLE_VALUE, EFFECT_PC, 0, 4);
        to(b, EFFECT_PC, 0, 4);
        return true;
    }
    if ((encoding & 0xfe50ffff) == 0xf8100a00) { // RFE
        const struct address32 address = {.base = RN(encoding), .index = R_NONE};
        b->effects->is_exception = true;
        load_r(b, R_PC, 0, 4, false, &address);
        to_flags(b, EFFECT_NZCV | EFFECT_Q | EFFECT_GE);
        from_memory(b, ROLE_COPY, 4, 4);
        from_r(b, ROLE_ADDRESS, RN(encoding), 4);
        if (encoding >> 21 & 1)
            update_base(b, &address);
        return RN(encoding) != R_PC;
    }
    if ((encoding & 0xfff10020) == 0xf1000000 || (encoding & 0xfffffdff) == 0xf1010000) {
        to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_MODE, 4); // CPS, SETEND
        from(b, ROLE_VALUE, EFFECT_SYSTEM, EFFECT_SYSTEM_MODE, 4);
        return true;
    }
    if ((encoding & 0xffffff00) == 0xf57ff000) { // barriers
        unsigned op = FIELD(encoding, 4, 4);
        if (op == 1)
            to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
        return op == 1 || (op >= 4 && op <= 7);
    }
    bool is_preload = (encoding & 0xfd70f000) == 0xf550f000 ||
                      (encoding & 0xfd70f000) == 0xf510f000 ||
                      (encoding & 0xfd70f000) == 0xf450f000;
    return is_preload && !(encoding >> 25 & 1 && encoding >> 4 & 1);
}

bool effects_of_a32(struct build *b, uint32_t encoding)
{
    if (encoding >> 28 == 15)
        return unconditional(b, encoding);
    bool is_miscellaneous = (encoding & 0x01900000) == 0x01000000;
    switch (FIELD(encoding, 25, 3)) {
    case 0:
        if ((encoding & 0x90) == 0x90) {
            if (encoding & 0x60)
                return extra_access(b, encoding);
            return encoding >> 24 & 1 ? synchronization(b, encoding) : multiply(b, encoding);
        }
        return is_miscellaneous ? miscellaneous(b, encoding) : data_register(b, encoding);
    case 1:
        if (!is_miscellaneous)
            return data(b, encoding, constant_operand(FIELD(encoding, 8, 4)));
        switch (FIELD(encoding, 20, 5)) {
        case 0x10: // MOVW
            to_r(b, RD(encoding));
            return RD(encoding) != R_PC;
        case 0x14: // MOVT
            move_top(b, RD(encoding));
            return RD(encoding) != R_PC;
        case 0x12: // MSR; hints
            write_psr(b, RN(encoding), R_NONE);
            return RD(encoding) == R_PC;
        }
        to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_SPSR, 4);
        return RD(encoding) == R_PC;
    case 2:
        return access(b, encoding);
    case 3:
        return encoding >> 4 & 1 ? media(b, encoding) : access(b, encoding);
    case 4:
        return block(b, encoding);
    case 5: // B, BL
        if (encoding >> 24 & 1) {
            to_r(b, R_LR);
            from(b, ROLE_VALUE, EFFECT_PC, 0, 4);
        }
        to(b, EFFECT_PC, 0, 4);
        return true;
    }
    if ((encoding & 0x0f000000) == 0x0f000000) { // SVC
        b->effects->is_exception = true;
        return true;
    }
    unsigned which = FIELD(encoding, 8, 4);
    return which == 9 || which == 10 || which == 11 ? effects_of_vfp(b, encoding)
                                                    : coprocessor(b, encoding);
}
