// A numbering of registers for both architectures, and its mapping to Unicorn's.
#ifndef TRACER_REGS_H
#define TRACER_REGS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    REG_X0 = 0, // A64: x0-x30; AArch32: r0-r12 and r14
    REG_LR32 = 14,
    REG_LR64 = 30,
    REG_SP = 31,
    REG_V0 = 32, // A64: v0-v31; AArch32: d0-d31
    REG_S0 = 64, // AArch32 only: s0-s31
    REG_Q0 = 96, // AArch32 only: q0-q15, read as two d registers
    REG_CPSR = 112,
    REG_FPCR = 113,
    REG_FPSR = 114,   // AArch32: fpscr
    REG_SYSTEM = 115, // any other register, named in the instruction
    REG_COUNT = 116,
};

enum { PSR_T = 1 << 5, PSR_F = 1 << 6, PSR_I = 1 << 7, PSR_A = 1 << 8, PSR_E = 1 << 9 };

enum { PSTATE_BTYPE = 3 << 10 };

// AArch32 processor modes.
enum { MODE_USR = 0x10, MODE_IRQ = 0x12, MODE_SVC = 0x13, MODE_SYS = 0x1f };

// Unicorn's number of a register, or 0 (for q registers and REG_SYSTEM).
int regs_unicorn_id(bool is_a64, unsigned reg);

// Our number of one of Capstone's registers, and how many bytes its name covers. REG_COUNT: it is
// not traced (the zero register, pc).
unsigned regs_from_capstone(bool is_a64, unsigned capstone_reg, unsigned *bytes);

#endif
