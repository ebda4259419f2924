#include "trace/examination.h"

#include "base/characters.h"
#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct examination *examination, struct examined_texts *texts, const char *about,
                const char *format, va_list args)
{
    if (!VEC_ROOM(texts, 1)) {
        examination->has_no_memory = true;
        return;
    }
    struct examined_text *added = &texts->items[texts->count++];
    added->about = about;
    vsnprintf(added->text, sizeof added->text, format, args);
}

void examination_fact(struct examination *examination, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(examination, &examination->facts, name, format, args);
    va_end(args);
}

void examination_finding(struct examination *examination, const char *advice, const char *format,
                         ...)
{
    va_list args;
    va_start(args, format);
    add(examination, &examination->findings, advice, format, args);
    va_end(args);
}

// --- Texts ---------------------------------------------------------------------------------------

static bool is_word(char c)
{
    return is_alphanumeric(c) || c == '_' || c == '.';
}

// Whether [start, end) is a number, possibly with 0x before it and the security state of an address
// after it.
static bool is_number(const char *start, const char *end)
{
    bool has_digit = false;
    if (end - start > 2 && start[0] == '0' && (start[1] | 0x20) == 'x')
        start += 2;
    const char *at = start;
    for (; at < end && (is_hex_digit(*at) || *at == '_' || *at == '.'); at++)
        has_digit |= is_digit(*at);
    return at > start && (at == end || at[-1] == '_') && (has_digit || end - start >= 4);
}

// The end of the mnemonic of an instruction: after a colon, a blank and a word.
static char *mnemonic_end(char *text)
{
    char *colon = strstr(text, ": ");
    if (!colon)
        return NULL;
    char *at = colon + 2 + strspn(colon + 2, " \t");
    at += strcspn(at, " \t");
    return *at ? at : NULL;
}

// Copies as much of a line as fits, with a NUL.
static void keep_text(char kept[EXAMINED_TEXT_BYTES], const char *text, size_t length)
{
    if (length > EXAMINED_TEXT_BYTES - 1)
        length = EXAMINED_TEXT_BYTES - 1;
    memcpy(kept, text, length);
    kept[length] = 0;
}

static struct examined_shape *find_shape(struct examination *examination, const char *shape,
                                         const char *reason)
{
    for (size_t i = 0; i < examination->shapes.count; i++) {
        struct examined_shape *known = &examination->shapes.items[i];
        if (strcmp(known->shape, shape) == 0 && strcmp(known->reason, reason) == 0)
            return known;
    }
    return NULL;
}

void examination_line(struct examination *examination, const char *text, size_t length,
                      const char *reason)
{
    struct examined_shape added = {.line = examination->lines, .count = 1};
    examination->lines_not_understood++;
    keep_text(added.example, text, length);
    keep_text(added.reason, reason, strlen(reason));
    // Lines of the same shape get the same text: a run of zeros or of blanks counts as one.
    keep_text(added.shape, text, length);
    // Replaces the digits of each number by 0, and cuts the text of an instruction after its
    // mnemonic.
    char *cut = mnemonic_end(added.shape);
    if (cut)
        *cut = 0;
    for (char *at = added.shape; *at;) {
        char *start = at;
        while (is_word(*at))
            at++;
        const bool is_masked = is_number(start, at);
        for (char *digit = start; digit < at && is_masked; digit++)
            *digit = is_hex_digit(*digit) ? '0' : *digit;
        at += at == start;
    }
    char *to = added.shape;
    for (const char *at = added.shape; *at; at++) {
        bool repeats =
            to > added.shape && to[-1] == *at && (*at == '0' || *at == ' ' || *at == '\t');
        if (!repeats)
            *to++ = *at;
    }
    *to = 0;
    struct examined_shape *known = find_shape(examination, added.shape, added.reason);
    if (known) {
        known->count++;
    } else if (examination->shapes.count == LIMIT_EXAMINED_SHAPES) {
        examination->lines_of_other_shapes++;
    } else if (VEC_ROOM(&examination->shapes, 1)) {
        examination->shapes.items[examination->shapes.count++] = added;
    } else {
        examination->has_no_memory = true;
    }
}

enum status examination_read(struct examination *examination, struct source *source,
                             struct progress *progress,
                             void (*take)(void *self, const char *start, const char *end),
                             void *self, struct error *err)
{
    enum { CHUNK_BYTES = 1 << 20, SHOWN_BYTES = 64 };
    struct source_buffer buffer = {0};
    struct source_chunk chunk = {0};
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !chunk.is_last) {
        status = source_next(source, CHUNK_BYTES, &buffer, &chunk, err);
        if (status != STATUS_OK)
            break;
        const char *at = chunk.data, *end = chunk.data + chunk.size_bytes;
        while (at < end) {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            const char *line_end = newline ? newline : end;
            examination->lines++;
            if ((uint64_t)(line_end - at) > LIMIT_LINE_BYTES)
                examination_line(examination, at, SHOWN_BYTES, "too long a line");
            else
                take(self, at, line_end);
            examination->ends_in_line = !newline;
            at = line_end + 1;
        }
        source_release(source, &chunk);
        if (progress) {
            progress_add(progress, chunk.size_bytes);
            progress_show(progress);
        }
    }
    free(buffer.bytes);
    if (status == STATUS_OK && !source_is_intact(source))
        return error_set(err, STATUS_INPUT, "the trace was changed while it was read");
    return status;
}

void examination_line_facts(struct examination *examination)
{
    const uint64_t lines = examination->lines - examination->blank_lines;
    const uint64_t understood = lines - u64_min(lines, examination->lines_not_understood);
    examination_fact(examination, "lines", "%" PRIu64, examination->lines);
    examination_fact(examination, "understood", "%" PRIu64 " of %" PRIu64 " (%.2f %%)", understood,
                     lines, lines ? 100.0 * (double)understood / (double)lines : 0.0);
}

void examination_line_findings(struct examination *examination)
{
    if (examination->lines_not_understood)
        examination_finding(examination,
                            "see the shapes below; 'trawl doctor --anonymize' shows them without "
                            "numbers, for a bug report",
                            "%" PRIu64 " line%s not understood", examination->lines_not_understood,
                            examination->lines_not_understood == 1 ? " is" : "s are");
    if (examination->ends_in_line)
        examination_finding(
            examination, "check whether the trace was truncated, or its producer is still running",
            "the last line is incomplete");
}

void examination_free(struct examination *examination)
{
    free(examination->facts.items);
    free(examination->findings.items);
    free(examination->shapes.items);
    *examination = (struct examination){0};
}
