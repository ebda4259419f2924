// Addresses in instructions (arch/code_reference.h).
#ifndef TRAWL_ARCH_RISCV_REFERENCES_H
#define TRAWL_ARCH_RISCV_REFERENCES_H

#include "arch/code_reference.h"

code_refer riscv_refer;

#endif
