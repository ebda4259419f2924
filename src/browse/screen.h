// The contents of the screen: cells, each with a character and a role. The code that shows it
// chooses colours for roles.
//
// Foreign text is made inert in cells: control characters are drawn as ^A, invalid characters as
// U+FFFD, tabs as spaces.
#ifndef TRAWL_BROWSE_SCREEN_H
#define TRAWL_BROWSE_SCREEN_H

#include "base/error.h"
#include "trace/trace.h"

enum role {
    ROLE_TEXT,
    ROLE_STATUS,
    ROLE_MESSAGE,
    ROLE_ERROR,
    ROLE_TIME,
    ROLE_EVENT,
    ROLE_ADDRESS,
    ROLE_ENCODING,
    ROLE_ISA,
    ROLE_MODE,
    ROLE_FAILED,
    ROLE_DISASSEMBLY,
    ROLE_PUNCTUATION,
    ROLE_BAD,
    ROLE_LABEL, // names of registers, addresses and gaps of memory
    ROLE_VALUE,
    ROLE_UNKNOWN,
    ROLE_UNPRINTABLE,
    ROLE_KEY,
    ROLE_HELP,
    ROLE_HINT,
    ROLE_FOLD,  // a mark for folded rows
    ROLE_MATCH, // of a search
    ROLE_COUNT,
};

// The role in which a part of a line of a trace is drawn.
enum role line_role(enum text_class text_class);

enum cell_flag {
    CELL_UNDERLINED = 1,
    CELL_HIGHLIGHTED = 2, // selected, or changed
};

struct cell {
    uint32_t character; // 0: covered by the wide character before it
    uint8_t role, flags;
};

struct screen {
    unsigned width, height;
    struct cell *cells; // row by row
    bool has_cursor;
    unsigned cursor_x, cursor_y;
};

// Clears the screen, which is all zero at first, and sets its size, within the limits above. False:
// no memory.
bool screen_clear(struct screen *screen, unsigned width, unsigned height);
void screen_free(struct screen *screen);

// A row that is written from left to right, and truncated at its end.
struct row {
    struct cell *cells;
    unsigned width, at;
    unsigned skip; // columns of text to skip
    uint8_t flags; // for what is written from now on
    // Ranges of the source text that are drawn as matches, ascending.
    const struct row_match {
        const char *start, *end;
    } * matches;
    size_t match_count;
};

// Row `y` of the screen; one without columns if there is none.
struct row screen_row(struct screen *screen, unsigned y);

void row_text(struct row *row, enum role role, const char *text, size_t length);
void row_string(struct row *row, enum role role, const char *text);
void row_format(struct row *row, enum role role, const char *format, ...) PRINTF_LIKE(3, 4);

// Writes spaces in this role to the end of the row.
void row_fill(struct row *row, enum role role);

// Writes a character as UTF-8, at most 4 bytes; returns its end.
char *screen_put_character(char *at, uint32_t character);

// Writes the text of a row as UTF-8, without trailing spaces, into `text`, which must be large
// enough.
#define SCREEN_LINE_BYTES(width) ((size_t)(width)*4 + 1)
void screen_line(const struct screen *screen, unsigned y, char *text);

#endif
