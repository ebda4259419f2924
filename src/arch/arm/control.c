#include "arch/arm/control.h"

#define SP_A32 13
#define LR_A32 14

// A kind, and the offset of the target in the encoding, relative to the instruction.
struct decoded {
    enum branch_kind kind;
    bool is_conditional, has_offset, changes_state;
    int64_t offset;
};

static int64_t sign_extend(uint64_t value, unsigned bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)((value ^ sign) - sign);
}

static struct decoded plain(enum branch_kind kind)
{
    return (struct decoded){.kind = kind};
}

static struct decoded direct(enum branch_kind kind, bool is_conditional, int64_t offset)
{
    return (struct decoded){kind, is_conditional, true, false, offset};
}

// --- A64 -----------------------------------------------------------------------------------------

// BR, BLR, RET, ERET and their variants that authenticate the address.
static struct decoded decode_a64_register(uint32_t encoding)
{
    bool is_x30 = (encoding >> 5 & 31) == 30;
    switch (encoding >> 21 & 15) {
    case 0:
    case 8:
        return plain(is_x30 ? BRANCH_RETURN : BRANCH_INDIRECT);
    case 1:
    case 9:
        return plain(BRANCH_CALL);
    case 2:
        return plain(BRANCH_RETURN);
    case 4:
        return plain(BRANCH_LEAVES);
    default:
        return plain(BRANCH_NONE);
    }
}

static struct decoded decode_a64(uint32_t encoding)
{
    if ((encoding & 0x7c000000) == 0x14000000)
        return direct(encoding >> 31 ? BRANCH_CALL : BRANCH_JUMP, false,
                      sign_extend(encoding & 0x3ffffff, 26) * 4);
    if ((encoding & 0xff000000) == 0x54000000 || (encoding & 0x7e000000) == 0x34000000)
        return direct(BRANCH_JUMP, true, sign_extend(encoding >> 5 & 0x7ffff, 19) * 4);
    if ((encoding & 0x7e000000) == 0x36000000)
        return direct(BRANCH_JUMP, true, sign_extend(encoding >> 5 & 0x3fff, 14) * 4);
    if ((encoding & 0xfe000000) == 0xd6000000)
        return decode_a64_register(encoding);
    if ((encoding & 0xffe0001c) == 0xd4000000 && (encoding & 3))
        return plain(BRANCH_EXCEPTION);
    return plain(BRANCH_NONE);
}

// --- A32 -----------------------------------------------------------------------------------------

// Encodings with "never" in place of a condition.
static struct decoded decode_a32_unconditional(uint32_t encoding)
{
    if ((encoding & 0xfe000000) == 0xfa000000) { // BLX
        struct decoded call =
            direct(BRANCH_CALL, false,
                   8 + sign_extend(encoding & 0xffffff, 24) * 4 + (encoding >> 23 & 2));
        call.changes_state = true;
        return call;
    }
    bool is_rfe = (encoding & 0xfe500000) == 0xf8100000;
    return plain(is_rfe ? BRANCH_LEAVES : BRANCH_NONE);
}

// Data processing that writes the PC.
static struct decoded decode_a32_data(uint32_t encoding)
{
    uint32_t opcode = encoding >> 21 & 15;
    bool is_comparison = opcode >= 8 && opcode < 12;
    bool is_multiply = !(encoding & 0x02000000) && (encoding & 0x90) == 0x90;
    if ((encoding >> 12 & 15) != 15 || is_comparison || is_multiply)
        return plain(BRANCH_NONE);
    if (encoding & 0x00100000)
        return plain(BRANCH_LEAVES); // SUBS PC, LR and similar
    return plain((encoding & 0x0fffffff) == 0x01a0f00e ? BRANCH_RETURN : BRANCH_INDIRECT);
}

static struct decoded decode_a32_misc(uint32_t encoding)
{
    uint32_t rest = encoding & 0x0fffffff;
    switch (rest & 0x0ffffff0) {
    case 0x012fff10: // BX
    case 0x012fff20: // BXJ
        return plain((encoding & 15) == LR_A32 ? BRANCH_RETURN : BRANCH_INDIRECT);
    case 0x012fff30: // BLX
        return plain(BRANCH_CALL);
    }
    if (rest == 0x0160006e) // ERET
        return plain(BRANCH_LEAVES);
    if ((rest & 0x0ff000f0) == 0x01600070 || (rest & 0x0ff000f0) == 0x01400070) // SMC, HVC
        return plain(BRANCH_EXCEPTION);
    return decode_a32_data(encoding);
}

static struct decoded decode_a32(uint32_t encoding)
{
    uint32_t condition = encoding >> 28;
    struct decoded decoded = plain(BRANCH_NONE);
    if (condition == 15)
        return decode_a32_unconditional(encoding);
    switch (encoding >> 25 & 7) {
    case 0:
        decoded = decode_a32_misc(encoding);
        break;
    case 1:
        decoded = decode_a32_data(encoding);
        break;
    case 2:
    case 3:
        if ((encoding & 0x0010f000) == 0x0010f000 && (encoding & 0x02000010) != 0x02000010)
            decoded = plain((encoding >> 16 & 15) == SP_A32 ? BRANCH_RETURN : BRANCH_INDIRECT);
        break;
    case 4:
        if ((encoding & 0x00108000) == 0x00108000)
            decoded = plain(encoding & 0x00400000 ? BRANCH_LEAVES : BRANCH_RETURN);
        break;
    case 5:
        decoded = direct(encoding & 0x01000000 ? BRANCH_CALL : BRANCH_JUMP, false,
                         8 + sign_extend(encoding & 0xffffff, 24) * 4);
        break;
    case 7:
        if (encoding & 0x01000000)
            decoded = plain(BRANCH_EXCEPTION);
        break;
    }
    decoded.is_conditional = condition != 14;
    return decoded;
}

// --- T32 -----------------------------------------------------------------------------------------

static struct decoded decode_t16(uint32_t encoding)
{
    uint32_t rm = encoding >> 3 & 15;
    if ((encoding & 0xff87) == 0x4780)
        return plain(BRANCH_CALL);
    if ((encoding & 0xff87) == 0x4700 || (encoding & 0xff87) == 0x4687)
        return plain(rm == LR_A32 ? BRANCH_RETURN : BRANCH_INDIRECT);
    if ((encoding & 0xff87) == 0x4487)
        return plain(BRANCH_INDIRECT);
    if ((encoding & 0xff00) == 0xbd00)
        return plain(BRANCH_RETURN);
    if ((encoding & 0xff00) == 0xdf00)
        return plain(BRANCH_EXCEPTION);
    if ((encoding & 0xf000) == 0xd000 && (encoding & 0x0e00) != 0x0e00)
        return direct(BRANCH_JUMP, true, 4 + sign_extend(encoding & 0xff, 8) * 2);
    if ((encoding & 0xf800) == 0xe000)
        return direct(BRANCH_JUMP, false, 4 + sign_extend(encoding & 0x7ff, 11) * 2);
    if ((encoding & 0xf500) == 0xb100)
        return direct(BRANCH_JUMP, true, 4 + ((encoding >> 3 & 0x40) | (encoding >> 2 & 0x3e)));
    return plain(BRANCH_NONE);
}

// B, BL and BLX with 24 bits of offset.
static int64_t t32_offset(uint32_t encoding)
{
    uint32_t s = encoding >> 26 & 1, j1 = encoding >> 13 & 1, j2 = encoding >> 11 & 1;
    uint64_t value = (uint64_t)s << 24 | (uint64_t)(1 ^ j1 ^ s) << 23 |
                     (uint64_t)(1 ^ j2 ^ s) << 22 | (encoding >> 16 & 0x3ff) << 12 |
                     (encoding & 0x7ff) << 1;
    return 4 + sign_extend(value, 25);
}

static int64_t t32_conditional_offset(uint32_t encoding)
{
    uint32_t s = encoding >> 26 & 1, j1 = encoding >> 13 & 1, j2 = encoding >> 11 & 1;
    uint64_t value = (uint64_t)s << 20 | (uint64_t)j2 << 19 | (uint64_t)j1 << 18 |
                     (encoding >> 16 & 0x3f) << 12 | (encoding & 0x7ff) << 1;
    return 4 + sign_extend(value, 21);
}

static struct decoded decode_t32_branch(uint32_t encoding)
{
    switch (encoding & 0xd000) {
    case 0xd000:
        return direct(BRANCH_CALL, false, t32_offset(encoding));
    case 0xc000: { // BLX
        struct decoded call = direct(BRANCH_CALL, false, t32_offset(encoding));
        call.changes_state = true;
        return call;
    }
    case 0x9000:
        return direct(BRANCH_JUMP, false, t32_offset(encoding));
    }
    if ((encoding & 0x03800000) != 0x03800000)
        return direct(BRANCH_JUMP, true, t32_conditional_offset(encoding));
    if ((encoding & 0xffffff00) == 0xf3de8f00) // SUBS PC, LR
        return plain(BRANCH_LEAVES);
    bool is_call_of_monitor =
        (encoding & 0xfff0f000) == 0xf7f08000 || (encoding & 0xfff0f000) == 0xf7e08000;
    return plain(is_call_of_monitor ? BRANCH_EXCEPTION : BRANCH_NONE);
}

static struct decoded decode_t32(uint32_t encoding)
{
    if ((encoding & 0xf8008000) == 0xf0008000)
        return decode_t32_branch(encoding);
    if ((encoding & 0xffd0ffff) == 0xe990c000 || (encoding & 0xffd0ffff) == 0xe810c000) // RFE
        return plain(BRANCH_LEAVES);
    if ((encoding & 0xffd08000) == 0xe8908000 || (encoding & 0xffd08000) == 0xe9108000) // LDM
        return plain(BRANCH_RETURN);
    if ((encoding & 0xfff0ffe0) == 0xe8d0f000) // TBB, TBH
        return plain(BRANCH_INDIRECT);
    if ((encoding & 0xff70f000) == 0xf850f000) // LDR PC
        return plain((encoding >> 16 & 15) == SP_A32 ? BRANCH_RETURN : BRANCH_INDIRECT);
    return plain(BRANCH_NONE);
}

struct branch control_decode(uint64_t pc, uint32_t encoding, uint32_t size_bytes,
                             enum isa_state isa)
{
    struct decoded decoded = isa == ISA_AARCH64 ? decode_a64(encoding)
                             : isa == ISA_ARM   ? decode_a32(encoding)
                             : size_bytes == 2  ? decode_t16(encoding)
                                                : decode_t32(encoding);
    struct branch branch = {decoded.kind, decoded.is_conditional, pc, pc + size_bytes,
                            ADDRESS_UNKNOWN};
    if (!decoded.has_offset)
        return branch;
    branch.target = pc + (uint64_t)decoded.offset;
    if (decoded.changes_state) // T32 calls A32 relative to the aligned word that contains it
        branch.target = isa == ISA_THUMB ? (branch.target & ~UINT64_C(3)) : (branch.target | 1);
    if (isa != ISA_AARCH64)
        branch.target &= UINT32_MAX;
    return branch;
}

// --- Beginnings of functions ---------------------------------------------------------------------

static bool opens_frame_a64(uint32_t encoding)
{
    switch (encoding) {
    case 0xd503233f: // PACIASP
    case 0xd503237f: // PACIBSP
    case 0xd503245f: // BTI C
        return true;
    }
    return (encoding & 0xffc07fe0) == 0xa9807be0 || // STP Xn, X30, [SP, #-n]!
           (encoding & 0xffc003ff) == 0xa98003fe || // STP X30, Xn, [SP, #-n]!
           (encoding & 0xffe00fff) == 0xf8000ffe || // STR X30, [SP, #-n]!
           (encoding & 0xff0003ff) == 0xd10003ff;   // SUB SP, SP, #n
}

bool control_opens_frame(uint32_t encoding, uint32_t size_bytes, enum isa_state isa)
{
    if (isa == ISA_AARCH64)
        return opens_frame_a64(encoding);
    if (isa == ISA_THUMB && size_bytes == 2)
        return (encoding & 0xff00) == 0xb500; // PUSH {..., LR}
    return (encoding & 0xffff4000) == 0xe92d4000 || (isa == ISA_ARM && encoding == 0xe52de004);
}

// --- Accesses ------------------------------------------------------------------------------------

// LDXR, LDAR, LDXP; not CAS and CASP, which are among them.
static bool is_exclusive_load_a64(uint32_t encoding)
{
    bool is_compare_and_swap =
        (encoding & 0x00a00000) == 0x00a00000 || (encoding & 0x80a00000) == 0x00200000;
    return encoding & 1 << 22 && !is_compare_and_swap;
}

static bool is_single_load_a64(uint32_t encoding)
{
    unsigned opc = encoding >> 22 & 3;
    if ((encoding & 0x01200000) == 0x00200000) {
        if ((encoding & 0xff200400) == 0xf8200400 || (encoding & 0x3ffffc00) == 0x38bfc000)
            return true; // LDRAA, LDRAB, LDAPR
        if ((encoding & 0x00000c00) != 0x00000800)
            return false; // atomic
    }
    bool is_vector = encoding & 1 << 26;
    return is_vector ? opc & 1 : opc != 0;
}

static bool only_loads_a64(uint32_t encoding)
{
    if ((encoding & 0x3a000000) == 0x28000000) // pairs
        return encoding & 1 << 22;
    if ((encoding & 0x3a000000) == 0x38000000)
        return is_single_load_a64(encoding);
    if ((encoding & 0x3b000000) == 0x18000000) // literals
        return true;
    if ((encoding & 0x3f000000) == 0x08000000)
        return is_exclusive_load_a64(encoding);
    if ((encoding & 0x3f200c00) == 0x19000000) // LDAPUR
        return encoding >> 22 & 3;
    if ((encoding & 0xbe000000) == 0x0c000000) // structures
        return encoding & 1 << 22;
    switch (encoding >> 25) { // of the Scalable Vector Extension
    case 0x42:
    case 0x52:
    case 0x62:
        return true;
    case 0x50:
    case 0x70:
        return !(encoding & 1 << 21);
    }
    return false;
}

static bool only_loads_a32(uint32_t encoding)
{
    bool has_load_bit = encoding & 1 << 20;
    if (encoding >> 28 == 0xf) // VLD1 to VLD4, RFE
        return (encoding & 0xff300000) == 0xf4200000 || (encoding & 0xfe50ffff) == 0xf8100a00;
    switch (encoding >> 25 & 7) {
    case 0:
        if ((encoding & 0x018000f0) == 0x01800090)
            return has_load_bit; // LDREX, LDA
        if ((encoding & 0x90) != 0x90 || !(encoding & 0x60))
            return false;
        return has_load_bit || (encoding & 0x60) == 0x40; // LDRD has the bit of a store
    case 3:
        return has_load_bit && !(encoding & 0x10);
    case 2:
    case 4:
    case 6:
        return has_load_bit;
    }
    return false;
}

static bool only_loads_t16(uint32_t encoding)
{
    if (encoding >> 11 == 9) // a literal
        return true;
    if (encoding >> 12 == 5)
        return (encoding >> 9 & 7) >= 3;
    if (encoding >> 13 == 3 || encoding >> 12 == 8 || encoding >> 12 == 9 || encoding >> 12 == 12)
        return encoding & 1 << 11;
    return (encoding & 0xfe00) == 0xbc00; // POP
}

static bool only_loads_t32(uint32_t encoding)
{
    if ((encoding & 0xff100000) == 0xf9000000) // VLD1 to VLD4
        return encoding & 1 << 21;
    bool has_bit = (encoding & 0xfe000000) == 0xe8000000 || (encoding & 0xfe000000) == 0xf8000000 ||
                   (encoding & 0xee000000) == 0xec000000;
    return has_bit && encoding & 1 << 20;
}

bool control_only_loads(uint32_t encoding, uint32_t size_bytes, enum isa_state isa)
{
    if (isa == ISA_THUMB && size_bytes == 2)
        return only_loads_t16(encoding);
    return isa == ISA_AARCH64 ? only_loads_a64(encoding)
           : isa == ISA_ARM   ? only_loads_a32(encoding)
                              : only_loads_t32(encoding);
}

bool control_moves_registers(uint32_t encoding, enum isa_state isa)
{
    bool is_atomic = (encoding & 0x3b200000) == 0x38200000 && (encoding & 0x00000c00) != 0x00000800;
    return isa == ISA_AARCH64 && ((encoding & 0x3a000000) == 0x28000000 ||
                                  ((encoding & 0x3a000000) == 0x38000000 && !is_atomic) ||
                                  (encoding & 0x3b000000) == 0x18000000);
}
