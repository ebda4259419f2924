// The only file that uses ncurses: keys in, cells out.
#include "tui/tui.h"

#include "base/fragile.h"

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

// How long to wait for more after an escape character.
enum { ESCAPE_MS = 25 };

// How often the screen shows the progress of background work.
enum { TICK_MS = 60 };

// How far a turn of the wheel goes.
enum { WHEEL_LINES = 3 };

// What is on the terminal: the browser, or the text alone.
struct face {
    void *self;
    bool (*draw)(void *self, struct screen *screen);
    void (*key)(void *self, uint32_t key);
    void (*resize)(void *self, unsigned width, unsigned height);
    void (*wheel)(void *self, int lines);
    void (*click)(void *self, unsigned x, unsigned y); // NULL: does nothing
    bool (*is_busy)(void *self);                       // needs regular ticks; NULL: always
    void (*tick)(void *self);                          // NULL: does nothing
    bool (*is_done)(void *self);
    bool (*failed)(void *self, struct error *err); // NULL: never
};

struct tui {
    SCREEN *terminal;
    const struct face *face;
    struct screen screen;
    struct cell *shown; // what is on the terminal
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

// Makes colours that cannot be read on a light background darker; with eight colours there are not
// enough.
static short on_light(short ink)
{
    enum { COLOURS_ALL = 256, DARK_GREEN = 22, DARK_CYAN = 24, DARK_YELLOW = 94 };
    bool has_all = COLORS >= COLOURS_ALL;
    switch (ink) {
    case COLOR_GREEN:
        return has_all ? DARK_GREEN : -1;
    case COLOR_CYAN:
        return has_all ? DARK_CYAN : COLOR_BLUE;
    case COLOR_YELLOW:
        return has_all ? DARK_YELLOW : COLOR_RED;
    default:
        return ink;
    }
}

// The reference draws everything on black. Otherwise black and white are the terminal's own
// colours, except on cells with their own background.
static void make_pairs(const struct tui_options *options)
{
    bool has_own = !options->is_plain && use_default_colors() == OK;
    for (unsigned role = 0; role < ROLE_COUNT; role++) {
        struct look look = looks[role];
        if (has_own && look.paper == COLOR_BLACK) {
            look.paper = -1;
            look.ink = look.ink == COLOR_WHITE ? -1
                       : options->is_light     ? on_light(look.ink)
                                               : look.ink;
        }
        init_pair(pair_of(role, false), look.ink, look.paper);
        // Highlighted cells have a blue background.
        bool is_dark = options->is_light || look.ink == COLOR_BLACK || look.ink == COLOR_RED ||
                       look.ink == COLOR_MAGENTA || look.ink == COLOR_BLUE;
        bool is_lost = look.ink == -1 || (!options->is_plain && is_dark);
        init_pair(pair_of(role, true), is_lost ? COLOR_WHITE : look.ink, COLOR_BLUE);
    }
}

// --- Drawing -------------------------------------------------------------------------------------

#define GAVE_UP "trawl: the terminal cannot be used: ncurses failed, probably for lack of memory\n"

static void put_cell(const struct tui *tui, unsigned y, unsigned x, const struct cell *cell)
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
    wchar_t character = (wchar_t)cell->character;
    if (!tui->is_utf8 && character > 0x7e)
        character = L'?';
    const wchar_t text[2] = {character, L'\0'};
    cchar_t shown;
    setcchar(&shown, text, attributes, tui->has_colour ? pair_of(cell->role, is_highlighted) : 0,
             NULL);
    mvadd_wch((int)y, (int)x, &shown);
}

// Showing something for the first time, or in another size, makes ncurses allocate memory.
static void show(struct tui *tui, const struct screen *screen)
{
    FRAGILE_BLOCK_OF(GAVE_UP);
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

static void resize(struct tui *tui)
{
    tui->face->resize(tui->face->self, (unsigned)getmaxx(stdscr), (unsigned)getmaxy(stdscr));
    free(tui->shown);
    tui->shown = NULL;
}

// Waits for input. False: it has ended.
static bool take_key(struct tui *tui)
{
    const struct face *face = tui->face;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    wint_t code = 0;
    timeout(!face->is_busy || face->is_busy(face->self) ? TICK_MS : -1);
    // Also handles a new size of the terminal.
    FRAGILE_BLOCK_OF(GAVE_UP);
    int result = get_wch(&code);
    if (face->tick)
        face->tick(face->self);
    if (result == ERR)
        // Whether reading failed because there is nothing more to come, and not for a signal.
        return poll(&input, 1, 0) <= 0 ||
               !(input.revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL));
    if (result == KEY_CODE_YES && code == KEY_RESIZE)
        resize(tui);
    else if (result == KEY_CODE_YES && code == KEY_MOUSE) {
        MEVENT event;
        if (getmouse(&event) == OK) {
            if (event.bstate & BUTTON4_PRESSED)
                face->wheel(face->self, -WHEEL_LINES);
            else if (event.bstate & BUTTON5_PRESSED)
                face->wheel(face->self, WHEEL_LINES);
            else if (event.x >= 0 && event.y >= 0 && face->click)
                face->click(face->self, (unsigned)event.x, (unsigned)event.y);
        }
    } else if (result == KEY_CODE_YES)
        face->key(face->self, function_key(code));
    else
        face->key(face->self, code == '\n' ? KEY_RETURN : (uint32_t)code);
    return true;
}

// --- Running -------------------------------------------------------------------------------------

static enum status run(struct tui *tui, const struct face *face, bool *has_ended_here,
                       struct error *err)
{
    struct screen *screen = &tui->screen;
    tui->face = face;
    *has_ended_here = false;
    resize(tui);
    while (!face->is_done(face->self)) {
        if (!face->draw(face->self, screen))
            return error_set(err, STATUS_MEMORY, "no memory for the screen");
        // Remembers what is on the terminal, so that only changes are written.
        if (!tui->shown || tui->shown_width != screen->width ||
            tui->shown_height != screen->height) {
            free(tui->shown);
            tui->shown = calloc((size_t)screen->width * screen->height + 1, sizeof *tui->shown);
            tui->shown_width = screen->width;
            tui->shown_height = screen->height;
            clear();
        }
        if (!tui->shown)
            return error_set(err, STATUS_MEMORY, "no memory for the screen");
        show(tui, screen);
        if (face->failed && face->failed(face->self, err))
            return err->status;
        if (!take_key(tui)) {
            *has_ended_here = true;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

enum status tui_open(struct tui **out, const struct tui_options *options, struct error *err)
{
    const char *type = getenv("TERM");
    struct tui *tui = calloc(1, sizeof *tui);
    *out = NULL;
    if (!tui)
        return error_set(err, STATUS_MEMORY, "no memory for the screen");
    setlocale(LC_CTYPE, "");
    FRAGILE_BLOCK_OF(GAVE_UP);
    if (!options->is_plain && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))) {
        free(tui);
        return error_set(err, STATUS_INPUT,
                         "there is no terminal to browse in; 'trawl serve' shows the trace in a "
                         "web browser, 'trawl state', 'stack' and 'show' answer single questions");
    }
    tui->terminal = newterm(NULL, stdout, stdin);
    if (!tui->terminal) {
        free(tui);
        return error_set(err, STATUS_IO, "Error opening terminal: %s.", type ? type : "unknown");
    }
    const char *move = tigetstr("cup"); // (char *)-1: it has no such sequence
    if (!options->is_plain && (!move || move == (const char *)(intptr_t)-1)) {
        endwin();
        delscreen(tui->terminal);
        free(tui);
        return error_set(err, STATUS_IO,
                         "the terminal '%s' cannot move its cursor: set TERM to its type, or use "
                         "'trawl serve'",
                         type ? type : "unknown");
    }
    set_escdelay(ESCAPE_MS);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    tui->has_colour = options->has_colour && has_colors() && start_color() == OK &&
                      COLOR_PAIRS > pair_of(ROLE_COUNT, false);
    if (tui->has_colour)
        make_pairs(options);
    if (!options->is_plain) {
        mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
        mouseinterval(0);
    }
    tui->is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    *out = tui;
    return STATUS_OK;
}

void tui_close(struct tui *tui)
{
    if (!tui)
        return;
    FRAGILE_BLOCK_OF(GAVE_UP);
    endwin();
    delscreen(tui->terminal);
    free(tui->shown);
    screen_free(&tui->screen);
    free(tui);
}

// --- The browser ---------------------------------------------------------------------------------

static bool draw_browser(void *self, struct screen *screen)
{
    return pair_draw(self, screen);
}

static void give_key(void *self, uint32_t key)
{
    pair_key(self, key);
}

static void give_size(void *self, unsigned width, unsigned height)
{
    pair_resize(self, width, height);
}

static void give_wheel(void *self, int lines)
{
    pair_wheel(self, lines);
}

static void give_click(void *self, unsigned x, unsigned y)
{
    pair_click(self, x, y);
}

static bool is_busy(void *self)
{
    return pair_is_busy(self);
}

static void give_tick(void *self)
{
    pair_tick(self);
}

static bool is_done(void *self)
{
    return pair_is_done(self);
}

static bool has_failed(void *self, struct error *err)
{
    return pair_failed(self, err);
}

enum status tui_browse(struct tui *tui, struct pair *pair, struct error *err)
{
    const struct face face = {pair,       draw_browser, give_key,  give_size, give_wheel,
                              give_click, is_busy,      give_tick, is_done,   has_failed};
    bool ended;
    return run(tui, &face, &ended, err);
}

// --- The text alone ------------------------------------------------------------------------------

struct waiting {
    struct text_view *view;
    bool (*is_over)(void *self);
    void *self;
};

static bool draw_text(void *self, struct screen *screen)
{
    return text_view_draw(((const struct waiting *)self)->view, screen);
}

static void give_text_key(void *self, uint32_t key)
{
    text_view_key(((const struct waiting *)self)->view, key);
}

static void give_text_size(void *self, unsigned width, unsigned height)
{
    text_view_resize(((const struct waiting *)self)->view, width, height);
}

static void give_text_wheel(void *self, int lines)
{
    for (int i = lines < 0 ? -lines : lines; i > 0; i--)
        give_text_key(self, lines < 0 ? KEY_UP_ARROW : KEY_DOWN_ARROW);
}

static bool is_text_done(void *self)
{
    const struct waiting *waiting = self;
    return waiting->view->is_done || waiting->is_over(waiting->self);
}

enum status tui_show_text(struct tui *tui, struct text_view *view, bool (*is_over)(void *self),
                          void *self, struct error *err)
{
    struct waiting waiting = {view, is_over, self};
    const struct face face = {.self = &waiting,
                              .draw = draw_text,
                              .key = give_text_key,
                              .resize = give_text_size,
                              .wheel = give_text_wheel,
                              .is_done = is_text_done};
    bool ended;
    enum status status = run(tui, &face, &ended, err);
    view->is_done |= ended;
    return status;
}
