// tfile series: what was collected, frame by frame, as columns, as a plot, or as counters of a time
// line.
//
// Rows are made in parallel, some thousand frames to a worker, and written in order.
#include "base/limits.h"
#include "base/thread.h"
#include "cmd/driver.h"
#include "cmd/tfile/commands.h"
#include "report/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES_AT_ONCE = 1024 };

enum format { FORMAT_CSV, FORMAT_JSON, FORMAT_SVG, FORMAT_CHROME };

struct series_command {
    struct command common;
    enum format format;
    VEC(, const char *) texts;
    struct tfile_series_list list;
    struct typed typed; // of expressions of C
    bool has_typed;
    struct out prefixes;  // the text before each cell, each with a NUL
    struct out *rows;     // of each current item
    uint64_t first_frame; // of the first of these items
};

// --- Cells ---------------------------------------------------------------------------------------

static void put_value(struct out *out, const struct tfile_series *series, uint64_t value,
                      bool is_json)
{
    char text[40];
    double number;
    int64_t whole;
    switch (series->form) {
    case TFILE_SERIES_UNSIGNED:
        out_u64(out, value);
        break;
    case TFILE_SERIES_SIGNED:
        whole = tfile_value_signed(value, series->size_bytes);
        out_text(out, whole < 0 ? "-" : "");
        out_u64(out, whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole);
        break;
    case TFILE_SERIES_FLOAT:
        number = tfile_value_float(value, series->size_bytes);
        // JSON has no infinities and no NaN.
        is_json = is_json && !(number - number == 0);
        snprintf(text, sizeof text, is_json ? "\"%.*g\"" : "%.*g", series->size_bytes == 4 ? 9 : 17,
                 number);
        out_text(out, text);
        break;
    default:
        out_text(out, is_json ? "\"0x" : "0x");
        out_hex(out, value, 1);
        out_text(out, is_json ? "\"" : "");
    }
}

// A large register is written as a number, as elsewhere; memory as bytes in order.
static void put_bytes(struct out *out, const struct tfile *file, const struct tfile_series *series,
                      const uint8_t *bytes, bool is_json)
{
    static const char digits[] = "0123456789abcdef";
    bool is_number = series->kind == TFILE_SERIES_REGISTER;
    bool is_reversed = is_number && !file->is_big_endian;
    out_text(out, is_json ? "\"" : "");
    out_text(out, is_number ? "0x" : "");
    for (size_t i = 0; i < series->size_bytes; i++) {
        uint8_t byte = bytes[is_reversed ? series->size_bytes - 1 - i : i];
        char *room = out_room(out, 2);
        room[0] = digits[byte >> 4];
        room[1] = digits[byte & 15];
        out_commit(out, 2);
    }
    out_text(out, is_json ? "\"" : "");
}

// --- Expressions of C ----------------------------------------------------------------------------

// The value at one frame: its text, and whether it is a number.
struct typed_cell {
    struct out *out; // NULL: only the number is wanted
    bool is_json, is_there, is_number;
    double number;
};

// What follows the type that stands before a pointer: (int *) 0x7000.
static const char *after_type(const char *text)
{
    unsigned depth = 0;
    for (const char *at = text; *text == '(' && *at; at++) {
        depth += *at == '(';
        depth -= *at == ')';
        if (!depth)
            return at[1] == ' ' ? at + 2 : text;
    }
    return text;
}

// Text of a scalar as a number: 12, -3.5, 0x40, 65 'A', (int *) 0x7000, true. *is_plain: it is
// written as a number everywhere is.
static bool take_number(const char *text, double *number, bool *is_plain)
{
    char *end;
    const char *start = after_type(text);
    bool is_truth = strcmp(text, "true") == 0;
    *number = strtod(start, &end);
    *is_plain = end > start && *end == 0 && start == text && strncmp(text, "0x", 2) != 0 &&
                *number - *number == 0;
    if (is_truth || strcmp(text, "false") == 0) {
        *number = is_truth;
        return true;
    }
    return end > start && (*end == 0 || *end == ' ');
}

static void take_cell(void *self, const struct debug_value_text *value)
{
    struct typed_cell *cell = self;
    bool is_plain;
    cell->is_there = *after_type(value->value) != '<'; // <unavailable>, <optimized out>
    cell->is_number = cell->is_there && take_number(value->value, &cell->number, &is_plain);
    if (!cell->is_there || !cell->out)
        return;
    if (!cell->is_json) {
        csv_field(cell->out, value->value);
    } else if (is_plain) {
        out_text(cell->out, value->value);
    } else {
        struct json json;
        json_begin(&json, cell->out, 0);
        json_text(&json, value->value);
    }
}

static enum status typed_cell(struct series_command *command, const struct tfile_frame *frame,
                              const struct tfile_series *series, struct typed_cell *cell,
                              struct error *err)
{
    const struct debug_sink sink = {cell, take_cell};
    return typed_expression(&command->typed, &command->common, frame, series->name, &sink, err);
}

// Whether the expression has a meaning in any frame: if it has none, the reason of the first one is
// the answer. A value that a frame has not collected is one.
static enum status check_typed(struct series_command *command, const struct tfile_series *series,
                               struct error *err)
{
    const struct tfile *file = tfile_file(&command->common);
    enum status first = STATUS_OK;
    for (uint64_t i = 0; i < file->frames.count; i++) {
        struct typed_cell cell = {0};
        struct error why;
        if (!tfile_wants_frame(&command->common, i))
            continue;
        enum status status = typed_cell(command, &file->frames.items[i], series, &cell, &why);
        if (status == STATUS_OK || why.text[0] == '<') // <unavailable>: it is known what it means
            return STATUS_OK;
        if (!first || status == STATUS_MEMORY)
            *err = why;
        if (status == STATUS_MEMORY)
            return status;
        first = first ? first : status;
    }
    return first;
}

// --- Rows ----------------------------------------------------------------------------------------

static void put_row(struct series_command *command, struct out *out, uint64_t number)
{
    const struct tfile *file = tfile_file(&command->common);
    const struct tfile_frame *frame = &file->frames.items[number];
    const uint8_t *registers = tfile_frame_registers(file, frame);
    const char *prefix = command->prefixes.buffer;
    bool is_json = command->format == FORMAT_JSON;
    out_text(out, is_json ? "  {\"frame\": " : "");
    out_u64(out, number);
    out_text(out, is_json ? ", \"tracepoint\": " : ",");
    out_u64(out, frame->number);
    for (size_t i = 0; i < command->list.items.count; i++) {
        const struct tfile_series *series = &command->list.items.items[i];
        uint8_t bytes[LIMIT_SERIES_BYTES];
        uint64_t value;
        size_t length = strlen(prefix);
        out_bytes(out, prefix, length);
        prefix += length + 1;
        if (series->kind == TFILE_SERIES_TYPED) {
            struct typed_cell cell = {.out = out, .is_json = is_json};
            struct error ignored; // a name that is not known here has no value here
            typed_cell(command, frame, series, &cell, &ignored);
            out_text(out, !cell.is_there && is_json ? "null" : "");
        } else if (series->form == TFILE_SERIES_BYTES
                       ? tfile_series_bytes(file, frame, registers, series, bytes)
                       : tfile_series_value(file, frame, registers, series, &value)) {
            if (series->form == TFILE_SERIES_BYTES)
                put_bytes(out, file, series, bytes, is_json);
            else
                put_value(out, series, value, is_json);
        } else {
            out_text(out, is_json ? "null" : "");
        }
    }
    out_text(out, is_json ? "},\n" : "\n");
}

static bool put_some(void *self, unsigned worker, uint64_t item)
{
    struct series_command *command = self;
    (void)worker;
    uint64_t first = command->first_frame + item * FRAMES_AT_ONCE;
    uint64_t end = u64_min(first + FRAMES_AT_ONCE, tfile_file(&command->common)->frames.count);
    out_clear(&command->rows[item]);
    for (uint64_t i = first; i < end; i++) {
        if (tfile_wants_frame(&command->common, i))
            put_row(command, &command->rows[item], i);
    }
    return true;
}

static void put_rows(struct series_command *command, struct out *out)
{
    uint64_t frames = tfile_file(&command->common)->frames.count;
    // Names and debugging information are shared.
    unsigned threads = command->common.session.filter.function || command->has_typed
                           ? 1
                           : command->common.session.threads;
    bool has_comma = false;
    for (command->first_frame = 0; command->first_frame < frames && !out_failed(out);
         command->first_frame += (uint64_t)threads * FRAMES_AT_ONCE) {
        uint64_t left = frames - command->first_frame;
        uint64_t items = u64_min((left + FRAMES_AT_ONCE - 1) / FRAMES_AT_ONCE, threads);
        parallel_run(threads, items, command, put_some);
        for (uint64_t i = 0; i < items; i++) {
            // Writes the rows of an item; *has_comma: a comma is due before the next row.
            struct out *rows = &command->rows[i];
            size_t length = rows->used_bytes;
            bool is_json = command->format == FORMAT_JSON;
            if (out_failed(rows))
                out->error_number = rows->error_number;
            if (length) {
                if (has_comma)
                    out_text(out, ",\n");
                out_bytes(out, out_memory_text(rows), is_json ? length - 2 : length);
                has_comma = is_json;
            }
        }
    }
    if (has_comma)
        out_byte(out, '\n');
}

static enum status write_rows(struct series_command *command, struct out *out, struct error *err)
{
    unsigned threads = command->common.session.threads, opened = 0;
    enum status status = out_open_memory(&command->prefixes, err);
    if (status != STATUS_OK)
        return status;
    command->rows = calloc(threads, sizeof *command->rows);
    if (!command->rows)
        status = error_set(err, STATUS_MEMORY, "no memory");
    while (status == STATUS_OK && opened < threads) {
        status = out_open_memory(&command->rows[opened], err);
        opened += status == STATUS_OK;
    }
    if (status == STATUS_OK) {
        // Writes the heading of CSV, and makes the text before each cell.
        bool is_json = command->format == FORMAT_JSON;
        struct json json;
        out_text(out, is_json ? "[\n" : "frame,tracepoint");
        for (size_t i = 0; i < command->list.items.count; i++) {
            const char *name = command->list.items.items[i].name;
            if (!is_json) {
                out_byte(out, ',');
                csv_field(out, name);
            }
            out_text(&command->prefixes, is_json ? ", " : ",");
            if (is_json) {
                json_begin(&json, &command->prefixes, 0);
                json_text(&json, name);
                out_text(&command->prefixes, ": ");
            }
            out_byte(&command->prefixes, '\0');
        }
        out_memory_text(&command->prefixes);
        out_text(out, is_json ? "" : "\n");
        put_rows(command, out);
        out_text(out, command->format == FORMAT_JSON ? "]\n" : "");
    }
    while (opened)
        out_abandon(&command->rows[--opened]);
    free(command->rows);
    out_abandon(&command->prefixes);
    return status;
}

// --- The plot ------------------------------------------------------------------------------------

// Whether one value is less than another. Only numbers are compared.
static bool is_less(const struct tfile_series *series, uint64_t a, uint64_t b)
{
    if (series->form == TFILE_SERIES_FLOAT)
        return tfile_value_float(a, series->size_bytes) < tfile_value_float(b, series->size_bytes);
    if (series->form == TFILE_SERIES_SIGNED)
        return tfile_value_signed(a, series->size_bytes) <
               tfile_value_signed(b, series->size_bytes);
    return a < b;
}

// Where a value is drawn. Whole numbers count from the first one, because large ones, such as
// addresses, are too close to each other for a double.
static double height_of(const struct tfile_series *series, uint64_t value, uint64_t first)
{
    if (series->form == TFILE_SERIES_FLOAT)
        return tfile_value_float(value, series->size_bytes);
    if (series->form == TFILE_SERIES_SIGNED) {
        value = (uint64_t)tfile_value_signed(value, series->size_bytes);
        first = (uint64_t)tfile_value_signed(first, series->size_bytes);
    }
    return is_less(series, value, first) ? -(double)(first - value) : (double)(value - first);
}

// A value at the edge of a panel, with a NUL.
static void put_label(struct out *out, const struct tfile_series *series, uint64_t value)
{
    char text[40];
    if (series->form == TFILE_SERIES_FLOAT) {
        snprintf(text, sizeof text, "%.10g", tfile_value_float(value, series->size_bytes));
        out_text(out, text);
    } else {
        put_value(out, series, value, false);
    }
    out_byte(out, '\0');
}

// A value to be drawn. False: none.
static bool value_at(struct series_command *command, const struct tfile_frame *frame,
                     const struct tfile_series *series, uint64_t *value)
{
    const struct tfile *file = tfile_file(&command->common);
    struct typed_cell cell = {0};
    struct error ignored;
    if (series->kind != TFILE_SERIES_TYPED)
        return tfile_series_value(file, frame, tfile_frame_registers(file, frame), series, value);
    typed_cell(command, frame, series, &cell, &ignored);
    memcpy(value, &cell.number, sizeof *value);
    return cell.is_number;
}

static enum status put_panel(struct series_command *command, const struct tfile_series *series,
                             struct plot_svg *svg, struct error *err)
{
    const struct tfile *file = tfile_file(&command->common);
    uint64_t low = 0, high = 0, first = 0, value;
    bool has_values = false;
    struct out texts; // of the lowest and the highest value
    enum status status = out_open_memory(&texts, err);
    if (status != STATUS_OK)
        return status;
    plot_svg_panel(svg, series->name);
    for (uint64_t number = svg->start; number < svg->end && number < file->frames.count; number++) {
        const struct tfile_frame *frame = &file->frames.items[number];
        if (!tfile_wants_frame(&command->common, number))
            continue;
        if (!value_at(command, frame, series, &value)) {
            plot_svg_gap(svg);
            continue;
        }
        double height = height_of(series, value, has_values ? first : value);
        plot_svg_point(svg, number, height);
        if (!(height - height == 0)) // infinite, or not a number
            continue;
        if (!has_values)
            low = high = first = value;
        has_values = true;
        if (is_less(series, value, low))
            low = value;
        if (is_less(series, high, value))
            high = value;
    }
    put_label(&texts, series, low);
    size_t length = texts.used_bytes;
    put_label(&texts, series, high);
    const char *text = out_memory_text(&texts);
    plot_svg_panel_end(svg, text, text + length);
    out_abandon(&texts);
    return STATUS_OK;
}

static enum status plot(struct series_command *command, struct out *out, struct error *err)
{
    const struct tfile *file = tfile_file(&command->common);
    struct plot_svg svg;
    size_t panels = 0;
    for (size_t i = 0; i < command->list.items.count; i++)
        panels += command->list.items.items[i].form != TFILE_SERIES_BYTES;
    const struct call_range *range = &command->common.session.filter.range;
    uint64_t first = u64_min(range->first_event, file->frames.count);
    uint64_t end =
        range->last_event < file->frames.count ? range->last_event + 1 : file->frames.count;
    enum status status = STATUS_OK;
    plot_svg_begin(&svg, out, panels, "frame", first, u64_max(end, first));
    for (size_t i = 0; i < command->list.items.count && status == STATUS_OK; i++) {
        const struct tfile_series *series = &command->list.items.items[i];
        if (series->form != TFILE_SERIES_BYTES)
            status = put_panel(command, series, &svg, err);
    }
    plot_svg_end(&svg);
    return status;
}

// --- The command ---------------------------------------------------------------------------------

// --- The time line -------------------------------------------------------------------------------

// Writes a frame as an instant, and its values as counters; `time` in microseconds.
static void put_counters(struct series_command *command, struct out *out, uint64_t number,
                         int64_t time)
{
    const struct tfile_frame *frame = &tfile_file(&command->common)->frames.items[number];
    out_format(out,
               ",\n{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"s\":\"p\",\"ts\":%" PRId64
               ",\"name\":\"tp%u\",\"args\":{\"frame\":%" PRIu64 "}}",
               time, frame->number, number);
    for (size_t i = 0; i < command->list.items.count; i++) {
        struct tfile_series series = command->list.items.items[i];
        uint64_t value;
        double real;
        if (series.form == TFILE_SERIES_BYTES || !value_at(command, frame, &series, &value))
            continue;
        bool is_real = series.kind == TFILE_SERIES_TYPED || series.form == TFILE_SERIES_FLOAT;
        if (series.kind == TFILE_SERIES_TYPED)
            memcpy(&real, &value, sizeof real);
        else
            real = tfile_value_float(value, series.size_bytes);
        if (is_real && !(real - real == 0)) // JSON has no infinities and no NaN
            continue;
        out_format(out, ",\n{\"ph\":\"C\",\"pid\":1,\"ts\":%" PRId64 ",\"name\":", time);
        struct json json;
        json_begin(&json, out, 0);
        json_text(&json, series.name);
        out_text(out, ",\"args\":{\"value\":");
        if (is_real)
            out_format(out, "%.17g", real);
        else {
            series.form = series.form == TFILE_SERIES_HEX ? TFILE_SERIES_UNSIGNED : series.form;
            put_value(out, &series, value, true);
        }
        out_text(out, "}}");
    }
}

// For viewers of Chrome's trace events: at the time that frames collected, or else at the number of
// each frame.
static void put_time_line(struct series_command *command, struct out *out)
{
    const struct tfile *file = tfile_file(&command->common);
    const char *name = "trace_timestamp";
    const struct tfile_variable *clock = tfile_variable_named(file, name, strlen(name));
    uint64_t timeless = 0, timed = 0;
    int64_t time;
    for (uint64_t i = 0; i < file->frames.count && clock; i++) {
        if (tfile_wants_frame(&command->common, i))
            timed += tfile_frame_variable(file, &file->frames.items[i], clock->number, &time);
    }
    out_text(out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,"
                  "\"name\":\"process_name\",\"args\":{\"name\":\"tracepoints\"}}");
    for (uint64_t i = 0; i < file->frames.count && !out_failed(out); i++) {
        if (!tfile_wants_frame(&command->common, i))
            continue;
        time = (int64_t)i;
        if (timed && !tfile_frame_variable(file, &file->frames.items[i], clock->number, &time)) {
            timeless++;
            continue;
        }
        put_counters(command, out, i, time);
    }
    out_text(out, "\n]}\n");
    if (timeless)
        diag_warning(&command->common.diag,
                     "%s: frames without $trace_timestamp, left out: %" PRIu64,
                     command->common.session.path, timeless);
}

static bool report(void *self)
{
    struct series_command *command = self;
    struct command *common = &command->common;
    struct error err;
    if (!tfile_is_open(common))
        return false;
    struct tfile_names names = {tfile_file(common), &common->session.names.images};
    for (size_t i = 0; i < command->texts.count; i++) {
        const char *text = command->texts.items[i];
        if (tfile_series_add(&command->list, &names, text, &err) != STATUS_OK)
            return command_fail_with(common, err.status, "'%.200s': %.240s", text, err.text);
    }
    for (size_t i = 0; i < command->list.items.count; i++) {
        const struct tfile_series *series = &command->list.items.items[i];
        if (series->kind != TFILE_SERIES_TYPED)
            continue;
        command->has_typed = true;
        if (check_typed(command, series, &err) != STATUS_OK)
            return command_fail_with(common, err.status, "'%.200s': %.240s", series->name,
                                     err.text);
    }
    if (!command_output(common))
        return false;
    enum status result = STATUS_OK;
    if (command->format == FORMAT_CHROME)
        put_time_line(command, &common->out);
    else
        result = command->format == FORMAT_SVG ? plot(command, &common->out, &err)
                                               : write_rows(command, &common->out, &err);
    return result == STATUS_OK || command_fail(common, &err);
}

// The format of --format, otherwise by the suffix of the output.
static bool check(void *self, struct options_parser *parser)
{
    struct series_command *command = self;
    static const char *const names[] = {
        [FORMAT_CSV] = "csv",
        [FORMAT_JSON] = "json",
        [FORMAT_SVG] = "svg",
        [FORMAT_CHROME] = "chrome",
    };
    const char *output = command->common.output, *format = command->common.format;
    const char *dot = output ? strrchr(output, '.') : NULL;
    const char *name = format ? format : dot ? dot + 1 : "csv";
    for (unsigned i = 0; i < ARRAY_COUNT(names); i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        command->format = (enum format)i;
        return true;
    }
    if (format)
        options_error(parser, "'--format': '%s': expected csv, json, svg or chrome", format);
    return !format;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct series_command *command = self;
    (void)option;
    if (!VEC_ROOM(&command->texts, 1))
        return options_no_memory(parser);
    command->texts.items[command->texts.count++] = match->value;
    return OPTION_END;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct series_command command = {0};
    tfile_begin(&command.common, self);
    enum exit_status status = command_run(&command.common, argc, argv,
                                          &(struct command_steps){&command, take, check, report});
    if (command.typed.command)
        typed_free(&command.typed);
    tfile_series_free(&command.list);
    free(command.texts.items);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_FORMAT, 0, "format", "FORMAT",
     "csv, json, svg, a plot, or chrome, counters over time for ui.perfetto.dev (default: what the "
     "name of the output ends with, else csv)"},
    {0},
};

const struct command_spec tfile_series_command = {
    .name = "tfile series",
    .option_set = OPTIONS_TRAWL,
    .summary = "registers, variables and memory of all frames, as CSV, JSON, a plot or a time line",
    .description =
        "Prints a row for each frame with a column for each EXPR: a register (rax, pc, sp), a "
        "trace state variable (trace_timestamp), memory as ADDR:TYPE, 'registers' or "
        "'all-registers'. ADDR is a number, a symbol, or an expression of registers and symbols, "
        "with the registers of each frame. TYPE is u8 to u64, i8 to i64, x8 to x64 (hexadecimal), "
        "f32, f64 or bytes[N]. With --image, any other EXPR is one of C, as 'tfile show' has them "
        "(ring[1].pos.x, *head, an argument or a local variable), with the variables of each "
        "frame's function. What was not collected is left empty. In a time line, a frame is at its "
        "$trace_timestamp, in microseconds, or, if no frame has that, at its number.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to show", tfile_filter_options},
                                            {"how to read the file", tfile_read_options},
                                            {"how to run", tfile_run_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){
            {"TRACE", "trace file of GDB; - for standard input", NULL, false, false},
            {"EXPR", "what to show", NULL, false, true},
            {0}},
    .examples = "trawl tfile series run.tf trace_timestamp rsp 'rsp+8:u64'\n"
                "trawl tfile series --image walk run.tf depth total\n"
                "trawl tfile series --image prog -o run.svg run.tf counter:u32\n"
                "trawl tfile series --image prog --format chrome -o run.json run.tf queue.length\n",
    .alternatives = trace_alternatives,
    .run = run,
};
