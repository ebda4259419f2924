#include "cli/visible.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <unistd.h>

#define TEXT_BYTES 4096 // a longer text is made on the heap, or truncated if there is no memory

// Standard error has no buffer: visible text is written in one piece, not byte by byte.
void visible_text(FILE *out, const char *text, size_t length)
{
    for (const char *end = text + length; text < end;) {
        const char *shown = text;
        for (unsigned bytes; text < end && (bytes = utf8_printable(text, (size_t)(end - text)));)
            text += bytes;
        fwrite(shown, 1, (size_t)(text - shown), out);
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
