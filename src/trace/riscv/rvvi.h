// Reads one record of RVVI-TEXT, the text of the RISC-V Verification Interface that Sail's
// emulator, ImperasDV and test benches write.
//
//     VERSION 0 5
//     PARAMS 6 ILEN 32 XLEN 64 FLEN 64 VLEN 0 NHART 1 RETIRE 1
//     HART 0 RET 0x0000000080000000 0x00001197 X 3 0x0000000080001000 MODE 0x3 VIRT 0x0
//     RET 102a '_start+42' 0062a1a3 'sw t1,3(t0)' \
//         X 5 3E8
//
// Numbers may have "0x" before them and lack leading zeros, text in quotes may stand anywhere, and
// a line may go on after a backslash. Memory has addresses and sizes, but no values: what a load
// got is in its register, what a store wrote is unknown. A trap is an instruction that did not
// retire.
#ifndef TRAWL_TRACE_RISCV_RVVI_H
#define TRAWL_TRACE_RISCV_RVVI_H

#include "trace/riscv/dialect.h"

// As line_language.study.
bool rvvi_study(const char *start, const char *end, const struct reading_options *how,
                struct line_context *context, struct trace_line *line, struct text_fault *fault,
                struct line_columns *columns);

// As in struct riscv_form.
bool rvvi_is_record(const char *start, const char *end);
bool rvvi_begins_event(uint32_t dialect, const char *start, const char *end);
struct text_span rvvi_value(struct text_span records, char file, unsigned number, bool is_before);

// RISCV_IS_32 or RISCV_IS_64 if a line has parameters that say so; otherwise 0.
uint32_t rvvi_width_of(const char *start, const char *end);

#endif
