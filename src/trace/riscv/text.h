// What single lines of RISC-V logs, and the text of events, show to viewers.
#ifndef TRAWL_TRACE_RISCV_TEXT_H
#define TRAWL_TRACE_RISCV_TEXT_H

#include "base/source.h"
#include "trace/trace.h"

// The functions of trace_line_reader.
void riscv_look(const char *start, const char *end, const struct reading_options *how, uint32_t isa,
                struct line_look_context *context, struct line_look *look);
bool riscv_instruction_text(const char *text, size_t size_bytes, const struct reading_options *how,
                            uint64_t address, struct text_span *found);
bool riscv_exception_text(const char *text, size_t size_bytes, const struct reading_options *how,
                          const char *lane, struct text_span *found);

// Reads some instructions from all parts of a log (trace_placing.sample).
size_t riscv_sample(struct source *source, const struct reading_options *how,
                    struct trace_instruction *instructions, size_t capacity);

#endif
