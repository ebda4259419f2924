#include "arch/arches.h"

#include "arch/arm/arm.h"
#include "arch/riscv/riscv.h"

#include <elf.h>

// Snapshots of it can be unwound; nothing else of it is in a trace.
static const struct arch x86_64 = {
    .core = "an x86-64 core",
    .machines = {EM_X86_64},
    .isas = {[ARCH_ISA_64] =
                 {.name = "x86-64", .word_bytes = 8, .least_bytes = 1, .frames = &frames_x86_64}},
};

__attribute__((weak)) const struct arch *const arches[] = {&arch_arm, &arch_riscv, &x86_64, NULL};

const struct arch *arch_of_machine(uint64_t machine)
{
    for (const struct arch *const *arch = arches; *arch; arch++) {
        if (machine && (*arch)->machines[0] == machine)
            return *arch;
    }
    return &arch_unknown;
}
