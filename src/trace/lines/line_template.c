// Makes a line the pattern of others; line_template.h explains why this is possible.
#include "trace/lines/line_template.h"

#include "simd/text.h"

#include "base/characters.h"

#include <stdlib.h>

// Lines that are learned before a pause (line_templates_rest).
#define LEARNED_MAX 4096

// After so many lines whose record word begins in another column than the key, the key moves there.
#define KEY_MISSES_MAX 16

struct pattern {
    struct line_template *template;
    const char *start;
};

static size_t column_of(const struct pattern *pattern, const char *at)
{
    return (size_t)(at - pattern->start);
}

static void set_decimal(struct pattern *pattern, struct text_span span)
{
    for (const char *at = span.start; at < span.end; at++)
        text_pattern_set(&pattern->template->columns, column_of(pattern, at), '0', 9, false);
}

// The digits of the span may change; the characters between them may not.
static void set_hex(struct pattern *pattern, struct text_span span)
{
    for (const char *at = span.start; at < span.end; at++) {
        if (line_char_classes[(uint8_t)*at] & CHAR_HEX)
            text_pattern_set(&pattern->template->columns, column_of(pattern, at), '0', 9, true);
    }
}

static struct template_digits digits_of(const struct pattern *pattern, struct text_span span)
{
    return (struct template_digits){(uint8_t)column_of(pattern, span.start),
                                    (uint8_t)(span.end - span.start)};
}

static void set_span(struct pattern *pattern, size_t which, struct text_span span)
{
    pattern->template->span_columns[which][0] = (uint8_t)column_of(pattern, span.start);
    pattern->template->span_columns[which][1] = (uint8_t)column_of(pattern, span.end);
}

// A disassembly that begins with any letter of the same case.
static bool set_text(struct pattern *pattern, const char *text)
{
    char first = *text;
    bool is_upper = is_capital(first), is_lower = is_small(first);
    if (is_upper || is_lower)
        text_pattern_set(&pattern->template->columns, column_of(pattern, text),
                         is_upper ? 'A' : 'a', 25, false);
    set_span(pattern, 0, (struct text_span){text, text});
    return is_upper || is_lower;
}

// Text in which most characters do not matter.
static bool set_any_text(struct pattern *pattern, const struct line_columns *layout)
{
    const char *from = layout->text.start, *to = layout->text.end;
    set_span(pattern, 0, (struct text_span){from, from});
    if (to - from < 2)
        return false;
    const bool is_exact = layout->text_tells_size && from[1] == '.';
    for (const char *at = from + (is_exact ? 2 : 0); at < to; at++) {
        if (column_of(pattern, at) < pattern->template->compared_bytes)
            text_pattern_set(&pattern->template->columns, column_of(pattern, at), ' ', '~' - ' ',
                             false);
    }
    if (!layout->text_tells_size || is_exact)
        return true;
    const bool is_upper = is_capital(from[1]), is_lower = is_small(from[1]);
    text_pattern_set(&pattern->template->columns, column_of(pattern, from + 1),
                     is_upper ? 'A' : 'a', 25, false);
    return is_upper || is_lower;
}

static bool is_regular_drawing(const struct line_diagram *diagram)
{
    if (diagram->words_end - diagram->words != LINE_TEMPLATE_DRAWING_BYTES)
        return false;
    for (const char *at = diagram->words; at < diagram->words_end; at++) {
        bool is_blank = (at - diagram->words) % 9 == 8;
        if (is_blank != (*at == ' ') || *at == '#')
            return false;
    }
    return true;
}

static bool set_drawing(struct pattern *pattern, const struct line_diagram *diagram)
{
    if (!is_regular_drawing(diagram))
        return false;
    for (const char *at = diagram->words; at < diagram->words_end; at++) {
        if (*at != ' ')
            text_pattern_set(&pattern->template->columns, column_of(pattern, at), '.', '9' - '.',
                             true);
    }
    set_span(pattern, 0, (struct text_span){diagram->words, diagram->words_end});
    pattern->template->doubt = TEMPLATE_HAS_DRAWING;
    return true;
}

static bool is_written_ccfail(const struct trace_line *line)
{
    return !line->instruction.executed && line->instruction.fetched;
}

// Sets what depends on the digits in the line's rule.
static bool set_record(struct pattern *pattern, const struct trace_line *line,
                       const struct line_columns *layout)
{
    switch (line->kind) {
    case LINE_INSTRUCTION:
        if (layout->type && *layout->type == 'E' && !is_written_ccfail(line))
            pattern->template->doubt = TEMPLATE_MAY_FAIL;
        if (layout->size_digit) {
            pattern->template->doubt = TEMPLATE_HAS_SIZE;
            pattern->template->size_column = (uint8_t)column_of(pattern, layout->size_digit);
        }
        if (layout->has_no_text)
            set_span(
                pattern, 0,
                (struct text_span){line->instruction.disassembly, line->instruction.disassembly});
        if (layout->text.start)
            return set_any_text(pattern, layout);
        return layout->has_no_text || set_text(pattern, line->instruction.disassembly);
    case LINE_REGISTER:
    case LINE_NAMED_REGISTER: {
        struct text_span value = {line->reg.value_start, line->reg.value_end};
        set_hex(pattern, value);
        set_span(pattern, 0, value);
        pattern->template->name_column =
            line->reg.spelled ? (uint8_t)column_of(pattern, line->reg.spelled) : 0;
        return true;
    }
    case LINE_MEMORY:
        if (line->memory.is_known)
            set_hex(pattern, line->memory.value);
        set_hex(pattern, line->memory.second);
        if (layout->physical.start)
            pattern->template->world =
                (line->memory.address + line->memory.to_place) ^
                hex_sixteen(layout->physical.start,
                            (size_t)(layout->physical.end - layout->physical.start));
        set_span(pattern, 0, line->memory.value);
        set_span(pattern, 1, line->memory.second);
        return true;
    case LINE_DIAGRAM:
        return set_drawing(pattern, &line->diagram);
    case LINE_NOTHING:
    case LINE_EXCEPTION:
    case LINE_TEXT:
        return true;
    }
    return false;
}

// Accepts the numbers of other registers that are read alike: as many as a range for each of the
// two characters can tell from the rest.
static void set_register_number(struct pattern *pattern, const struct line_columns *layout)
{
    const struct register_cells *cells = layout->cells;
    const bool is_short = layout->number[1] == ' ';
    const unsigned number = line_register_number(layout->number),
                   first = is_short ? 0 : number - number % 10,
                   behind = is_short ? 10 : (unsigned)u64_min(first + 10, ARRAY_COUNT(cells->of));
    unsigned low = number, high = number;
    while (low > first && cells->of[low - 1])
        low--;
    while (high + 1 < behind && cells->of[high + 1])
        high++;
    text_pattern_set(&pattern->template->columns, column_of(pattern, layout->number + !is_short),
                     (uint8_t)('0' + low % 10), (uint8_t)(high - low), false);
    pattern->template->cells = cells;
    pattern->template->number_column = (uint8_t)column_of(pattern, layout->number);
}

static bool set_numbers(struct pattern *pattern, const struct line_columns *layout)
{
    const struct text_span time = layout->time, encoding = layout->encoding;
    if (time.end - time.start > 16)
        return false;
    if (time.start) {
        set_decimal(pattern, time);
        pattern->template->time = digits_of(pattern, time);
        pattern->template->time_scale = layout->time_scale;
        pattern->template->is_counter = layout->is_counter;
    }
    if (layout->address.start) {
        set_hex(pattern, layout->address);
        pattern->template->address = digits_of(pattern, layout->address);
    }
    if (encoding.start) {
        set_hex(pattern, encoding);
        pattern->template->encoding = digits_of(pattern, encoding);
    }
    if (layout->physical.start) {
        set_hex(pattern, layout->physical);
        pattern->template->physical = digits_of(pattern, layout->physical);
    }
    if (layout->cells)
        set_register_number(pattern, layout);
    set_decimal(pattern, layout->counter);
    for (size_t i = 0; i < layout->other_count; i++)
        set_hex(pattern, layout->others[i]);
    return true;
}

// Sets the columns that must be equal, up to where the line was read. A line that was read to its
// end is compared including its end.
static bool set_literals(struct pattern *pattern, const char *newline,
                         const struct line_columns *layout)
{
    struct line_template *template = pattern->template;
    const char *read_end = layout->read_end, *text_end = line_trim(pattern->start, newline);
    const bool goes_on = layout->goes_on, ends_at_tab = goes_on && layout->text_ends_at_tab;
    const bool is_whole = read_end == text_end;
    const char *end = is_whole ? newline + 1 : read_end + (goes_on ? 1 + layout->peek_bytes : 0);
    end = end > newline ? newline + 1 : end;
    if (ends_at_tab)
        end = layout->text.start + 2;
    if (end - pattern->start > LINE_TEMPLATE_BYTES)
        return false;
    text_pattern_init(&template->columns, (size_t)(end - pattern->start));
    for (const char *at = pattern->start; at < end; at++)
        text_pattern_set(&template->columns, column_of(pattern, at), (uint8_t)*at, 0, false);
    template->compared_bytes = (uint8_t)(end - pattern->start);
    template->ends_line = !goes_on;
    template->ends_at_tab = ends_at_tab;
    template->line_bytes = is_whole                  ? template->compared_bytes
                           : goes_on && !ends_at_tab ? (uint8_t)(read_end - pattern->start)
                                                     : 0;
    template->text_bytes = (uint8_t)(text_end - pattern->start);
    return true;
}

static bool make_template(struct line_template *template, const char *start, const char *newline,
                          const struct line_context *context, const struct trace_line *line,
                          const struct line_columns *layout)
{
    struct pattern pattern = {template, start};
    *template = (struct line_template){.model = *line};
    if (!set_literals(&pattern, newline, layout) || !set_numbers(&pattern, layout) ||
        !set_record(&pattern, line, layout))
        return false;
    if (layout->prefix_seen_bytes > template->compared_bytes)
        return false;
    for (size_t i = 0; i < layout->prefix_seen_bytes; i++) // other digits may not be of the prefix
        text_pattern_set(&template->columns, i, (uint8_t)start[i], 0, false);
    template->first_column = (uint8_t)(column_of(&pattern, layout->first) - layout->prefix_bytes);
    template->is_continuation = context->address_column == template->first_column;
    template->keeps_context = template->is_continuation && context->address_column != LINE_GOES_ON;
    template->is_of_last = template->is_continuation || layout->is_of_last;
    template->cpu_column = line->cpu ? (uint8_t)column_of(&pattern, line->cpu) : 0;
    template->address_column =
        line->kind == LINE_DIAGRAM
            ? (uint32_t)column_of(&pattern, layout->address.start) - layout->prefix_bytes
        : layout->goes_on ? LINE_GOES_ON
                          : LINE_NO_COLUMN;
    return true;
}

struct line_templates *line_templates_new(void)
{
    struct line_templates *templates =
        aligned_alloc(_Alignof(struct line_templates), sizeof *templates);
    if (templates) {
        memset(templates, 0, offsetof(struct line_templates, items[1])); // others: when learned
        templates->kept = LINE_TEMPLATES_OF_LINES;
    }
    return templates;
}

void line_templates_free(struct line_templates *templates)
{
    if (templates)
        free(templates->whole_lines);
    free(templates);
}

struct line_template *line_templates_learn(struct line_templates *templates, const char *start,
                                           const char *newline, const struct line_context *context,
                                           const struct trace_line *line,
                                           const struct line_columns *layout)
{
    if (!newline || line->note != NOTE_NONE || layout->is_particular ||
        templates->learned == LEARNED_MAX ||
        (!layout->text_ends_at_tab && layout->read_end - start >= LINE_TEMPLATE_BYTES))
        return NULL;
    templates->learned++;
    if (layout->type) {
        // Register lines have the most templates; the best key is where their words begin.
        const size_t column = (size_t)(layout->type - start);
        if (column == templates->key_column)
            templates->key_misses = 0;
        else if ((line->kind == LINE_REGISTER || templates->key_column == 0) &&
                 templates->key_misses++ >= KEY_MISSES_MAX) {
            templates->key_column = (uint32_t)column;
            templates->key_misses = 0;
        }
    }
    uint8_t number = (uint8_t)(templates->newest % templates->kept + 1);
    struct line_template template;
    if (!make_template(&template, start, newline, context, line, layout))
        return NULL;
    templates->items[number] = template; // slots may still refer to an older one with this number
    templates->newest = number;
    char key[LINE_TEMPLATE_BYTES + sizeof(uint64_t)] = {0};
    memcpy(key, start, (size_t)u64_min((uint64_t)(newline + 1 - start), sizeof key));
    uint8_t *ways =
        templates->ways[line_template_slot(templates, key, templates->kept == LINE_TEMPLATES_MAX,
                                           context->address_column == LINE_GOES_ON)];
    memmove(ways + 1, ways, LINE_TEMPLATE_WAYS - 1);
    ways[0] = number;
    return &templates->items[number];
}

void line_templates_rest(struct line_templates *templates)
{
    templates->learned = 0;
}
