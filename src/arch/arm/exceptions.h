// Exceptions of Arm cores.
#ifndef TRAWL_ARCH_ARM_EXCEPTIONS_H
#define TRAWL_ARCH_ARM_EXCEPTIONS_H

#include "flow/exceptions.h"

// The values of LR with which an exception of the M profile returns begin here: bits 31 to 7 are
// ones, and another bit chooses the process stack. They are not addresses.
#define EXC_RETURN UINT32_C(0xffffff80)
#define EXC_RETURN_SPSEL (UINT32_C(1) << 2)
#define EXC_RETURN_NO_FP (UINT32_C(1) << 4)  // registers of floating point are not on the stack
#define EXC_RETURN_THREAD (UINT32_C(1) << 3) // it returns to a thread, not to another handler

extern const struct exception_rules arm_exceptions;

// An exception sets the ELR of the level that it is taken to.
extern const char *const arm_exception_returns[];

#endif
