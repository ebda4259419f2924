// What instructions of A32 and T32 do alike, apart from their encodings.
#ifndef TRAWL_ARCH_ARM_EFFECTS_AARCH32_H
#define TRAWL_ARCH_ARM_EFFECTS_AARCH32_H

#include "arch/arm/effects_build.h"

enum { R_SP = 13, R_LR = 14, R_PC = 15, R_NONE = 16 };

// In the order of A32's opcodes.
enum data_opcode {
    OP_AND,
    OP_EOR,
    OP_SUB,
    OP_RSB,
    OP_ADD,
    OP_ADC,
    OP_SBC,
    OP_RSC,
    OP_TST,
    OP_TEQ,
    OP_CMP,
    OP_CMN,
    OP_ORR,
    OP_MOV,
    OP_BIC,
    OP_MVN,
    OP_ORN,
};

// The second operand: a constant (`rm` R_NONE), or a register, shifted by a constant or a register.
struct operand {
    unsigned rm, rs;  // rs R_NONE: by a constant
    bool is_shifted;  // by more than 0; a constant: rotated, so that it makes a carry
    bool is_extended; // RRX, which shifts the carry in
};

struct address32 {
    unsigned base, index; // index R_NONE: a constant; base R_PC: a literal
    bool reads_carry;     // the index is shifted by RRX
};

static inline void from_r(struct build *b, enum effect_role role, unsigned n, unsigned bytes)
{
    if (n == R_PC)
        from(b, role, EFFECT_PC, 0, 4);
    else if (n < R_PC)
        from_register(b, role, REGISTER_OFFSET_X(n), bytes);
}

static inline void to_r(struct build *b, unsigned n)
{
    if (n == R_PC)
        to(b, EFFECT_PC, 0, 4);
    else
        to_register(b, REGISTER_OFFSET_X(n), 4);
}

static inline struct operand constant_operand(bool makes_carry)
{
    return (struct operand){.rm = R_NONE, .rs = R_NONE, .is_shifted = makes_carry};
}

static inline struct operand shifted_operand(unsigned rm, unsigned type, unsigned amount)
{
    return (struct operand){
        .rm = rm, .rs = R_NONE, .is_shifted = type || amount, .is_extended = type == 3 && !amount};
}

// `rd` R_NONE: a comparison.
void data_processing(struct build *b, enum data_opcode opcode, bool sets_flags, unsigned rd,
                     unsigned rn, struct operand operand);

// `count` sources of a result in one register; N and Z of it, if they are set.
void result_of(struct build *b, unsigned rd, const unsigned *sources, unsigned count, bool sets_nz);
// The same for a result of 64 bits in two.
void long_result_of(struct build *b, unsigned low, unsigned high, const unsigned *sources,
                    unsigned count, bool sets_nz);
// Saturation or overflow sets Q, which otherwise stays.
void sticky_q(struct build *b, const unsigned *sources, unsigned count);

void load_r(struct build *b, unsigned rt, unsigned offset, unsigned bytes, bool is_signed,
            const struct address32 *address);
void store_r(struct build *b, unsigned rt, unsigned offset, unsigned bytes,
             const struct address32 *address);
void update_base(struct build *b, const struct address32 *address);
void multiple(struct build *b, bool is_load, unsigned list, unsigned rn, bool writes_back);
void load_exclusive32(struct build *b, unsigned rt, unsigned rt2, unsigned bytes, unsigned rn);
void store_exclusive32(struct build *b, unsigned rd, unsigned rt, unsigned rt2, unsigned bytes,
                       unsigned rn);

// SXTB, UXTH and the like: `rotation` in bytes; with an addend `rn` (R_PC: none).
void extend(struct build *b, unsigned rd, unsigned rn, unsigned rm, unsigned rotation,
            unsigned bytes, bool is_signed, bool is_pair);
// BFI, BFC (`rn` R_PC), SBFX, UBFX: bits of `width` from `lsb`.
bool bitfield32(struct build *b, unsigned rd, unsigned rn, unsigned lsb, unsigned msb,
                bool inserts);
void extract32(struct build *b, unsigned rd, unsigned rn, unsigned lsb, unsigned width,
               bool is_signed);
void move_top(struct build *b, unsigned rd);

// The fields of PSR that a mask names: 8 flags, 4 GE, 1 and 2 the rest.
void write_psr(struct build *b, unsigned mask, unsigned rn);
void read_psr(struct build *b, unsigned rd);
// Returns from an exception: flags from SPSR. The PC's flow is the caller's.
void restore_psr(struct build *b);

// MCR, MRC, MCRR, MRRC of CP14 and CP15, in the encoding of A32, whose T32 has the same.
bool coprocessor(struct build *b, uint32_t encoding);

#endif
