// The line reader: any bytes, line by line, in both readings. A refused line does not affect the
// next one, faults point into the line, and no byte after it is read. If a line fits the template
// of an earlier one, the result is that of the reader.
//
// Input: a byte of options, then lines.
#include "fuzz.h"

#include "same_line.h"
#include "trace/lines/whole_line.h"
#include "trace/tarmac/line_read.h"

#include "simd/text.inc"

#include "trace/lines/line_template_read.inc"

static void decode_register(const struct line_register *reg)
{
    uint8_t values[600], few[3];
    uint8_t effects[600], few_effects[3];
    size_t count = line_register_bytes(reg, values, effects, ARRAY_COUNT(values));
    size_t few_count = line_register_bytes(reg, few, few_effects, ARRAY_COUNT(few));
    CLAIM(few_count == count);
    // For a register that is only known by its name, the value determines its size.
    CLAIM(reg->size_bytes == 0 || reg->name.kind == REGISTER_OPEN_SIZE || reg->name.size_bytes ||
          reg->spelled);
    for (size_t i = 0; i < count && i < ARRAY_COUNT(few); i++)
        CLAIM(few_effects[i] == effects[i] && (!effects[i] || few[i] == values[i]));
    for (size_t i = 0; reg->is_plain && i < count && i < ARRAY_COUNT(values); i++)
        CLAIM(effects[i] == BYTE_KNOWN);
}

static void check_span(const char *start, const char *end, const char *from, const char *to)
{
    CLAIM(start <= from && from <= to && to <= end);
}

static void check_line(const struct trace_line *line, const char *start, const char *end)
{
    if (line->cpu)
        check_span(start, end, line->cpu, line->cpu + line->cpu_length);
    if (line->note != NOTE_NONE)
        check_span(start, end, line->note_subject.start, line->note_subject.end);
    switch (line->kind) {
    case LINE_INSTRUCTION:
        check_span(start, end, line->instruction.disassembly, end);
        CLAIM(line->looks_like_instruction);
        break;
    case LINE_REGISTER:
    case LINE_NAMED_REGISTER:
        if (line->reg.spelled)
            check_span(start, end, line->reg.spelled, line->reg.spelled + line->reg.spelled_length);
        check_span(start, end, line->reg.value_start, line->reg.value_end);
        decode_register(&line->reg);
        break;
    case LINE_DIAGRAM:
        check_span(start, end, line->diagram.words, line->diagram.words_end);
        break;
    case LINE_MEMORY:
    case LINE_EXCEPTION:
    case LINE_TEXT:
    case LINE_NOTHING:
        break;
    }
}

static void read_line(const char *text, size_t length, const struct reading_options *options,
                      struct line_context *context)
{
    char *copy = fuzz_copy(text, length);
    const char *end = copy ? line_trim(copy, copy + length) : copy;
    struct line_context before = *context;
    struct trace_line line;
    struct text_fault fault = {{0}, 0, 0};
    if (tarmac_line_read(copy, end, options, context, &line, &fault)) {
        check_line(&line, copy, end);
    } else {
        CLAIM(memchr(fault.text, 0, sizeof fault.text));
        CLAIM(fault.column <= length + (options->reading == READING_TTU ? 600 : 0));
        CLAIM(fault.length <= length);
        CLAIM(options->reading == READING_TTU || fault.column + fault.length <= length);
        CLAIM(before.time == context->time && before.address_column == context->address_column &&
              before.address_is_read == context->address_is_read);
    }
    free(copy);
}

static void check_template(const struct line_templates *templates, const char *start,
                           const char *newline, const struct reading_options *options,
                           const struct line_context *context)
{
    struct line_context by_template = *context, by_reader = *context;
    struct trace_line read, line;
    struct text_fault fault;
    const struct line_template *template = line_templates_find(templates, start, context, false);
    if (!template)
        return;
    const char *end = line_trim(start, newline);
    uint64_t time = line_template_time(template, start, &by_template);
    bool is_read = line_template_is_read(template, context);
    line_template_read(template, start, time, is_read, true, &read);
    line_template_pass_on(template, time, is_read, &by_template);
    CLAIM(tarmac_line_read(start, end, options, &by_reader, &line, &fault));
    CLAIM(is_same_line(&read, &line) && is_same_context(&by_template, &by_reader));
    CLAIM(!template->line_bytes ||
          (newline + 1 - start == template->line_bytes && end - start == template->text_bytes));
}

// Reads a line by a template, and learns its template.
static void read_by_template(struct line_templates *templates, const char *text, size_t length,
                             const struct reading_options *options,
                             const struct line_context *context)
{
    struct line_context behind = *context;
    struct trace_line line;
    struct text_fault fault;
    struct line_columns layout;
    char *copy = malloc(length + 1 + LINE_TEMPLATE_MARGIN_BYTES);
    CLAIM(copy);
    memset(copy, '\n', length + 1 + LINE_TEMPLATE_MARGIN_BYTES);
    memcpy(copy, text, length);
    const char *newline = copy + length;
    check_template(templates, copy, newline, options, context);
    if (tarmac_line_study(copy, line_trim(copy, newline), options, &behind, &line, &fault, &layout))
        line_templates_learn(templates, copy, newline, context, &line, &layout);
    free(copy);
}

static void read_lines(const char *text, size_t length, const struct reading_options *options)
{
    struct line_templates *templates = line_templates_new();
    CLAIM(templates);
    struct line_context context = LINE_CONTEXT_START;
    const char *end = text + length;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *line_end = newline ? newline : end;
        read_by_template(templates, text, (size_t)(line_end - text), options, &context);
        read_line(text, (size_t)(line_end - text), options, &context);
        text = line_end + (newline != NULL);
    }
    free(templates);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    if (size_bytes == 0)
        return 0;
    struct reading_options options = {.implicit_state =
                                          data[0] & 1 ? STATE_IS_THUMB : STATE_IS_WRITTEN};
    for (enum reading reading = READING_TRUE; reading <= READING_TTU; reading++) {
        options.reading = reading;
        read_lines((const char *)data + 1, size_bytes - 1, &options);
    }
    return 0;
}
