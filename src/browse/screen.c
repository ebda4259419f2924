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

struct range {
    uint32_t first, last;
};

static bool is_in(const struct range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    }
    return false;
}

// The number of columns of a character in terminals: East Asian ones and emoji take two, combining
// marks none.
static unsigned columns_of(uint32_t code)
{
    static const struct range wide[] = {
        {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
        {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
        {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
    };
    static const struct range joining[] = {
        {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a}, {0x064b, 0x065f},
        {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},   {0x20d0, 0x20ff}, {0xfe00, 0xfe0f},
        {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
    };
    if (code < 0x300)
        return 1;
    if (is_in(joining, ARRAY_COUNT(joining), code))
        return 0;
    return is_in(wide, ARRAY_COUNT(wide), code) ? 2 : 1;
}

static uint32_t code_of(const char *text, unsigned bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    if (bytes < 2)
        return at[0];
    if (bytes < 4)
        return utf8_code(text, bytes);
    return (uint32_t)(at[0] & 7) << 18 | (uint32_t)(at[1] & 0x3f) << 12 |
           (uint32_t)(at[2] & 0x3f) << 6 | (at[3] & 0x3f);
}

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
            uint32_t code = bytes ? code_of(text + i, bytes) : 0xfffd;
            put(row, role, code, columns_of(code));
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
