#include "arch/arm/effects_aarch32.h"

static void from_operand(struct build *b, const struct operand *operand, enum effect_role role)
{
    from_r(b, role, operand->rm, 4);
    if (operand->rs != R_NONE)
        from_r(b, ROLE_VALUE, operand->rs, 1); // an amount is in the lowest byte
    if (operand->is_extended)
        from_flags(b, ROLE_VALUE, EFFECT_C);
}

// A logical operation sets C to what was shifted out, if anything was.
static void carry_of_shifter(struct build *b, const struct operand *operand)
{
    if (!operand->is_shifted && operand->rs == R_NONE)
        return;
    to_flags(b, EFFECT_C);
    from_r(b, ROLE_VALUE, operand->rm, 4);
    if (operand->rs != R_NONE) { // by 0, it stays
        from_r(b, ROLE_VALUE, operand->rs, 1);
        from_flags(b, ROLE_VALUE, EFFECT_C);
    }
}

void data_processing(struct build *b, enum data_opcode opcode, bool sets_flags, unsigned rd,
                     unsigned rn, struct operand operand)
{
    bool is_move = opcode == OP_MOV || opcode == OP_MVN;
    bool is_arithmetic =
        (opcode >= OP_SUB && opcode <= OP_RSC) || opcode == OP_CMP || opcode == OP_CMN;
    bool reads_carry = opcode >= OP_ADC && opcode <= OP_RSC;
    bool is_copy = opcode == OP_MOV && operand.rs == R_NONE && !operand.is_shifted;
    if (sets_flags) {
        if (!is_arithmetic)
            carry_of_shifter(b, &operand);
        to_flags(b, is_arithmetic ? EFFECT_NZCV : EFFECT_N | EFFECT_Z);
        if (!is_move)
            from_r(b, ROLE_VALUE, rn, 4);
        from_operand(b, &operand, ROLE_VALUE);
        if (reads_carry)
            from_flags(b, ROLE_VALUE, EFFECT_C);
    }
    if (rd == R_NONE)
        return;
    to_r(b, rd);
    if (!is_move)
        from_r(b, ROLE_VALUE, rn, 4);
    from_operand(b, &operand, is_copy ? ROLE_COPY : ROLE_VALUE);
    if (reads_carry)
        from_flags(b, ROLE_VALUE, EFFECT_C);
}

// --- Arithmetic ----------------------------------------------------------------------------------

static void from_sources(struct build *b, const unsigned *sources, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        from_r(b, ROLE_VALUE, sources[i], 4);
}

void result_of(struct build *b, unsigned rd, const unsigned *sources, unsigned count, bool sets_nz)
{
    to_r(b, rd);
    from_sources(b, sources, count);
    if (sets_nz)
        also_to(b, EFFECT_FLAGS, EFFECT_N | EFFECT_Z, 0);
}

void long_result_of(struct build *b, unsigned low, unsigned high, const unsigned *sources,
                    unsigned count, bool sets_nz)
{
    result_of(b, low, sources, count, sets_nz);
    also_to(b, EFFECT_REGISTER, REGISTER_OFFSET_X(high), 4);
}

void sticky_q(struct build *b, const unsigned *sources, unsigned count)
{
    to_flags(b, EFFECT_Q);
    from_sources(b, sources, count);
    from_flags(b, ROLE_VALUE, EFFECT_Q);
}

void extend(struct build *b, unsigned rd, unsigned rn, unsigned rm, unsigned rotation,
            unsigned bytes, bool is_signed, bool is_pair)
{
    uint64_t source = REGISTER_OFFSET_X(rm) + rotation;
    if (rn != R_PC || is_pair || rotation + bytes > 4) {
        to_r(b, rd);
        if (rn != R_PC)
            from_r(b, ROLE_VALUE, rn, 4);
        from_r(b, ROLE_VALUE, rm, 4);
        return;
    }
    if (!is_signed)
        to_register(b, REGISTER_OFFSET_X(rd) + bytes, 4 - bytes);
    to_register(b, REGISTER_OFFSET_X(rd), is_signed ? 4 : bytes);
    from_register(b, ROLE_COPY, source, bytes);
}

bool bitfield32(struct build *b, unsigned rd, unsigned rn, unsigned lsb, unsigned msb, bool inserts)
{
    uint64_t output = REGISTER_OFFSET_X(rd);
    unsigned low = lsb / 8, high = msb / 8 + 1, width = msb + 1 - lsb;
    bool is_aligned = !(lsb & 7) && !(width & 7);
    if (msb < lsb)
        return false;
    if (low) {
        to_register(b, output, low);
        from_register(b, ROLE_COPY, output, low);
    }
    if (high < 4) {
        to_register(b, output + high, 4 - high);
        from_register(b, ROLE_COPY, output + high, 4 - high);
    }
    to_register(b, output + low, high - low);
    if (inserts)
        from_register(b, is_aligned ? ROLE_COPY : ROLE_VALUE, REGISTER_OFFSET_X(rn),
                      (width + 7) / 8);
    if (!is_aligned)
        from_register(b, ROLE_VALUE, output + low, high - low);
    return true;
}

void extract32(struct build *b, unsigned rd, unsigned rn, unsigned lsb, unsigned width,
               bool is_signed)
{
    uint64_t output = REGISTER_OFFSET_X(rd);
    unsigned bytes = (width + 7) / 8, low = lsb / 8, high = (lsb + width + 7) / 8;
    bool is_aligned = !(lsb & 7) && !(width & 7);
    if (!is_signed && bytes < 4)
        to_register(b, output + bytes, 4 - bytes);
    to_register(b, output, is_signed ? 4 : bytes);
    from_register(b, is_aligned ? ROLE_COPY : ROLE_VALUE, REGISTER_OFFSET_X(rn) + low, high - low);
}

void move_top(struct build *b, unsigned rd)
{
    to_register(b, REGISTER_OFFSET_X(rd), 2);
    from_register(b, ROLE_COPY, REGISTER_OFFSET_X(rd), 2);
    to_register(b, REGISTER_OFFSET_X(rd) + 2, 2);
}

// --- Memory --------------------------------------------------------------------------------------

static void from_address(struct build *b, const struct address32 *address)
{
    from_r(b, ROLE_ADDRESS, address->base, 4);
    from_r(b, ROLE_ADDRESS, address->index, 4);
    if (address->reads_carry)
        from_flags(b, ROLE_ADDRESS, EFFECT_C);
}

void load_r(struct build *b, unsigned rt, unsigned offset, unsigned bytes, bool is_signed,
            const struct address32 *address)
{
    if (bytes < 4 && !is_signed) {
        to_register(b, REGISTER_OFFSET_X(rt) + bytes, 4 - bytes);
        to_register(b, REGISTER_OFFSET_X(rt), bytes);
    } else {
        to_r(b, rt);
    }
    from_memory(b, ROLE_COPY, offset, bytes);
    from_address(b, address);
}

void store_r(struct build *b, unsigned rt, unsigned offset, unsigned bytes,
             const struct address32 *address)
{
    to(b, EFFECT_MEMORY, offset, bytes);
    from_r(b, ROLE_COPY, rt, bytes);
    from_address(b, address);
}

void update_base(struct build *b, const struct address32 *address)
{
    to_r(b, address->base);
    from_r(b, ROLE_VALUE, address->base, 4);
    from_r(b, ROLE_VALUE, address->index, 4);
    if (address->reads_carry)
        from_flags(b, ROLE_VALUE, EFFECT_C);
}

// Registers lie in memory by their numbers. A base that is loaded is not updated.
void multiple(struct build *b, bool is_load, unsigned list, unsigned rn, bool writes_back)
{
    const struct address32 address = {.base = rn, .index = R_NONE};
    unsigned offset = 0;
    for (unsigned n = 0; n < 16; n++) {
        if (!(list >> n & 1))
            continue;
        if (is_load)
            load_r(b, n, offset, 4, false, &address);
        else
            store_r(b, n, offset, 4, &address);
        offset += 4;
    }
    if (writes_back && !(is_load && list >> rn & 1))
        update_base(b, &address);
}

void load_exclusive32(struct build *b, unsigned rt, unsigned rt2, unsigned bytes, unsigned rn)
{
    const struct address32 address = {.base = rn, .index = R_NONE};
    load_r(b, rt, 0, bytes, false, &address);
    if (rt2 != R_NONE)
        load_r(b, rt2, 4, 4, false, &address);
    to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
    from_address(b, &address);
}

void store_exclusive32(struct build *b, unsigned rd, unsigned rt, unsigned rt2, unsigned bytes,
                       unsigned rn)
{
    const struct address32 address = {.base = rn, .index = R_NONE};
    store_r(b, rt, 0, bytes, &address);
    from(b, ROLE_CONDITION, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
    if (rt2 != R_NONE) {
        store_r(b, rt2, 4, 4, &address);
        from(b, ROLE_CONDITION, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
    }
    to_r(b, rd);
    from(b, ROLE_VALUE, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
    from_address(b, &address);
    to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_MONITOR, 0);
}

// --- System --------------------------------------------------------------------------------------

void write_psr(struct build *b, unsigned mask, unsigned rn)
{
    if (mask & 8) {
        to_flags(b, EFFECT_NZCV | EFFECT_Q);
        from_r(b, ROLE_COPY, rn, 4);
    }
    if (mask & 4) {
        to_flags(b, EFFECT_GE);
        from_r(b, ROLE_COPY, rn, 4);
    }
    if (mask & 3) {
        to(b, EFFECT_SYSTEM, EFFECT_SYSTEM_MODE, 4);
        from_r(b, ROLE_COPY, rn, 4);
    }
}

void read_psr(struct build *b, unsigned rd)
{
    to_r(b, rd);
    from_flags(b, ROLE_COPY, EFFECT_NZCV | EFFECT_Q | EFFECT_GE);
    from(b, ROLE_COPY, EFFECT_SYSTEM, EFFECT_SYSTEM_MODE, 4);
}

void restore_psr(struct build *b)
{
    b->effects->is_exception = true;
    to_flags(b, EFFECT_NZCV | EFFECT_Q | EFFECT_GE);
    from(b, ROLE_COPY, EFFECT_SYSTEM, EFFECT_SYSTEM_SPSR, 4);
}

bool coprocessor(struct build *b, uint32_t encoding)
{
    unsigned which = FIELD(encoding, 8, 4), rt = FIELD(encoding, 12, 4);
    bool reads = encoding >> 20 & 1;
    unsigned base = which == 15 ? EFFECT_SYSTEM_CP15 : EFFECT_SYSTEM_CP14, number;
    if (which != 14 && which != 15)
        return false;
    if ((encoding & 0x0fe00000) == 0x0c400000) { // MCRR, MRRC
        unsigned rt2 = FIELD(encoding, 16, 4);
        number = (which == 15 ? EFFECT_SYSTEM_CP15_64 : EFFECT_SYSTEM_CP14_64) |
                 FIELD(encoding, 4, 4) << 4 | (encoding & 15);
        if (rt == R_PC || rt2 == R_PC)
            return false;
        if (reads) {
            to_r(b, rt);
            from(b, ROLE_COPY, EFFECT_SYSTEM, number, 8);
            to_r(b, rt2);
            from(b, ROLE_VALUE, EFFECT_SYSTEM, number, 8);
        } else {
            to(b, EFFECT_SYSTEM, number, 8);
            from_r(b, ROLE_VALUE, rt, 4);
            from_r(b, ROLE_VALUE, rt2, 4);
        }
        return true;
    }
    if ((encoding & 0x0f000010) != 0x0e000010)
        return false;
    number = base | FIELD(encoding, 21, 3) << 11 | FIELD(encoding, 16, 4) << 7 |
             (encoding & 15) << 3 | FIELD(encoding, 5, 3);
    if (!reads) {
        to(b, EFFECT_SYSTEM, number, 4);
        from_r(b, ROLE_COPY, rt, 4);
    } else if (rt == R_PC) { // MRC to APSR_nzcv
        to_flags(b, EFFECT_NZCV);
        from(b, ROLE_COPY, EFFECT_SYSTEM, number, 4);
    } else {
        to_r(b, rt);
        from(b, ROLE_COPY, EFFECT_SYSTEM, number, 4);
    }
    return true;
}
