// RISC-V logs for the room that reads lines (trace/lines/language.h).
#ifndef TRAWL_TRACE_RISCV_LANGUAGE_H
#define TRAWL_TRACE_RISCV_LANGUAGE_H

#include "trace/lines/language.h"

// Without times, which count instructions, and with them.
extern const struct line_language riscv_language;
extern const struct line_language riscv_timed_language;

#endif
