// Which operands an instruction reads, according to its disassembly.
#ifndef TRAWL_TRACE_TARMAC_OPERANDS_H
#define TRAWL_TRACE_TARMAC_OPERANDS_H

#include "trace/line_look.h"

// The names of registers that are read, as in the text: at most `capacity`. Returns their number. A
// name may denote something else, such as a label; looking it up as a register shows this.
size_t tarmac_read_operands(const char *start, const char *end, struct text_span *reads,
                            size_t capacity);

#endif
