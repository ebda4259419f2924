// Addresses in instructions (arch/arch.h).
#ifndef TRAWL_ARCH_RISCV_REFERENCES_H
#define TRAWL_ARCH_RISCV_REFERENCES_H

#include "arch/arch.h"

code_refer riscv_refer;

#endif
