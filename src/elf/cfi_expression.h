// Expressions of DWARF in call frame information (DWARF 5, 2.5.1 without what needs an object or
// another entry): in bounded steps, on a bounded stack.
#ifndef TRAWL_ELF_CFI_EXPRESSION_H
#define TRAWL_ELF_CFI_EXPRESSION_H

#include "base/base.h"

// Reads registers (by DWARF number) and memory (an unsigned number of 1 to 8 bytes). False:
// unknown, and the evaluation stops.
struct cfi_reader {
    void *self;
    bool (*read_register)(void *self, uint64_t number, uint64_t *value);
    bool (*read_memory)(void *self, uint64_t address, unsigned size_bytes, uint64_t *value);
};

struct cfi_expression {
    const uint8_t *bytes;
    size_t size_bytes;
    unsigned address_bytes;
    bool is_big_endian;
};

// The value of an expression, whose stack has `initial` (NULL: nothing) at the start. False: it is
// damaged, needs something unknown, or takes too long.
bool cfi_expression_value(const struct cfi_expression *expression, const struct cfi_reader *reader,
                          const uint64_t *initial, uint64_t *value);

#endif
