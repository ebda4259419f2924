// The instruction set states of an Arm core, as everything numbers them: the marks of a pass, the
// flags of an event in an index (TRAWL_ISA), and the registers of an index (trawl_register_named).
#ifndef TRAWL_ARCH_ARM_ISA_H
#define TRAWL_ARCH_ARM_ISA_H

#include <stdint.h>

enum isa_state {
    ISA_ARM,
    ISA_THUMB,
    ISA_AARCH64,
};

// As users know them; "?" for other numbers.
static inline const char *isa_name(uint32_t isa)
{
    static const char *const names[] = {"A32", "T32", "A64"};
    return isa <= ISA_AARCH64 ? names[isa] : "?";
}

#endif
