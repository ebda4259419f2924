// Arm cores of all profiles (arch/arch.h).
#ifndef TRAWL_ARCH_ARM_ARM_H
#define TRAWL_ARCH_ARM_ARM_H

#include "arch/arch.h"
#include "flow/exceptions.h"
#include "flow/reading.h"
#include "flow/register_names.h"
#include "idx/register_layout.h"

extern const struct arch arch_arm;
extern const struct arch_frames frames_aarch64, frames_arm;

// gdb_machines.c
extern const struct gdb_machine *const arm_gdb[];

// Exceptions of Arm cores.

// The values of LR with which an exception of the M profile returns begin here: bits 31 to 7 are
// ones, and another bit chooses the process stack. They are not addresses.
#define EXC_RETURN UINT32_C(0xffffff80)
#define EXC_RETURN_SPSEL (UINT32_C(1) << 2)
#define EXC_RETURN_NO_FP (UINT32_C(1) << 4)  // registers of floating point are not on the stack
#define EXC_RETURN_THREAD (UINT32_C(1) << 3) // it returns to a thread, not to another handler

extern const struct exception_rules arm_exceptions;

// An exception sets the ELR of the level that it is taken to.
extern const char *const arm_exception_returns[];

// --- register_layout.c ---------------------------------------------------------------------------

// In the order in which they are shown. Names are those of register_find, and additionally sp (xsp,
// or r13 outside AArch64), lr (x30 or r14) and pc.
extern const struct register_table tarmac_registers;

// Writes the section, including the registers that the trace named. False: no memory.
bool tarmac_layout_write(struct parts_writer *parts, const struct register_names *names,
                         enum reading reading);

// --- references.c --------------------------------------------------------------------------------

code_refer arm_refer;

#endif
