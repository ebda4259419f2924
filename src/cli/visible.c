#include "cli/visible.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <unistd.h>

#define TEXT_BYTES 4096 // a longer text is made on the heap, or truncated if there is no memory

// How many bytes from `text` on can be shown unchanged.
static size_t shown_bytes(const char *text, size_t length)
{
    size_t shown = 0;
    unsigned bytes;
    while (shown < length && (bytes = utf8_printable(text + shown, length - shown)))
        shown += bytes;
    return shown;
}

// Standard error has no buffer: visible text is written in one piece, not byte by byte.
void visible_text(FILE *out, const char *text, size_t length)
{
    for (const char *end = text + length; text < end;) {
        size_t shown = shown_bytes(text, (size_t)(end - text));
        fwrite(text, 1, shown, out);
        text += shown;
        unsigned hidden = text < end ? utf8_character(text, (size_t)(end - text)) : 0;
        hidden = text < end && !hidden ? 1 : hidden;
        for (; hidden; hidden--)
            fprintf(out, "\\x%02x", (unsigned char)*text++);
    }
}

void visible_on_terminal(FILE *out, const char *text, size_t length)
{
    if (!isatty(fileno(out))) {
        fwrite(text, 1, length, out);
        return;
    }
    for (const char *end = text + length; text < end;) { // lines, and fields between tabs
        const char *from = text;
        while (text < end && *text != '\n' && *text != '\t')
            text++;
        visible_text(out, from, (size_t)(text - from));
        if (text < end)
            fputc(*text++, out);
    }
}

void visible_format(FILE *out, const char *format, va_list args)
{
    char text[TEXT_BYTES], *longer = NULL;
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(text, sizeof text, format, args);
    if (length >= TEXT_BYTES && vasprintf(&longer, format, again) < 0)
        longer = NULL;
    va_end(again);
    const char *shown = longer ? longer : text;
    visible_text(out, shown, strlen(shown));
    free(longer);
}

void visible_print(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    visible_format(out, format, args);
    va_end(args);
}

void visible_line(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    visible_format(out, format, args);
    va_end(args);
    fputc('\n', out);
}
