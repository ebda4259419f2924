// Accesses of which a log shows only the address: what they access follows from the code of their
// instruction, and what a load got from the register that it wrote.
#ifndef TRAWL_TRACE_RISCV_ACCESS_H
#define TRAWL_TRACE_RISCV_ACCESS_H

#include "trace/lines/language.h"
#include "trace/riscv/forms.h"

// As line_language.add_access.
bool riscv_add_access(struct lane_part *part, const struct line_memory *memory,
                      const struct line_extent *place, const struct parse_options *options);

// The type of vectors that a line names: " e32 m2 l8", " e8 mf4 l3".
struct vector_type {
    uint32_t element_bytes; // 0: it names none
    uint32_t group_eighths; // of a register, in a group
    uint32_t count;         // of elements
};

// `records`: what stands behind the code of the instruction.
struct vector_type riscv_vector_type(struct text_span records);

// Sets the size and the value of an access on a line of this form, of which `behind` is what stands
// behind the code of the instruction and before the access, or the beginning of that, and `rest`
// what stands from the access to the end of the line. False: nothing is known of it.
bool riscv_fill_access(uint32_t code, bool is_64, const struct riscv_form *form,
                       struct text_span behind, struct text_span rest, struct line_memory *memory);

#endif
