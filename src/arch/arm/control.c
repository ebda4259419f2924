#include "arch/arm/control.h"

#include "arch/encoding.h"

#define SP_A32 13
#define LR_A32 14

// A kind, and the offset of the target in the encoding, relative to the instruction.
struct decoded {
    enum branch_kind kind;
    bool is_conditional, has_offset, changes_state, ends_loop;
    int64_t offset;
};

static struct decoded plain(enum branch_kind kind)
{
    return (struct decoded){.kind = kind};
}

static struct decoded direct(enum branch_kind kind, bool is_conditional, int64_t offset)
{
    return (struct decoded){
        .kind = kind, .is_conditional = is_conditional, .has_offset = true, .offset = offset};
}

// --- A64 -----------------------------------------------------------------------------------------

// BR, BLR, RET, ERET and their variants that authenticate the address. What is none of them is not
// allocated, and says nothing.
static struct decoded decode_a64_register(uint32_t encoding)
{
    uint32_t rn = encoding >> 5 & 31, rm = encoding & 31;
    uint32_t variant = encoding >> 10 & 63; // 0: plain; 2 and 3: authenticates, with key A or B
    bool is_plain = !variant && !rm, authenticates = variant >> 1 == 1;
    if ((encoding >> 16 & 31) != 31 || (!is_plain && !authenticates))
        return plain(BRANCH_NONE);
    switch (encoding >> 21 & 15) {
    case 0:
    case 1:
        if (authenticates && rm != 31) // without a modifier
            return plain(BRANCH_NONE);
        break;
    case 2: // also RETAASPPCR, with a register
        return plain(is_plain || rn == 31 ? BRANCH_RETURN : BRANCH_NONE);
    case 4:
        return plain(rn == 31 && (is_plain || rm == 31) ? BRANCH_LEAVES : BRANCH_NONE);
    case 8:
    case 9:
        if (authenticates)
            break;
        return plain(BRANCH_NONE);
    default:
        return plain(BRANCH_NONE);
    }
    if (encoding & 1U << 21)
        return plain(BRANCH_CALL);
    return plain(rn == 30 ? BRANCH_RETURN : BRANCH_INDIRECT);
}

// Compare and branch (FEAT_CMPBR): two registers, or their low bytes or halfwords, or a register
// with an immediate.
static struct decoded decode_a64_compare(uint32_t encoding)
{
    bool has_immediate = encoding & 1U << 24, is_wide = encoding >> 31;
    uint32_t condition = encoding >> 21 & 7, size = encoding >> 14 & 3;
    bool is_allocated = (condition < 4 || condition > 5) &&
                        (has_immediate ? !(size & 1) : size == 0 || (size > 1 && !is_wide));
    if (!is_allocated)
        return plain(BRANCH_NONE);
    return direct(BRANCH_JUMP, true, sign_extend(encoding >> 5 & 0x1ff, 9) * 4);
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
    if ((encoding & 0x7e000000) == 0x74000000)
        return decode_a64_compare(encoding);
    if ((encoding & 0xfe000000) == 0xd6000000)
        return decode_a64_register(encoding);
    if ((encoding & 0xffc0001f) == 0x5500001f) // RETAASPPC: the label is that of PACIASPPC
        return plain(BRANCH_RETURN);
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
    bool is_rfe = (encoding & 0xfe50ffff) == 0xf8100a00;
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
    if ((rest & 0x0ffffff0) == 0x01600070 || (rest & 0x0ff000f0) == 0x01400070) // SMC, HVC
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
        // LDR, but neither LDRB nor LDRT, which cannot write the PC.
        if ((encoding & 0x0050f000) == 0x0010f000 && (encoding & 0x02000010) != 0x02000010 &&
            (encoding & 0x01200000) != 0x00200000)
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
    if ((encoding & 0xff83) == 0x4780) // BLX, BLXNS
        return plain(BRANCH_CALL);
    if ((encoding & 0xff83) == 0x4700 || (encoding & 0xff87) == 0x4687) // BX, BXNS, MOV PC
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

// The loops of the M profile, and what it has in the place of a call to A32, which it does not
// know: BF announces a branch, and may do nothing.
static struct decoded decode_t32_loop(uint32_t encoding)
{
    int64_t offset = (int64_t)((encoding & 0x7fe) << 1 | (encoding >> 10 & 2));
    if ((encoding & 0xff80f001) != 0xf000c001)
        return plain(BRANCH_NONE); // also DLS, DLSTP, LCTP
    if ((encoding & 0x000f0000) == 0x000f0000) {
        uint32_t form = encoding >> 20 & 7; // LE with LR, LETP, LE
        struct decoded decoded = direct(BRANCH_JUMP, true, 4 - offset);
        decoded.ends_loop = true;
        return form < 3 ? decoded : plain(BRANCH_NONE);
    }
    bool is_while = !(encoding & 0x00400000) || (encoding & 0x00700000) == 0x00400000;
    return is_while ? direct(BRANCH_JUMP, true, 4 + offset) : plain(BRANCH_NONE); // WLS, WLSTP
}

static struct decoded decode_t32_branch(uint32_t encoding)
{
    switch (encoding & 0xd000) {
    case 0xd000:
        return direct(BRANCH_CALL, false, t32_offset(encoding));
    case 0xc000: { // BLX
        if (encoding & 1)
            return decode_t32_loop(encoding);
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
    if ((encoding & 0xfff0ffff) == 0xf3c08f00) // BXJ
        return plain((encoding >> 16 & 15) == LR_A32 ? BRANCH_RETURN : BRANCH_INDIRECT);
    bool is_call_of_monitor =
        (encoding & 0xfff0ffff) == 0xf7f08000 || (encoding & 0xfff0f000) == 0xf7e08000;
    return plain(is_call_of_monitor ? BRANCH_EXCEPTION : BRANCH_NONE);
}

// LDR to the PC; LDRT and what is not allocated cannot write it.
static bool is_t32_load_of_pc(uint32_t encoding)
{
    bool is_literal = (encoding & 0xff7ff000) == 0xf85ff000;
    bool is_offset = (encoding & 0xfff0f000) == 0xf8d0f000;
    bool is_register = (encoding & 0xfff0ffc0) == 0xf850f000;
    bool is_indexed =
        (encoding & 0xfff0f800) == 0xf850f800 && (encoding & 0x500) && (encoding & 0x700) != 0x600;
    return is_literal || is_offset || is_register || is_indexed;
}

static struct decoded decode_t32(uint32_t encoding)
{
    uint32_t rn = encoding >> 16 & 15;
    if ((encoding & 0xf8008000) == 0xf0008000)
        return decode_t32_branch(encoding);
    if ((encoding & 0xffd0ffff) == 0xe990c000 || (encoding & 0xffd0ffff) == 0xe810c000) // RFE
        return plain(BRANCH_LEAVES);
    bool is_multiple = (encoding & 0xffd08000) == 0xe8908000 || // LDM; with PC in place of the base
                       (encoding & 0xffd08000) == 0xe9108000;   // it is CLRM
    if (is_multiple)
        return plain(rn == 15 ? BRANCH_NONE : BRANCH_RETURN);
    if ((encoding & 0xfff0ffe0) == 0xe8d0f000) // TBB, TBH
        return plain(BRANCH_INDIRECT);
    if (is_t32_load_of_pc(encoding))
        return plain(rn == SP_A32 ? BRANCH_RETURN : BRANCH_INDIRECT);
    if ((encoding & 0xfff00ff0) == 0xfb500f10) // BXAUT
        return plain(rn == LR_A32 ? BRANCH_RETURN : BRANCH_INDIRECT);
    return plain(BRANCH_NONE);
}

struct branch control_decode(uint64_t pc, uint32_t encoding, uint32_t size_bytes,
                             enum isa_state isa)
{
    struct decoded decoded = isa == ISA_AARCH64 ? decode_a64(encoding)
                             : isa == ISA_ARM   ? decode_a32(encoding)
                             : size_bytes == 2  ? decode_t16(encoding)
                                                : decode_t32(encoding);
    struct branch branch = {.kind = decoded.kind,
                            .is_conditional = decoded.is_conditional,
                            .ends_loop = decoded.ends_loop,
                            .pc = pc,
                            .next = pc + size_bytes,
                            .target = ADDRESS_UNKNOWN};
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
