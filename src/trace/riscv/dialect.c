#include "trace/riscv/dialect.h"

#include "base/limits.h"
#include "trace/riscv/spike.h"

#include <string.h>

// What a line shows of the dialect.
static uint32_t dialect_of_line(const char *start, const char *end, enum spike_line kind)
{
    const struct reading_options how = {.reading = READING_TRUE};
    struct line_context context = LINE_CONTEXT_START;
    struct line_columns columns = {.goes_on = true, .read_end = start};
    struct trace_line line = {0};
    struct text_fault fault;
    uint32_t dialect = kind == SPIKE_COMMIT ? RISCV_HAS_COMMITS : RISCV_HAS_INSTRUCTIONS;
    if (kind == SPIKE_INSTRUCTION && memmem(start, (size_t)(end - start), " DASM(", 6))
        dialect |= RISCV_IS_RTL;
    for (bool is_first = true; columns.goes_on; is_first = false) {
        if (!spike_study(columns.read_end, end, &how, &context, &line, &fault, &columns))
            return is_first ? 0 : dialect;
        if (is_first && kind == SPIKE_COMMIT && !line.cpu)
            dialect |= RISCV_HAS_NO_HARTS;
        const bool is_word = line.kind == LINE_REGISTER && line.reg.name.size_bytes == 4;
        const bool is_short_pc = is_first && line.instruction.isa == ISA_ARM;
        if (is_word || is_short_pc)
            dialect |= RISCV_IS_32;
    }
    return dialect;
}

// A line of a text that may be a log.
struct text_lines {
    const char *at, *end;
};

static bool next_line(struct text_lines *lines, const char **start, const char **end)
{
    const char *newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
    if (!newline)
        return false;
    *start = lines->at;
    *end = line_trim(lines->at, newline);
    lines->at = newline + 1;
    return true;
}

uint32_t riscv_dialect_of(const char *text, size_t size_bytes)
{
    struct text_lines lines = {text, text + size_bytes};
    const char *start, *end, *at;
    struct text_span hart;
    uint32_t dialect = 0;
    while (next_line(&lines, &start, &end)) {
        const enum spike_line kind = spike_line_of(start, end, &at, &hart);
        if (kind == SPIKE_COMMIT || kind == SPIKE_INSTRUCTION)
            dialect |= dialect_of_line(start, end, kind);
    }
    return dialect;
}

bool riscv_is_log(const char *text, size_t size_bytes)
{
    enum { PERCENT_MIN = 20 }; // the rest may be what the program writes to the same output
    struct text_lines lines = {text, text + size_bytes};
    const char *start, *end, *at;
    struct text_span hart;
    unsigned line_count = 0, matching = 0;
    while (line_count < LIMIT_FOREIGN_LINES && next_line(&lines, &start, &end)) {
        if (start == end)
            continue;
        const enum spike_line kind = spike_line_of(start, end, &at, &hart);
        line_count++;
        matching += (kind == SPIKE_COMMIT || kind == SPIKE_INSTRUCTION) &&
                    dialect_of_line(start, end, kind) != 0;
    }
    return matching && matching * 100 / line_count >= PERCENT_MIN;
}
