// Reads one line of what the emulator of the Sail model writes (sail_riscv_sim --trace, older
// riscv_sim_RV64 -v), as its versions do.
//
//     mem[X,0x0000008000067E] -> 0xF406
//     [20] [M]: 0x000000008000067E (0xF406) c.sdsp ra, 0x5
//     mem[W,0x00000080009AF8] <- 0x000000008000003A
//     x15 <- 0x0000000000000001
//     CSR mtvec (0x305) <- 0x0000000080000050
//     trapping from M to M to handle illegal-instruction
//
// What an instruction does follows on lines of its own, which belong to it. Fetches stand before it
// and say nothing here. An instruction that traps has a line, as it has in the instruction log of
// Spike.
#ifndef TRAWL_TRACE_RISCV_SAIL_H
#define TRAWL_TRACE_RISCV_SAIL_H

#include "trace/riscv/dialect.h"

// As line_language.study.
bool sail_study(const char *start, const char *end, const struct reading_options *how,
                struct line_context *context, struct trace_line *line, struct text_fault *fault,
                struct line_columns *columns);

// As in struct riscv_form.
bool sail_is_record(const char *start, const char *end);
bool sail_begins_event(uint32_t dialect, const char *start, const char *end);

#endif
