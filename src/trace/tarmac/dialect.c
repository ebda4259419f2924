#include "trace/tarmac/tarmac.h"

#include "base/characters.h"
#include "base/limits.h"
#include "trace/tarmac/line_read.h"
#include "trace/tarmac/unit.h"

#include <stdio.h>

// Facts about the instruction lines without an instruction set state.
struct tally {
    uint64_t without_state;
    bool has_times, has_narrow;
};

// Whether the line is an instruction, with a state or, if may_lack_state, without one.
static bool is_instruction(const char *start, const char *end, bool may_lack_state,
                           const struct line_prefix *prefix, struct trace_line *line)
{
    struct line_context context = LINE_CONTEXT_START;
    const struct reading_options how = {
        .reading = READING_TRUE,
        .implicit_state = may_lack_state ? STATE_IS_THUMB : STATE_IS_WRITTEN,
        .prefix = prefix,
    };
    struct text_fault fault;
    return tarmac_line_read(start, end, &how, &context, line, &fault) &&
           line->kind == LINE_INSTRUCTION;
}

// A single instruction with a state decides, and nearly every trace begins with one.
static enum implicit_state implicit_state_of(const char *text, const char *end,
                                             const struct line_prefix *prefix)
{
    struct tally tally = {0};
    struct trace_line line;
    const char *newline;
    for (; (newline = memchr(text, '\n', (size_t)(end - text))); text = newline + 1) {
        const char *line_end = line_trim(text, newline);
        if (is_instruction(text, line_end, false, prefix, &line))
            return STATE_IS_WRITTEN;
        if (!is_instruction(text, line_end, true, prefix, &line))
            continue;
        tally.without_state++;
        tally.has_narrow |= line.instruction.size_bytes == 2;
        tally.has_times |= line.time != 0;
    }
    if (!tally.without_state)
        return STATE_IS_WRITTEN;
    // ARMulator writes no times, and writes a Thumb BL as two instructions of two bytes. Traces
    // with times and some encodings of two bytes are from cores of the M profile.
    return tally.has_times && tally.has_narrow ? STATE_IS_THUMB : STATE_BY_SIZE;
}

// The world of the first physical address, which is at the first instructions or their accesses.
static uint8_t first_world_of(const char *text, const char *end, const struct line_prefix *prefix)
{
    const struct reading_options how = {.reading = READING_TRUE, .prefix = prefix};
    const char *newline;
    unsigned seen = 0;
    for (; seen < LIMIT_PREFIX_LINES && (newline = memchr(text, '\n', (size_t)(end - text)));
         text = newline + 1) {
        struct line_context context = LINE_CONTEXT_START;
        struct trace_line line = {0};
        struct text_fault fault;
        if (!tarmac_line_read(text, line_trim(text, newline), &how, &context, &line, &fault))
            continue;
        if (line.has_physical)
            return line.world;
        seen += line.kind == LINE_INSTRUCTION || line.kind == LINE_MEMORY;
    }
    return WORLD_SECURE;
}

// --- What stands before each line ----------------------------------------------------------------

// Where the record of an instruction begins in a line. NULL: it has none, or only text after a
// prefix that is too long.
static const char *find_instruction(const char *start, const char *end)
{
    static const char *const words[] = {"IT", "IS", "ES"};
    struct trace_line line;
    bool has_word = false;
    for (size_t i = 0; i < ARRAY_COUNT(words) && !has_word; i++)
        has_word = memmem(start, (size_t)(end - start), words[i], 2) != NULL;
    for (const char *at = start; has_word && at < end && at - start < LIMIT_PREFIX_COLUMNS; at++) {
        if (is_instruction(at, end, true, NULL, &line))
            return at + (at > start && *at == ' ');
    }
    return NULL;
}

// Appends to the expression: the next characters of the prefix at `at`, either as they are or, if
// prefixes differ, any number or blanks in place of these. Returns where they end.
static const char *put_part(char **to, const char *at, const char *end, bool is_same)
{
    const char *start = at;
    if (*at == '\033' && at + 1 < end && at[1] == '[') { // a color
        while (at < end && (*at < '@' || *at == '['))
            at++;
        *to += sprintf(*to, ".\\[[0-9;]*%c", at < end ? *at : 'm');
        return at < end ? at + 1 : end;
    }
    while (at < end && is_digit(*at) && !is_same)
        at++;
    if (at > start) {
        *to += sprintf(*to, "[0-9]+");
        return at;
    }
    while (at < end && *at == ' ' && !is_same)
        at++;
    if (at - start > 1) { // numbers are aligned
        *to += sprintf(*to, " *");
        return at;
    }
    at = start;
    if (strchr("\\.^$*+?()[]{}|", *at) && *at)
        *(*to)++ = '\\';
    *(*to)++ = (unsigned char)*at < ' ' || *at == '\'' || *at == '\177' ? '.' : *at;
    return at + 1;
}

static void put_expression(char expression[TARMAC_PREFIX_BYTES], const char *at, const char *end,
                           bool is_same)
{
    char *to = expression, *limit = expression + TARMAC_PREFIX_BYTES - 16;
    while (at < end && to < limit)
        at = put_part(&to, at, end, is_same);
    *to = '\0';
    if (at < end)
        *expression = '\0'; // too long
}

bool tarmac_find_prefix(const char *text, size_t size_bytes, char expression[TARMAC_PREFIX_BYTES])
{
    struct {
        char same[TARMAC_PREFIX_BYTES], alike[TARMAC_PREFIX_BYTES];
    } first = {0}, next;
    bool are_same = true, are_alike = true;
    size_t lines = 0;
    const char *end = text + size_bytes, *newline;
    for (; lines < LIMIT_PREFIX_LINES && (newline = memchr(text, '\n', (size_t)(end - text)));
         text = newline + 1) {
        const char *found = find_instruction(text, line_trim(text, newline));
        if (!found)
            continue;
        put_expression(next.same, text, found, true);
        put_expression(next.alike, text, found, false);
        if (!lines++)
            first = next;
        are_same &= strcmp(first.same, next.same) == 0;
        are_alike &= strcmp(first.alike, next.alike) == 0;
    }
    memcpy(expression, are_same ? first.same : first.alike, TARMAC_PREFIX_BYTES);
    return lines && *expression && (are_same || are_alike);
}

// --- The dialect ---------------------------------------------------------------------------------

struct tarmac_dialect tarmac_dialect_of(const char *text, size_t size_bytes,
                                        const struct line_prefix *prefix)
{
    return (struct tarmac_dialect){
        .scale = tarmac_time_scale(text, size_bytes, prefix),
        .implicit_state = implicit_state_of(text, text + size_bytes, prefix),
        .first_world = first_world_of(text, text + size_bytes, prefix),
    };
}

struct reading_options tarmac_dialect_reading(const struct tarmac_dialect *dialect,
                                              const struct reading_options *how)
{
    struct reading_options reading = *how;
    reading.scale = dialect->scale;
    reading.first_world = dialect->first_world;
    if (how->reading == READING_TRUE && how->implicit_state == STATE_IS_WRITTEN)
        reading.implicit_state = dialect->implicit_state;
    return reading;
}
