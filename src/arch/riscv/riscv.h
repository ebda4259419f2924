// RISC-V harts with 32 and with 64 bits (arch/arch.h).
#ifndef TRAWL_ARCH_RISCV_RISCV_H
#define TRAWL_ARCH_RISCV_RISCV_H

#include "arch/arch.h"

extern const struct arch arch_riscv;
extern const struct exception_rules riscv_exceptions;

#endif
