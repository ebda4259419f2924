// What a RISC-V instruction does with data, from its encoding: every place that it writes, with the
// places from which the value comes and what each is for.
//
// The rules are those of the unprivileged specification: RV32 and RV64 with I, M, A, F, D, C,
// Zicsr, Zifencei, Zba, Zbb, Zbs, Zbc, Zbkb, Zicond, Zfh, Zcb, Zicboz. Compressed instructions are
// those that they stand for. Not known, which is said: vectors (which of their bytes are written
// depends on vl, vtype and masks, which are in no encoding), Q, cryptography, Zcmp, Zcmt,
// extensions of vendors.
//
// Flags of floating point are followed neither from fcsr nor to it: EFFECT_FLAGS names the rounding
// mode and the exceptions, as places of their own.
#ifndef TRAWL_ARCH_RISCV_EFFECTS_H
#define TRAWL_ARCH_RISCV_EFFECTS_H

#include "arch/riscv/registers.h"
#include "flow/effects.h"

enum riscv_flag {
    RISCV_FLAG_STATUS = 1,  // fflags
    RISCV_FLAG_CONTROL = 2, // frm
};

// Numbers of system registers (EFFECT_SYSTEM) are those of control and status registers, and:
enum { RISCV_SYSTEM_RESERVATION = 0x1000 }; // of lr and sc

// Decodes an instruction; of one with 16 bits, more bits do not matter.
void riscv_effects(uint32_t code, enum riscv_isa isa, struct effects *effects);

#endif
