#include "arch/arch.h"

#include <elf.h>

const struct arch arch_unknown = {.core = "a core of another kind"};

bool arch_runs(const struct arch *arch, unsigned machine)
{
    for (const uint16_t *own = arch->machines; *own; own++) {
        if (*own == machine)
            return true;
    }
    return machine == EM_NONE || !arch->machines[0];
}

// rbx, rbp, r12 to r15
const struct arch_frames frames_x86_64 = {
    .machine = EM_X86_64,
    .word_bytes = 8,
    .chain = CHAIN_RECORD,
    .sp = 7,
    .fp = 6,
    .ra = 16,
    .code_bit_fp = 6,
    .kept = FRAME_BITS(3, 3) | FRAME_BITS(6, 6) | FRAME_BITS(12, 15),
    .is_ra_pushed = true,
};

const struct arch_frames frames_s390x = {
    .machine = EM_S390,
    .word_bytes = 8,
    .sp = 15,
    .fp = 11,
    .ra = 14,
    .code_bit_fp = 11,
    .sp_offset = -160,
    .kept = FRAME_BITS(6, 13),
};
