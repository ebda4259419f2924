#include "trace/examination.h"

#include "base/characters.h"
#include "base/limits.h"

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
                      uint64_t number, const char *reason)
{
    struct examined_shape added = {.line = number, .count = 1};
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

void examination_free(struct examination *examination)
{
    free(examination->facts.items);
    free(examination->findings.items);
    free(examination->shapes.items);
    *examination = (struct examination){0};
}
