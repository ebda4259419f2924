// Expressions of C over the variables of a stopped program (elf/debug_values.h lists what is
// supported). For the files of this layer.
#ifndef TRAWL_ELF_DEBUG_EXPRESSION_H
#define TRAWL_ELF_DEBUG_EXPRESSION_H

#include "elf/debug_value.h"

// STATUS_NOT_FOUND or STATUS_INPUT: it has no value, for the reason in `err`.
enum status debug_expression(struct debug_frame *frame, const char *text, struct debug_value *value,
                             struct error *err);

#endif
