// The instructions that compressed ones stand for (control.h).
#include "arch/riscv/control.h"

#include "arch/encoding.h"

enum { RA = 1, SP = 2 };

// --- Formats -------------------------------------------------------------------------------------

static uint32_t type_i(uint32_t opcode, uint32_t function, uint32_t rd, uint32_t rs1,
                       uint32_t immediate)
{
    return opcode | rd << 7 | function << 12 | rs1 << 15 | immediate << 20;
}

static uint32_t type_r(uint32_t opcode, uint32_t function, uint32_t upper, uint32_t rd,
                       uint32_t rs1, uint32_t rs2)
{
    return opcode | rd << 7 | function << 12 | rs1 << 15 | rs2 << 20 | upper << 25;
}

static uint32_t type_s(uint32_t opcode, uint32_t function, uint32_t rs1, uint32_t rs2,
                       uint32_t immediate)
{
    return opcode | bits(immediate, 0, 5) << 7 | function << 12 | rs1 << 15 | rs2 << 20 |
           bits(immediate, 5, 7) << 25;
}

static uint32_t type_b(uint32_t function, uint32_t rs1, uint32_t offset)
{
    return 0x63 | bits(offset, 11, 1) << 7 | bits(offset, 1, 4) << 8 | function << 12 | rs1 << 15 |
           bits(offset, 5, 6) << 25 | bits(offset, 12, 1) << 31;
}

static uint32_t type_j(uint32_t rd, uint32_t offset)
{
    return 0x6f | rd << 7 | bits(offset, 12, 8) << 12 | bits(offset, 11, 1) << 20 |
           bits(offset, 1, 10) << 21 | bits(offset, 20, 1) << 31;
}

enum { LOAD = 0x03, LOAD_F = 0x07, IMMEDIATE = 0x13, STORE = 0x23, STORE_F = 0x27, WORDS = 0x3b };

// --- Operands ------------------------------------------------------------------------------------

// Six bits, signed.
static uint32_t immediate_of(uint32_t code)
{
    return (uint32_t)sign_extend(bits(code, 12, 1) << 5 | bits(code, 2, 5), 6);
}

// Of words, and of double words.
static uint32_t offset_4(uint32_t code)
{
    return bits(code, 10, 3) << 3 | bits(code, 6, 1) << 2 | bits(code, 5, 1) << 6;
}

static uint32_t offset_8(uint32_t code)
{
    return bits(code, 10, 3) << 3 | bits(code, 5, 2) << 6;
}

static uint32_t offset_of_jump(uint32_t code)
{
    return (uint32_t)sign_extend(bits(code, 12, 1) << 11 | bits(code, 8, 1) << 10 |
                                     bits(code, 9, 2) << 8 | bits(code, 6, 1) << 7 |
                                     bits(code, 7, 1) << 6 | bits(code, 2, 1) << 5 |
                                     bits(code, 11, 1) << 4 | bits(code, 3, 3) << 1,
                                 12);
}

static uint32_t offset_of_branch(uint32_t code)
{
    return (uint32_t)sign_extend(bits(code, 12, 1) << 8 | bits(code, 5, 2) << 6 |
                                     bits(code, 2, 1) << 5 | bits(code, 10, 2) << 3 |
                                     bits(code, 3, 2) << 1,
                                 9);
}

// --- Quadrants -----------------------------------------------------------------------------------

// Zcb.
static uint32_t expand_bytes(uint32_t code)
{
    const uint32_t value = 8 + bits(code, 2, 3), base = 8 + bits(code, 7, 3);
    const uint32_t byte = bits(code, 6, 1) | bits(code, 5, 1) << 1, half = bits(code, 5, 1) << 1;
    switch (bits(code, 10, 3)) {
    case 0:
        return type_i(LOAD, 4, value, base, byte);
    case 1:
        return type_i(LOAD, code & 0x40 ? 1 : 5, value, base, half);
    case 2:
        return type_s(STORE, 0, base, value, byte);
    case 3:
        return code & 0x40 ? 0 : type_s(STORE, 1, base, value, half);
    }
    return 0;
}

static uint32_t expand_first(uint32_t code, bool is_64)
{
    const uint32_t value = 8 + bits(code, 2, 3), base = 8 + bits(code, 7, 3);
    const uint32_t offset = bits(code, 11, 2) << 4 | bits(code, 7, 4) << 6 | bits(code, 6, 1) << 2 |
                            bits(code, 5, 1) << 3;
    switch (bits(code, 13, 3)) {
    case 0:
        return offset ? type_i(IMMEDIATE, 0, value, SP, offset) : 0;
    case 1:
        return type_i(LOAD_F, 3, value, base, offset_8(code));
    case 2:
        return type_i(LOAD, 2, value, base, offset_4(code));
    case 3:
        return is_64 ? type_i(LOAD, 3, value, base, offset_8(code))
                     : type_i(LOAD_F, 2, value, base, offset_4(code));
    case 4:
        return expand_bytes(code);
    case 5:
        return type_s(STORE_F, 3, base, value, offset_8(code));
    case 6:
        return type_s(STORE, 2, base, value, offset_4(code));
    }
    return is_64 ? type_s(STORE, 3, base, value, offset_8(code))
                 : type_s(STORE_F, 2, base, value, offset_4(code));
}

// Zcb, with one register.
static uint32_t expand_extension(uint32_t code, uint32_t rd, bool is_64)
{
    switch (bits(code, 2, 3)) {
    case 0: // c.zext.b
        return type_i(IMMEDIATE, 7, rd, rd, 0xff);
    case 1: // c.sext.b
        return type_i(IMMEDIATE, 1, rd, rd, 0x604);
    case 2: // c.zext.h
        return type_r(is_64 ? WORDS : 0x33, 4, 4, rd, rd, 0);
    case 3: // c.sext.h
        return type_i(IMMEDIATE, 1, rd, rd, 0x605);
    case 4: // c.zext.w
        return is_64 ? type_r(WORDS, 0, 4, rd, rd, 0) : 0;
    case 5: // c.not
        return type_i(IMMEDIATE, 4, rd, rd, 0xfff);
    }
    return 0;
}

static uint32_t expand_arithmetic(uint32_t code, bool is_64)
{
    const uint32_t rd = 8 + bits(code, 7, 3), rs2 = 8 + bits(code, 2, 3);
    const uint32_t distance = bits(code, 12, 1) << 5 | bits(code, 2, 5);
    switch (bits(code, 10, 2)) {
    case 0:
    case 1: // c.srli, c.srai
        return distance < 32 || is_64
                   ? type_i(IMMEDIATE, 5, rd, rd, distance | bits(code, 10, 1) << 10)
                   : 0;
    case 2:
        return type_i(IMMEDIATE, 7, rd, rd, immediate_of(code));
    }
    switch (bits(code, 12, 1) << 2 | bits(code, 5, 2)) {
    case 0:
        return type_r(0x33, 0, 0x20, rd, rd, rs2);
    case 1:
        return type_r(0x33, 4, 0, rd, rd, rs2);
    case 2:
        return type_r(0x33, 6, 0, rd, rd, rs2);
    case 3:
        return type_r(0x33, 7, 0, rd, rd, rs2);
    case 4:
        return is_64 ? type_r(WORDS, 0, 0x20, rd, rd, rs2) : 0;
    case 5:
        return is_64 ? type_r(WORDS, 0, 0, rd, rd, rs2) : 0;
    case 6: // c.mul
        return type_r(0x33, 0, 1, rd, rd, rs2);
    }
    return expand_extension(code, rd, is_64);
}

static uint32_t expand_second(uint32_t code, bool is_64)
{
    const uint32_t rd = bits(code, 7, 5), first = 8 + bits(code, 7, 3);
    const uint32_t immediate = immediate_of(code);
    const uint32_t of_stack = (uint32_t)sign_extend(
        bits(code, 12, 1) << 9 | bits(code, 6, 1) << 4 | bits(code, 5, 1) << 6 |
            bits(code, 3, 2) << 7 | bits(code, 2, 1) << 5,
        10);
    switch (bits(code, 13, 3)) {
    case 0:
        return type_i(IMMEDIATE, 0, rd, rd, immediate);
    case 1:
        if (!is_64)
            return type_j(RA, offset_of_jump(code));
        return rd ? type_i(0x1b, 0, rd, rd, immediate) : 0;
    case 2:
        return type_i(IMMEDIATE, 0, rd, 0, immediate);
    case 3:
        if (!immediate)
            return 0;
        return rd == SP ? type_i(IMMEDIATE, 0, SP, SP, of_stack) : 0x37 | rd << 7 | immediate << 12;
    case 4:
        return expand_arithmetic(code, is_64);
    case 5:
        return type_j(0, offset_of_jump(code));
    }
    return type_b(bits(code, 13, 1), first, offset_of_branch(code));
}

// c.jr, c.mv, c.ebreak, c.jalr, c.add
static uint32_t expand_registers(uint32_t code)
{
    const uint32_t rd = bits(code, 7, 5), rs2 = bits(code, 2, 5);
    const bool is_second = bits(code, 12, 1);
    if (rs2)
        return type_r(0x33, 0, 0, rd, is_second ? rd : 0, rs2);
    if (rd)
        return type_i(0x67, 0, is_second ? RA : 0, rd, 0);
    return is_second ? 0x00100073 : 0;
}

// Whether the code of c.fsdsp may be of Zcmp or Zcmt, with 32 bits.
static bool may_be_zcmp(uint32_t code)
{
    return bits(code, 10, 3) == 0 || (bits(code, 10, 3) == 3 && code & 0x20) ||
           ((bits(code, 8, 5) & 0x19) == 0x18 && bits(code, 4, 4) >= 4);
}

static uint32_t expand_third(uint32_t code, bool is_64)
{
    const uint32_t rd = bits(code, 7, 5), rs2 = bits(code, 2, 5);
    const uint32_t distance = bits(code, 12, 1) << 5 | bits(code, 2, 5);
    const uint32_t load_4 = bits(code, 12, 1) << 5 | bits(code, 4, 3) << 2 | bits(code, 2, 2) << 6;
    const uint32_t load_8 = bits(code, 12, 1) << 5 | bits(code, 5, 2) << 3 | bits(code, 2, 3) << 6;
    const uint32_t store_4 = bits(code, 9, 4) << 2 | bits(code, 7, 2) << 6;
    const uint32_t store_8 = bits(code, 10, 3) << 3 | bits(code, 7, 3) << 6;
    switch (bits(code, 13, 3)) {
    case 0:
        return distance < 32 || is_64 ? type_i(IMMEDIATE, 1, rd, rd, distance) : 0;
    case 1:
        return type_i(LOAD_F, 3, rd, SP, load_8);
    case 2:
        return rd ? type_i(LOAD, 2, rd, SP, load_4) : 0;
    case 3:
        if (!is_64)
            return type_i(LOAD_F, 2, rd, SP, load_4);
        return rd ? type_i(LOAD, 3, rd, SP, load_8) : 0;
    case 4:
        return expand_registers(code);
    case 5:
        return is_64 || !may_be_zcmp(code) ? type_s(STORE_F, 3, SP, rs2, store_8) : 0;
    case 6:
        return type_s(STORE, 2, SP, rs2, store_4);
    }
    return is_64 ? type_s(STORE, 3, SP, rs2, store_8) : type_s(STORE_F, 2, SP, rs2, store_4);
}

uint32_t riscv_expand(uint32_t code, enum riscv_isa isa)
{
    const bool is_64 = isa == RISCV_64;
    code &= 0xffff;
    switch (code & 3) {
    case 0:
        return expand_first(code, is_64);
    case 1:
        return expand_second(code, is_64);
    case 2:
        return expand_third(code, is_64);
    }
    return 0;
}
