// The forms in which simulators and cores write RISC-V logs: a row for each, with everything in
// which they differ.
//
//   Spike   core   0: 3 0x0000000080000150 (0x0285) x5  0x0000000000000001
//           (also what CVA6's tracer writes: RVFI text)
//   Sail    [20] [M]: 0x000000008000067E (0xF406) c.sdsp ra, 0x5
//           x15 <- 0x0000000000000001
//   RVVI    HART 0 RET 0x0000000080000000 0x00001197 X 3 0x0000000080001000
//   Ibex    394 193 800001e4 01172223 sw x17,4(x14) x14:0x8000058c x17:0x00000001 PA:0x80000590
//           (its columns separated by tabs, or, before 2019 and as CV32E40P writes them, by blanks)
//
//   riscv-dv  0000000080000000,,ra:0000000000000600,,00000297,3,"auipc   ra, 0x0",,
//
// The first three have no times: times are numbers of instructions. Ibex's are numbers of cycles.
// The last has no flow. So each of these is a kind of trace of its own (enum riscv_row).
#ifndef TRAWL_TRACE_RISCV_FORMS_H
#define TRAWL_TRACE_RISCV_FORMS_H

#include "trace/riscv/dialect.h"

enum riscv_row { RISCV_COUNTED, RISCV_TIMED, RISCV_FOR_COMPARISON };

struct riscv_form {
    const char *text; // what it is, for doctor; NULL: according to the dialect
    // Whether a line is a record of this form, by its first words alone; whether it is an
    // instruction, with which an event begins.
    bool (*is_record)(const char *start, const char *end);
    bool (*begins_event)(uint32_t dialect, const char *start, const char *end);
    // As line_language.study.
    bool (*study)(const char *start, const char *end, const struct reading_options *how,
                  struct line_context *context, struct trace_line *line, struct text_fault *fault,
                  struct line_columns *columns);
    // The digits of the value of a register among the records of a line: as it was before the
    // instruction, if the form shows that, or as it was written. NULL: it is not among them.
    struct text_span (*value)(struct text_span records, char file, unsigned number, bool is_before);
    enum riscv_row row;
    bool hides_direction; // accesses are addresses: the instruction loads or stores
};

extern const struct riscv_form riscv_forms[RISCV_FORM_COUNT];

static inline const struct riscv_form *riscv_form_of(uint32_t dialect)
{
    return &riscv_forms[dialect >> RISCV_FORM_SHIFT];
}

// As line_language.study, of the form of the dialect.
bool riscv_study(const char *start, const char *end, const struct reading_options *how,
                 struct line_context *context, struct trace_line *line, struct text_fault *fault,
                 struct line_columns *columns);

// How much of a log is sufficient to determine its dialect. For a pipe, this much is waited for, so
// that the result depends only on the bytes.
#define RISCV_DIALECT_PEEK_BYTES 65536

// Determines the dialect from [text, text + size_bytes), ignoring a line without an end.
uint32_t riscv_dialect_of(const char *text, size_t size_bytes);

// Whether a text with this beginning is a log that is read here, of this kind.
bool riscv_is_log(const char *text, size_t size_bytes, enum riscv_row row);

#endif
