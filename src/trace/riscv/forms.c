#include "trace/riscv/forms.h"

#include "arch/riscv/control.h"
#include "arch/riscv/registers.h"
#include "base/limits.h"
#include "trace/riscv/dv_csv.h"
#include "trace/riscv/ibex.h"
#include "trace/riscv/rvvi.h"
#include "trace/riscv/sail.h"
#include "trace/riscv/spike.h"

#include <limits.h>
#include <string.h>

const struct riscv_form riscv_forms[RISCV_FORM_COUNT] = {
    [RISCV_FORM_SPIKE] = {.is_record = spike_is_record,
                          .begins_event = spike_begins_event,
                          .study = spike_study,
                          .value = spike_value},
    [RISCV_FORM_SAIL] = {.text = "as the emulator of the Sail model writes it",
                         .is_record = sail_is_record,
                         .begins_event = sail_begins_event,
                         .study = sail_study},
    [RISCV_FORM_RVVI] = {.text = "RVVI-TEXT",
                         .is_record = rvvi_is_record,
                         .begins_event = rvvi_begins_event,
                         .study = rvvi_study,
                         .value = rvvi_value,
                         .hides_direction = true},
    [RISCV_FORM_IBEX] = {.text = "as the tracers of Ibex and CV32E40P write it",
                         .is_record = ibex_is_record,
                         .begins_event = ibex_begins_event,
                         .study = ibex_study,
                         .value = ibex_value,
                         .row = RISCV_TIMED,
                         .hides_direction = true},
    [RISCV_FORM_DV_CSV] = {.text = "a table of riscv-dv",
                           .is_record = dv_csv_is_record,
                           .begins_event = dv_csv_begins_event,
                           .study = dv_csv_study,
                           .row = RISCV_FOR_COMPARISON},
};

bool riscv_study(const char *start, const char *end, const struct reading_options *how,
                 struct line_context *context, struct trace_line *line, struct text_fault *fault,
                 struct line_columns *columns)
{
    return riscv_form_of(how->dialect)->study(start, end, how, context, line, fault, columns);
}

// --- What a log shows of itself ------------------------------------------------------------------

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

// What the code of an instruction shows: some exist only with 64 bits (of OP-IMM-32 and OP-32, ld,
// lwu, sd).
static uint32_t width_of_code(const struct line_instruction *instruction)
{
    const uint32_t code = instruction->encoding, opcode = code & 0x7f, kind = code >> 12 & 7;
    if (riscv_size_bytes(code) == 2)
        return (code & 0xe003) == 0x2001 ? RISCV_NEEDS_WIDTH : 0;
    const bool is_64 = opcode == 0x1b || opcode == 0x3b ||
                       (opcode == 0x03 && (kind == 3 || kind == 6)) ||
                       (opcode == 0x23 && kind == 3);
    return is_64 ? RISCV_IS_64 : 0;
}

// What a line shows of the dialect.
static uint32_t dialect_of_line(const char *start, const char *end, enum riscv_form_number form)
{
    const struct reading_options how = {.reading = READING_TRUE,
                                        .dialect = (uint32_t)form << RISCV_FORM_SHIFT};
    struct line_context context = LINE_CONTEXT_START;
    struct line_columns columns = {.goes_on = true, .read_end = start};
    struct trace_line line = {0};
    struct text_fault fault;
    uint32_t dialect = 0;
    for (bool is_first = true; columns.goes_on; is_first = false) {
        if (!riscv_study(columns.read_end, end, &how, &context, &line, &fault, &columns))
            return is_first ? 0 : dialect;
        if (is_first)
            dialect |=
                form == RISCV_FORM_SPIKE ? spike_dialect_of(start, end, &line) : RISCV_HAS_COMMITS;
        if (line.kind == LINE_INSTRUCTION)
            dialect |= width_of_code(&line.instruction) |
                       (columns.address.end - columns.address.start == 8 ? RISCV_IS_32 : 0);
        if (line.kind == LINE_REGISTER && line.reg.name.kind == REGISTER_ORDINARY &&
            line.reg.name.offset < RISCV_OFFSET_F)
            dialect |= line.reg.value_end - line.reg.value_start == 8 ? RISCV_IS_32 : RISCV_IS_64;
    }
    return dialect;
}

#define ALL_ROWS UINT_MAX

// Of the forms of these rows (a bit for each), that with the most records in the text.
static enum riscv_form_number form_of(const char *text, size_t size_bytes, unsigned rows,
                                      unsigned *percent)
{
    struct text_lines lines = {text, text + size_bytes};
    const char *start, *end;
    unsigned count = 0, matching[RISCV_FORM_COUNT] = {0};
    enum riscv_form_number most = RISCV_FORM_SPIKE;
    while (count < LIMIT_UNKNOWN_LINES && next_line(&lines, &start, &end)) {
        if (start == end)
            continue;
        count++;
        for (size_t i = 0; i < RISCV_FORM_COUNT; i++)
            matching[i] += (rows >> riscv_forms[i].row & 1) && riscv_forms[i].is_record(start, end);
    }
    for (enum riscv_form_number i = RISCV_FORM_SPIKE; i < RISCV_FORM_COUNT; i++)
        most = matching[i] > matching[most] ? i : most;
    *percent = count ? matching[most] * 100 / count : 0;
    return most;
}

uint32_t riscv_dialect_of(const char *text, size_t size_bytes)
{
    struct text_lines lines = {text, text + size_bytes};
    const char *start, *end;
    unsigned percent;
    const enum riscv_form_number form = form_of(text, size_bytes, ALL_ROWS, &percent);
    uint32_t dialect = 0, stated = 0;
    while (next_line(&lines, &start, &end)) {
        if (riscv_forms[form].is_record(start, end))
            dialect |= dialect_of_line(start, end, form);
        if (form == RISCV_FORM_RVVI)
            stated |= rvvi_width_of(start, end);
    }
    if (stated) // digits may be left out
        dialect = (dialect & ~(uint32_t)(RISCV_IS_32 | RISCV_IS_64)) | stated;
    if (dialect & RISCV_IS_32) // of the registers of F with D, and PCs that extend the sign
        dialect &= ~(uint32_t)RISCV_IS_64;
    return dialect | (uint32_t)form << RISCV_FORM_SHIFT;
}

bool riscv_is_log(const char *text, size_t size_bytes, enum riscv_row row)
{
    enum { PERCENT_MIN = 20 }; // the rest may be what the program writes to the same output
    unsigned percent;
    form_of(text, size_bytes, 1u << row, &percent); // most texts have no form of any row
    if (percent < PERCENT_MIN)
        return false;
    const enum riscv_form_number form = form_of(text, size_bytes, ALL_ROWS, &percent);
    struct text_lines lines = {text, text + size_bytes};
    const char *start, *end;
    if (riscv_forms[form].row != row)
        return false;
    while (next_line(&lines, &start, &end)) {
        if (riscv_forms[form].begins_event(0, start, end) && dialect_of_line(start, end, form))
            return true;
    }
    return false;
}
