// Expressions of C over the variables of a stopped program (elf/debug_values.h has what of C). For
// the files of this floor.
#ifndef TRAWL_ELF_DEBUG_EXPRESSION_H
#define TRAWL_ELF_DEBUG_EXPRESSION_H

#include "elf/debug_value.h"

// STATUS_NOT_FOUND or STATUS_INPUT: why it has no value.
enum status debug_expression(struct debug_frame *frame, const char *text, struct debug_value *value,
                             struct error *err);

#endif
