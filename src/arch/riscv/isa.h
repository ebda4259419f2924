// The instruction sets of a RISC-V hart, with the numbers that every architecture has for 32 and
// for 64 bits (arch/arch.h).
#ifndef TRAWL_ARCH_RISCV_ISA_H
#define TRAWL_ARCH_RISCV_ISA_H

enum riscv_isa { RISCV_32 = 0, RISCV_64 = 2 };

#endif
