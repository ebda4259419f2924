// Which RISC-V log a text is, and what its first lines show of how it was written.
#ifndef TRAWL_TRACE_RISCV_DIALECT_H
#define TRAWL_TRACE_RISCV_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How much of a log is sufficient to determine its dialect. For a pipe, this much is waited for, so
// that the result depends only on the bytes.
#define RISCV_DIALECT_PEEK_BYTES 65536

// Determines the dialect from [text, text + size_bytes), ignoring a line without an end.
uint32_t riscv_dialect_of(const char *text, size_t size_bytes);

// Whether a text with this beginning is a log that is read here.
bool riscv_is_log(const char *text, size_t size_bytes);

#endif
