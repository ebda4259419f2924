// Reads one record of what the tracers of Ibex and CV32E40P write.
//
//     Time<TAB>Cycle<TAB>PC<TAB>Insn<TAB>Decoded instruction<TAB>Register and memory contents
//     394<TAB>193<TAB>800001e4<TAB>01172223<TAB>sw<TAB>x17,4(x14)<TAB> x14:0x8000058c
//         x17:0x00000001 PA:0x80000590 store:0x00000001
//
// and the older one, whose columns are separated by blanks, with the text in 36 columns:
//
//     394 ns   193 800001e4 01172223 c.sw             x17, 4(x14)      x14:8000058c PA:80000590
//
// A register with "=" is written, one with ":" shows what it was before. The values behind "store"
// and "load" are those of the data bus, and versions have the two words the wrong way round: what
// is stored follows from the register that the instruction stores, and what is loaded from the one
// that it writes. In the older form, compressed instructions have the code of what they stand for,
// and "c." before their names.
//
// The time of an instruction is its cycle. Privileges and traps are not shown.
#ifndef TRAWL_TRACE_RISCV_IBEX_H
#define TRAWL_TRACE_RISCV_IBEX_H

#include "base/merge.h"
#include "trace/riscv/dialect.h"

// As line_language.study.
bool ibex_study(const char *start, const char *end, const struct reading_options *how,
                struct line_context *context, struct trace_line *line, struct text_fault *fault,
                struct line_columns *columns);

// As in struct riscv_form.
bool ibex_is_record(const char *start, const char *end);
bool ibex_begins_event(uint32_t dialect, const char *start, const char *end);
struct text_span ibex_value(struct text_span records, char file, unsigned number, bool is_before);

struct line_stamp ibex_line_stamp(const char *start, const char *end,
                                  const struct line_prefix *prefix);

#endif
