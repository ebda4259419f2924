// Arm cores of all profiles (arch/arch.h).
#ifndef TRAWL_ARCH_ARM_ARM_H
#define TRAWL_ARCH_ARM_ARM_H

#include "arch/arch.h"

extern const struct arch arch_arm;
extern const struct arch_frames frames_aarch64, frames_arm;

// gdb_machines.c
extern const struct gdb_machine *const arm_gdb[];

#endif
