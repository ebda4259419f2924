// How a RISC-V log is written, as its first lines show it (forms.h).
#ifndef TRAWL_TRACE_RISCV_DIALECT_H
#define TRAWL_TRACE_RISCV_DIALECT_H

#include "trace/lines/line.h"

#define RISCV_LANE_PREFIX "hart"

// In reading_options.dialect. Zero, as for who sees a single line: a log of Spike, whose lines are
// read as what they look like, and a line of an instruction log is an instruction.
enum riscv_dialect {
    // There are lines of commits, so that lines of the instruction log, which are written before
    // instructions are executed, are only text.
    RISCV_HAS_COMMITS = 1 << 0,
    RISCV_HAS_INSTRUCTIONS = 1 << 1, // lines of the instruction log
    // The harts have 32 bits, however many digits PCs have.
    RISCV_IS_32 = 1 << 2,
    // Commits do not name their hart, as RTL and old versions write them. The value of a store may
    // have the width of a register, whatever is stored.
    RISCV_HAS_NO_HARTS = 1 << 3,
    // The text of instructions is still to be made of their codes: DASM(00000297).
    RISCV_IS_RTL = 1 << 4,
    RISCV_IS_64 = 1 << 5, // shown by what only harts with 64 bits have
    // A code is c.jal with 32 bits and c.addiw with 64.
    RISCV_NEEDS_WIDTH = 1 << 6,
    RISCV_FORM_SHIFT = 8, // above: enum riscv_form_number
};

enum riscv_form_number {
    RISCV_FORM_SPIKE,
    RISCV_FORM_SAIL,
    RISCV_FORM_RVVI,
    RISCV_FORM_IBEX,
    RISCV_FORM_DV_CSV,
    RISCV_FORM_COUNT,
};

#endif
