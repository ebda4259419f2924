// What a RISC-V instruction does with data, from its encoding: every place that it writes, with the
// places from which the value comes and what each is for.
//
// The rules are those of the unprivileged specification: RV32 and RV64 with I, M, A, F, D, C,
// Zicsr, Zifencei, Zba, Zbb, Zbs, Zbc, Zbkb, Zicond, Zfh, Zcb, Zicboz. Compressed instructions are
// those that they stand for. V, as far as the text of an event shows what is in no encoding
// (effects_vector.c). Not known, which is said: Q, cryptography, Zcmp, Zcmt, extensions of vendors.
//
// Flags of floating point are followed neither from fcsr nor to it: EFFECT_FLAGS names the rounding
// mode and the exceptions, as places of their own.
#ifndef TRAWL_ARCH_RISCV_EFFECTS_H
#define TRAWL_ARCH_RISCV_EFFECTS_H

#include "arch/riscv/registers.h"
#include "flow/effects_build.h"

enum riscv_flag {
    RISCV_FLAG_STATUS = 1,  // fflags
    RISCV_FLAG_CONTROL = 2, // frm
};

// Numbers of system registers (EFFECT_SYSTEM) are those of control and status registers, and:
enum { RISCV_SYSTEM_RESERVATION = 0x1000 }; // of lr and sc

// Whether a code is one of the vector extension.
static inline bool riscv_is_vector(uint32_t code)
{
    const uint32_t opcode = code & 0x7f, width = code >> 12 & 7;
    return opcode == 0x57 || ((opcode == 0x07 || opcode == 0x27) && (width == 0 || width > 4));
}

// Decodes an instruction; of one with 16 bits, more bits do not matter. `vectors`: what the text of
// its event shows of its vectors, if it has any.
void riscv_effects(uint32_t code, enum riscv_isa isa, const struct effect_vectors *vectors,
                   struct effects *effects);

// Of riscv_effects alone. False: it is not known.
bool riscv_vector_effects(struct build *b, uint32_t code, enum riscv_isa isa,
                          const struct effect_vectors *vectors);

#endif
