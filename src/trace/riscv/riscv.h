// Logs of RISC-V simulators and cores as a kind of trace.
#ifndef TRAWL_TRACE_RISCV_RISCV_H
#define TRAWL_TRACE_RISCV_RISCV_H

#include "trace/lines/language.h"
#include "trace/trace.h"

// Without times and with them (forms.h).
extern const struct trace_kind riscv_kind;
extern const struct trace_kind riscv_timed_kind;
extern const struct trace_kind riscv_table_kind; // of riscv-dv

// What its instructions do with data (data_flow.c).
extern const struct trace_dataflow riscv_dataflow;

// Its lines, without times, which count instructions, and with them.
extern const struct line_language riscv_language;
extern const struct line_language riscv_timed_language;

#endif
