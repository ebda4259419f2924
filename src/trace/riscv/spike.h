// Reads one line of Spike's logs, or reports what is wrong with it: of --log-commits, of -l, and of
// both, as all versions write them (the old form has no "core   0: " before commits, and "x 5" in
// place of "x5 ").
//
//     core   0: 3 0x0000000080000156 (0xf486) mem 0x0000000080006108 0x0000000080000010
//     core   0: 0x0000000080000150 (0x00f83023) sd      a5, 0(a6)
//     core   0: exception trap_load_access_fault, epc 0x0000000080000158
//
// A line of a commit has several records (trace/lines/language.h): the instruction, then each
// register and each access.
#ifndef TRAWL_TRACE_RISCV_SPIKE_H
#define TRAWL_TRACE_RISCV_SPIKE_H

#include "trace/lines/line.h"

#define SPIKE_LANE_PREFIX "hart"

// In reading_options.dialect. Zero, as for who sees a single line: every line is read as what it
// looks like, and a line of an instruction log is an instruction.
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
};

// As line_language.study.
bool spike_study(const char *start, const char *end, const struct reading_options *how,
                 struct line_context *context, struct trace_line *line, struct text_fault *fault,
                 struct line_columns *columns);

enum spike_line {
    SPIKE_OTHER, // foreign text
    SPIKE_COMMIT,
    SPIKE_INSTRUCTION,
    SPIKE_EXCEPTION,
    SPIKE_SYMBOL,        // ">>>>  main"
    SPIKE_VALUE,         // of tval
    SPIKE_EXECUTED,      // "Executed 17 times"
    SPIKE_RTL_EXCEPTION, // "ILLEGAL_INSTR exception @ 0x...", of CVA6
    SPIKE_DAMAGED,       // begins like one of these
};

// What kind of line it is, by its first words alone. *at: where it goes on behind the hart's
// number.
enum spike_line spike_line_of(const char *start, const char *end, const char **at,
                              struct text_span *hart);

#endif
