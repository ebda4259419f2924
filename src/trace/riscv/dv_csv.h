// Reads one record of the table of instructions that riscv-dv's converters make of logs, for
// comparing runs (diff): without -f, it has only instructions that change a register, so there is
// no flow in it.
//
//     pc,instr,gpr,csr,binary,mode,instr_str,operand,pad
//     0000000080000000,,ra:0000000000000600;a5:...,,00000297,3,"auipc   ra, 0x0",,
#ifndef TRAWL_TRACE_RISCV_DV_CSV_H
#define TRAWL_TRACE_RISCV_DV_CSV_H

#include "trace/riscv/dialect.h"

// As line_language.study.
bool dv_csv_study(const char *start, const char *end, const struct reading_options *how,
                  struct line_context *context, struct trace_line *line, struct text_fault *fault,
                  struct line_columns *columns);

// As in struct riscv_form.
bool dv_csv_is_record(const char *start, const char *end);
bool dv_csv_begins_event(uint32_t dialect, const char *start, const char *end);

#endif
