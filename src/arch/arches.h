// The table of architectures.
#ifndef TRAWL_ARCH_ARCHES_H
#define TRAWL_ARCH_ARCHES_H

#include "arch/arch.h"

// The usual one is the first; NULL ends them. Weak, as the table of kinds is: a test has its own.
extern const struct arch *const arches[];

// That of a number (e_machine of ELF) in an index; arch_unknown if there is none.
const struct arch *arch_of_machine(uint64_t machine);

// Machines of snapshots whose stacks can be unwound, for messages.
#define ARCHES_OF_SNAPSHOTS "x86-64 and AArch64"

#endif
