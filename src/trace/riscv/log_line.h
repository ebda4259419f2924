// What the forms of RISC-V logs have in common: a line as far as it was read, its numbers, and the
// registers that it writes. Included by the readers of the forms alone.
#ifndef TRAWL_TRACE_RISCV_LOG_LINE_H
#define TRAWL_TRACE_RISCV_LOG_LINE_H

#include "base/characters.h"
#include "trace/riscv/dialect.h"

// A line as far as it was read.
struct log_line {
    const char *start, *at, *end;
    const struct reading_options *how;
    struct trace_line *line;
    struct text_fault *fault;
    struct line_columns *columns;
};

// Sets what every record has before it is read. `start`: of the record.
void log_line_begin(struct log_line *log, const char *start, const char *end,
                    const struct reading_options *how, const struct line_context *context,
                    struct trace_line *line, struct text_fault *fault,
                    struct line_columns *columns);

// Reports that it cannot be read; always false.
bool log_line_fail(struct log_line *log, const char *at, const char *text);

static inline const char *log_skip_blanks(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

static inline const char *log_skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

static inline bool log_begins(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

static inline size_t log_length_of(struct text_span span)
{
    return (size_t)(span.end - span.start);
}

// The digits of a hexadecimal number at the line's place, which moves behind them. False: there are
// none. log_take_hex: behind "0x".
bool log_take_digits(struct log_line *log, struct text_span *digits);
bool log_take_hex(struct log_line *log, struct text_span *digits);
uint64_t log_number_of(struct text_span digits);

// A decimal number of at most `digits_max` digits at the line's place, which moves behind it.
bool log_take_decimal(struct log_line *log, size_t digits_max, uint64_t *number);

// Where a record ends: at the end of its line, or before the blank with which the next one begins.
bool log_line_end_record(struct log_line *log);

void log_begin_instruction(struct log_line *log, struct line_instruction *instruction);
void log_sum_up(struct log_line *log, struct line_instruction *instruction);

// The register that a record writes, by its file and number, from the digits of its value.
bool log_set_x(struct log_line *log, unsigned number, struct text_span digits);
bool log_set_f(struct log_line *log, unsigned number, struct text_span digits);
bool log_set_v(struct log_line *log, unsigned number, struct text_span digits);
// That the number of the x or f register which was set stands here, as line_columns.number.
void log_set_number(struct log_line *log, char file, const char *number);
// One that is stored under its name.
bool log_set_named(struct log_line *log, struct text_span name, struct text_span value);

// A record that says nothing here, of which nothing but its length matters.
bool log_set_nothing(struct log_line *log);

// Text of the program, which writes to the same output, or of whatever wrote the file. `is_record`:
// whether what would remain of the line is a record, whose beginning was cut, or whose place is
// behind a text without a line end.
bool log_read_other(struct log_line *log, bool (*is_record)(const char *start, const char *end));

// A word that a merge of files inserts for the hart of a file: "hart1 ", "trace_core_00000001 ".
// *number: its digits without leading zeros. NULL: none; otherwise what follows.
const char *log_skip_hart(const char *at, const char *end, struct text_span *number);

#endif
