#include "browse/screen.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool screen_clear(struct screen *screen, unsigned width, unsigned height)
{
    width = width < LIMIT_SCREEN_COLUMNS ? width : LIMIT_SCREEN_COLUMNS;
    height = height < LIMIT_SCREEN_ROWS ? height : LIMIT_SCREEN_ROWS;
    if (!screen->cells || screen->width != width || screen->height != height) {
        free(screen->cells);
        *screen = (struct screen){0};
        screen->cells = malloc(((size_t)width * height + 1) * sizeof *screen->cells);
        if (!screen->cells)
            return false;
        screen->width = width;
        screen->height = height;
    }
    for (size_t i = 0; i < (size_t)width * height; i++)
        screen->cells[i] = (struct cell){' ', ROLE_TEXT, 0};
    screen->has_cursor = false;
    return true;
}

void screen_free(struct screen *screen)
{
    free(screen->cells);
    *screen = (struct screen){0};
}

struct row screen_row(struct screen *screen, unsigned y)
{
    if (y >= screen->height)
        return (struct row){0};
    return (struct row){.cells = screen->cells + (size_t)y * screen->width, .width = screen->width};
}

enum role line_role(enum text_class text_class)
{
    static const uint8_t roles[] = {
        [TEXT_PLAIN] = ROLE_TEXT,
        [TEXT_TIME] = ROLE_TIME,
        [TEXT_EVENT] = ROLE_EVENT,
        [TEXT_ADDRESS] = ROLE_ADDRESS,
        [TEXT_ENCODING] = ROLE_ENCODING,
        [TEXT_ISA] = ROLE_ISA,
        [TEXT_MODE] = ROLE_MODE,
        [TEXT_FAILED] = ROLE_FAILED,
        [TEXT_DISASSEMBLY] = ROLE_DISASSEMBLY,
        [TEXT_PUNCTUATION] = ROLE_PUNCTUATION,
        [TEXT_BAD] = ROLE_BAD,
    };
    return (enum role)roles[text_class];
}

// --- Characters ----------------------------------------------------------------------------------

static void put(struct row *row, enum role role, uint32_t code, unsigned columns)
{
    if (row->skip) {
        unsigned left_out = columns < row->skip ? columns : row->skip;
        row->skip -= left_out;
        columns -= left_out;
        code = columns ? ' ' : code; // half of a wide character
    }
    if (!columns)
        return;
    if (row->at + columns > row->width) { // half of a wide character does not fit
        columns = row->width - row->at;
        code = ' ';
    }
    for (unsigned i = 0; i < columns; i++)
        row->cells[row->at++] =
            (struct cell){i && code != ' ' ? 0 : code, (uint8_t)role, row->flags};
}

void row_text(struct row *row, enum role plain, const char *text, size_t length)
{
    unsigned start = row->at;
    for (size_t i = 0; i < length && row->at < row->width;) {
        unsigned char byte = (unsigned char)text[i];
        enum role role = plain;
        for (size_t m = 0; m < row->match_count; m++) {
            if (text + i >= row->matches[m].start && text + i < row->matches[m].end)
                role = ROLE_MATCH;
        }
        if (byte >= 0x20 && byte < 0x7f) {
            put(row, role, byte, 1);
            i++;
        } else if (byte == '\t') {
            unsigned width = 8 - (row->at - start) % 8;
            while (width--)
                put(row, role, ' ', 1);
            i++;
        } else if (byte < 0x20 || byte == 0x7f) {
            put(row, role, '^', 1);
            put(row, role, byte ^ 0x40u, 1);
            i++;
        } else {
            unsigned bytes = utf8_printable(text + i, length - i);
            uint32_t code = bytes ? utf8_code(text + i, bytes) : 0xfffd;
            put(row, role, code, utf8_columns(code));
            i += bytes ? bytes : 1;
        }
    }
}

void row_string(struct row *row, enum role role, const char *text)
{
    row_text(row, role, text, strlen(text));
}

void row_format(struct row *row, enum role role, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    row_string(row, role, text);
}

void row_fill(struct row *row, enum role role)
{
    row->skip = 0;
    while (row->at < row->width)
        put(row, role, ' ', 1);
}

// --- As text -------------------------------------------------------------------------------------

char *screen_put_character(char *at, uint32_t code)
{
    if (code < 0x80) {
        *at++ = (char)code;
    } else if (code < 0x800) {
        *at++ = (char)(0xc0 | code >> 6);
        *at++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *at++ = (char)(0xe0 | code >> 12);
        *at++ = (char)(0x80 | (code >> 6 & 0x3f));
        *at++ = (char)(0x80 | (code & 0x3f));
    } else {
        *at++ = (char)(0xf0 | code >> 18);
        *at++ = (char)(0x80 | (code >> 12 & 0x3f));
        *at++ = (char)(0x80 | (code >> 6 & 0x3f));
        *at++ = (char)(0x80 | (code & 0x3f));
    }
    return at;
}

void screen_line(const struct screen *screen, unsigned y, char *text)
{
    char *at = text, *end = text;
    for (unsigned x = 0; x < screen->width; x++) {
        const struct cell *cell = &screen->cells[(size_t)y * screen->width + x];
        if (cell->character)
            at = screen_put_character(at, cell->character);
        if (cell->character && cell->character != ' ')
            end = at;
    }
    *end = '\0';
}
