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
