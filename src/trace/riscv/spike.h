// Reads one line of Spike's logs, or reports what is wrong with it: of --log-commits, of -l, and of
// both, as all versions write them (the old form has no "core   0: " before commits, and "x 5" in
// place of "x5 ").
//
//     core   0: 3 0x0000000080000156 (0xf486) mem 0x0000000080006108 0x0000000080000010
//     core   0: 0x0000000080000150 (0x00f83023) sd      a5, 0(a6)
//     core   0: exception trap_load_access_fault, epc 0x0000000080000158
//
// A line of a commit has several records (trace/lines/language.h): the instruction, then each
// register and each access.
#ifndef TRAWL_TRACE_RISCV_SPIKE_H
#define TRAWL_TRACE_RISCV_SPIKE_H

#include "base/merge.h"
#include "trace/riscv/dialect.h"

// As line_language.study.
bool spike_study(const char *start, const char *end, const struct reading_options *how,
                 struct line_context *context, struct trace_line *line, struct text_fault *fault,
                 struct line_columns *columns);

enum spike_line {
    SPIKE_OTHER, // foreign text
    SPIKE_COMMIT,
    SPIKE_INSTRUCTION,
    SPIKE_EXCEPTION,
    SPIKE_SYMBOL,        // ">>>>  main"
    SPIKE_VALUE,         // of tval
    SPIKE_EXECUTED,      // "Executed 17 times"
    SPIKE_RTL_EXCEPTION, // "ILLEGAL_INSTR exception @ 0x...", of CVA6
    SPIKE_DAMAGED,       // begins like one of these
};

// What kind of line it is, by its first words alone. *at: where it goes on behind the hart's
// number.
enum spike_line spike_line_of(const char *start, const char *end, const char **at,
                              struct text_span *hart);

// As in struct riscv_form.
bool spike_is_record(const char *start, const char *end);
bool spike_begins_event(uint32_t dialect, const char *start, const char *end);
struct text_span spike_value(struct text_span records, char file, unsigned number, bool is_before);

// Where files of single harts are merged: the line before a commit, as RTL writes it, is counted.
struct line_stamp spike_line_stamp(const char *start, const char *end,
                                   const struct line_prefix *prefix);

// What a record of one of these lines shows of the dialect.
uint32_t spike_dialect_of(const char *start, const char *end, const struct trace_line *line);

#endif
