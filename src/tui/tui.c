// The only file that knows ncurses: keys in, cells out.
#include "tui/tui.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NCURSES_NOMACROS
#define NCURSES_WIDECHAR 1
#include <curses.h>

// How long a lone escape is waited on for what may follow.
enum { ESCAPE_MS = 25 };

struct tui {
    struct browser *browser;
    struct screen screen;
    struct cell *shown; // what stands on the terminal
    unsigned shown_width, shown_height;
    bool has_colour, is_utf8;
};

// --- Colours -------------------------------------------------------------------------------------

struct look {
    short ink, paper;
    bool is_bold;
    bool is_reversed_without_colour;
};

static const struct look looks[ROLE_COUNT] = {
    [ROLE_TEXT] = {COLOR_WHITE, COLOR_BLACK, false, false},
    [ROLE_STATUS] = {COLOR_WHITE, COLOR_BLUE, true, true},
    [ROLE_MESSAGE] = {COLOR_WHITE, COLOR_BLACK, false, false},
    [ROLE_ERROR] = {COLOR_YELLOW, COLOR_RED, false, false},
    [ROLE_TIME] = {COLOR_GREEN, COLOR_BLACK, false, false},
    [ROLE_EVENT] = {COLOR_WHITE, COLOR_BLACK, true, false},
    [ROLE_ADDRESS] = {COLOR_CYAN, COLOR_BLACK, true, false},
    [ROLE_ENCODING] = {COLOR_MAGENTA, COLOR_BLACK, true, false},
    [ROLE_ISA] = {COLOR_MAGENTA, COLOR_BLACK, false, false},
    [ROLE_MODE] = {COLOR_CYAN, COLOR_BLACK, false, false},
    [ROLE_FAILED] = {COLOR_RED, COLOR_BLACK, false, false},
    [ROLE_DISASSEMBLY] = {COLOR_GREEN, COLOR_BLACK, true, false},
    [ROLE_PUNCTUATION] = {COLOR_YELLOW, COLOR_BLACK, false, false},
    [ROLE_BAD] = {COLOR_YELLOW, COLOR_RED, true, false},
    [ROLE_LABEL] = {COLOR_CYAN, COLOR_BLACK, false, false},
    [ROLE_VALUE] = {COLOR_WHITE, COLOR_BLACK, false, false},
    [ROLE_UNKNOWN] = {COLOR_RED, COLOR_BLACK, false, false},
    [ROLE_UNPRINTABLE] = {COLOR_GREEN, COLOR_BLACK, false, false},
    [ROLE_KEY] = {COLOR_GREEN, COLOR_BLACK, true, false},
    [ROLE_HELP] = {COLOR_WHITE, COLOR_BLACK, false, false},
    [ROLE_HINT] = {COLOR_CYAN, COLOR_BLACK, false, false},
    [ROLE_FOLD] = {COLOR_YELLOW, COLOR_BLACK, true, false},
    [ROLE_MATCH] = {COLOR_BLACK, COLOR_YELLOW, false, true},
};

// The pair of a role, plain or highlighted.
static short pair_of(unsigned role, bool is_highlighted)
{
    return (short)(1 + 2 * role + is_highlighted);
}

static void make_pairs(void)
{
    for (unsigned role = 0; role < ROLE_COUNT; role++) {
        init_pair(pair_of(role, false), looks[role].ink, looks[role].paper);
        init_pair(pair_of(role, true), looks[role].ink, COLOR_BLUE);
    }
}

static attr_t attributes_of(const struct tui *tui, const struct cell *cell, short *pair)
{
    const struct look *look = &looks[cell->role];
    bool is_highlighted = cell->flags & CELL_HIGHLIGHTED;
    bool is_reversed = !tui->has_colour && (look->is_reversed_without_colour || is_highlighted);
    attr_t attributes = A_NORMAL;
    if (look->is_bold && !(is_reversed && look->is_reversed_without_colour))
        attributes |= A_BOLD;
    if (is_reversed)
        attributes |= A_REVERSE;
    if (cell->flags & CELL_UNDERLINED)
        attributes |= A_UNDERLINE;
    *pair = tui->has_colour ? pair_of(cell->role, is_highlighted) : 0;
    return attributes;
}

// --- Drawing -------------------------------------------------------------------------------------

static void put_cell(const struct tui *tui, unsigned y, unsigned x, const struct cell *cell)
{
    short pair;
    cchar_t shown;
    attr_t attributes = attributes_of(tui, cell, &pair);
    wchar_t character = (wchar_t)cell->character;
    if (!tui->is_utf8 && character > 0x7e)
        character = L'?';
    const wchar_t text[2] = {character, L'\0'};
    setcchar(&shown, text, attributes, pair, NULL);
    mvadd_wch((int)y, (int)x, &shown);
}

// Keeps what is on the terminal, so that only what changed is written. False: no memory.
static bool begin_frame(struct tui *tui)
{
    const struct screen *screen = &tui->screen;
    if (tui->shown && tui->shown_width == screen->width && tui->shown_height == screen->height)
        return true;
    free(tui->shown);
    tui->shown = calloc((size_t)screen->width * screen->height + 1, sizeof *tui->shown);
    tui->shown_width = screen->width;
    tui->shown_height = screen->height;
    clear();
    return tui->shown != NULL;
}

static bool draw(struct tui *tui)
{
    struct screen *screen = &tui->screen;
    if (!browser_draw(tui->browser, screen) || !begin_frame(tui))
        return false;
    for (unsigned y = 0; y < screen->height; y++) {
        for (unsigned x = 0; x < screen->width; x++) {
            size_t at = (size_t)y * screen->width + x;
            const struct cell *cell = &screen->cells[at];
            struct cell *shown = &tui->shown[at];
            bool is_same = shown->character == cell->character && shown->role == cell->role &&
                           shown->flags == cell->flags;
            // A wide character is written again with either half.
            bool is_wide = x + 1 < screen->width && !screen->cells[at + 1].character;
            if ((is_same && !is_wide) || !cell->character)
                continue;
            put_cell(tui, y, x, cell);
        }
    }
    memcpy(tui->shown, screen->cells, (size_t)screen->width * screen->height * sizeof *tui->shown);
    curs_set(screen->has_cursor);
    if (screen->has_cursor)
        move((int)screen->cursor_y, (int)screen->cursor_x);
    else
        move((int)screen->height - 1, 0);
    refresh();
    return true;
}

// --- Keys ----------------------------------------------------------------------------------------

static uint32_t function_key(wint_t code)
{
    static const struct {
        int code;
        uint32_t key;
    } keys[] = {
        {KEY_UP, KEY_UP_ARROW},       {KEY_DOWN, KEY_DOWN_ARROW},  {KEY_LEFT, KEY_LEFT_ARROW},
        {KEY_RIGHT, KEY_RIGHT_ARROW}, {KEY_PPAGE, KEY_PAGE_UP},    {KEY_NPAGE, KEY_PAGE_DOWN},
        {KEY_HOME, KEY_HOME_KEY},     {KEY_END, KEY_END_KEY},      {KEY_BTAB, KEY_BACK_TAB},
        {KEY_ENTER, KEY_RETURN},      {KEY_BACKSPACE, KEY_CTRL_H}, {KEY_DC, KEY_DELETE},
    };
    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        if ((wint_t)keys[i].code == code)
            return keys[i].key;
    }
    if (code > KEY_F0 && code < KEY_F0 + 64)
        return KEY_FUNCTION + (uint32_t)(code - KEY_F0);
    return 0;
}

// Whether reading failed because there is nothing more to come, and not for a signal.
static bool has_ended(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready = poll(&input, 1, 0);
    return ready > 0 && (input.revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL));
}

static void resize(struct tui *tui)
{
    browser_resize(tui->browser, (unsigned)getmaxx(stdscr), (unsigned)getmaxy(stdscr));
    free(tui->shown);
    tui->shown = NULL;
}

// Waits for input. False: it has ended.
static bool take_key(struct tui *tui)
{
    wint_t code = 0;
    int result = get_wch(&code);
    if (result == ERR)
        return !has_ended();
    if (result == KEY_CODE_YES && code == KEY_RESIZE)
        resize(tui);
    else if (result == KEY_CODE_YES)
        browser_key(tui->browser, function_key(code));
    else
        browser_key(tui->browser, code == '\n' ? KEY_RETURN : (uint32_t)code);
    return true;
}

// --- Running -------------------------------------------------------------------------------------

static void open_terminal(struct tui *tui, const struct tui_options *options)
{
    set_escdelay(ESCAPE_MS);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    tui->has_colour = options->has_colour && has_colors() && start_color() == OK &&
                      COLOR_PAIRS > pair_of(ROLE_COUNT, false);
    if (tui->has_colour)
        make_pairs();
    tui->is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    resize(tui);
}

enum status tui_run(struct browser *browser, const struct tui_options *options, struct error *err)
{
    struct tui tui = {.browser = browser};
    enum status status = STATUS_OK;
    const char *type = getenv("TERM");
    setlocale(LC_CTYPE, "");
    SCREEN *terminal = newterm(NULL, stdout, stdin);
    if (!terminal)
        return error_set(err, STATUS_IO, "Error opening terminal: %s.", type ? type : "unknown");
    open_terminal(&tui, options);
    while (!browser->is_done && status == STATUS_OK) {
        if (!draw(&tui))
            status = error_set(err, STATUS_MEMORY, "no memory for the screen");
        else if (browser_failed(browser, err))
            status = err->status;
        else if (!take_key(&tui))
            browser->is_done = true;
    }
    endwin();
    delscreen(terminal);
    free(tui.shown);
    screen_free(&tui.screen);
    return status;
}
