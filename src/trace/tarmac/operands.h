// Which operands an instruction reads, by its disassembly.
#ifndef TRAWL_TRACE_TARMAC_OPERANDS_H
#define TRAWL_TRACE_TARMAC_OPERANDS_H

#include "trace/line_look.h"

// The names of registers that are read, as they are written: at most `capacity`. Returns how many.
// A name may be one of something else (a label): whoever looks registers up finds out.
size_t tarmac_read_operands(const char *start, const char *end, struct text_span *reads,
                            size_t capacity);

#endif
