// Logs of RISC-V simulators and cores as a kind of trace.
#ifndef TRAWL_TRACE_RISCV_RISCV_H
#define TRAWL_TRACE_RISCV_RISCV_H

#include "trace/trace.h"

extern const struct trace_kind riscv_kind;

// What its instructions do with data (data_flow.c).
extern const struct trace_dataflow riscv_dataflow;

#endif
