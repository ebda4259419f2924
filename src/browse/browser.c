#include "browse/browser.h"

#include "base/limits.h"
#include "browse/opening.h"
#include "browse/pane.h"
#include "browse/shown_line.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRACE_ROWS_MIN = 3 };

// --- Messages ------------------------------------------------------------------------------------

void browser_say(struct browser *browser, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(browser->message, sizeof browser->message, format, arguments);
    va_end(arguments);
    browser->is_error = false;
}

void browser_complain(struct browser *browser, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(browser->message, sizeof browser->message, format, arguments);
    va_end(arguments);
    browser->is_error = true;
    size_t length = strlen(browser->message);
    if (browser->source->growth) // what is missing may be in the rest
        snprintf(browser->message + length, sizeof browser->message - length, "%s",
                 " (of what is indexed so far)");
}

void browser_tell(struct browser *browser, const char *text)
{
    browser_complain(browser, "%s", text);
}

bool browser_failed(const struct browser *browser, struct error *err)
{
    return browse_failed(browser->source, err) || timeline_failed(browser->timeline, err);
}

// --- Opening -------------------------------------------------------------------------------------

enum status browser_open(struct browser *browser, struct browse_source *source,
                         struct timeline *timeline, bool is_plain, struct error *err)
{
    *browser = (struct browser){
        .source = source,
        .timeline = timeline,
        .is_plain = is_plain,
        .width = 80,
        .height = 24,
        .has_syntax = true,
        .has_targets = true,
        .selected = UINT64_MAX,
        .threads = 2,
        .has_indentation = !is_plain,
    };
    view_open(&browser->view, timeline, 10);
    browser->view.is_strict = is_plain;
    if (is_plain)
        view_keep_numbers(&browser->view);
    // The pane that shows most of a position, depending on the trace.
    struct pane *pane = register_pane_has(browser, ARCH_GROUP_CORE)
                            ? register_pane_new(browser, ARCH_GROUP_CORE)
                        : trace_can(source->trace, TRACE_REGISTERS) ? named_pane_new(browser)
                                                                    : stack_pane_new(browser);
    if (!browser_add_pane(browser, pane))
        return error_set(err, STATUS_MEMORY, "no memory for a pane");
    if (source->rows == ROWS_CALLS && timeline->lane_count > 1) {
        // The first lane that has something to show.
        size_t lane = 0;
        while (lane + 1 < timeline->lane_count && !timeline->lanes[lane].calls.event_count)
            lane++;
        browser_show_lane(browser, lane + 1);
        view_show_again(&browser->view);
    }
    return STATUS_OK;
}

void browser_close(struct browser *browser)
{
    while (browser->pane_count)
        browser_close_pane(browser, browser->panes[0]);
    search_close(browser->search.search);
    search_close(browser->reads);
    shown_lines_close(browser->shown);
    view_close(&browser->view);
}

// --- The layout ----------------------------------------------------------------------------------

// Gives rows to the panes in order while there are any; the trace gets the rest, at least three.
static void lay_out(struct browser *browser)
{
    unsigned height = browser->height;
    unsigned rows = height > 2 ? height - 2 : 0; // without the status of the trace, and messages
    for (size_t i = 0; i < browser->pane_count; i++) {
        struct pane *pane = browser->panes[i];
        unsigned wanted =
            pane->kind->wanted ? pane->kind->wanted(browser, pane, browser->width) : pane->height;
        unsigned left = rows > TRACE_ROWS_MIN ? rows - TRACE_ROWS_MIN : 0;
        unsigned given = wanted + 1 < left ? wanted + 1 : left;
        pane->is_shown = given > 1;
        pane->rows = pane->is_shown ? given - 1 : 0;
        rows -= pane->is_shown ? given : 0;
    }
    if (rows != browser->view.rows)
        view_resize(&browser->view, rows);
    // A pane without rows cannot have the focus.
    if (browser->focus && !browser->focus->is_shown)
        browser->focus = NULL;
}

void browser_resize(struct browser *browser, unsigned width, unsigned height)
{
    browser->width = width < LIMIT_SCREEN_COLUMNS ? width : LIMIT_SCREEN_COLUMNS;
    browser->height = height < LIMIT_SCREEN_ROWS ? height : LIMIT_SCREEN_ROWS;
    browser->layouts++;
    lay_out(browser);
}

bool browser_add_pane(struct browser *browser, struct pane *pane)
{
    if (!pane) {
        browser_complain(browser, "No memory for another pane");
        return false;
    }
    if (browser->pane_count == LIMIT_BROWSER_PANES) {
        browser_complain(browser, "No more than %d panes", LIMIT_BROWSER_PANES);
        pane_free(pane);
        return false;
    }
    browser->panes[browser->pane_count++] = pane;
    browser->layouts++;
    lay_out(browser);
    return true;
}

void browser_close_pane(struct browser *browser, struct pane *pane)
{
    size_t kept = 0;
    for (size_t i = 0; i < browser->pane_count; i++) {
        if (browser->panes[i] != pane)
            browser->panes[kept++] = browser->panes[i];
    }
    browser->pane_count = kept;
    browser->layouts++;
    if (browser->focus == pane)
        browser->focus = NULL;
    pane_free(pane);
    lay_out(browser);
}

// --- The position --------------------------------------------------------------------------------

struct pane *browser_find_pane(const struct browser *browser, const struct pane_kind *kind)
{
    for (size_t i = 0; i < browser->pane_count; i++) {
        if (browser->panes[i]->kind == kind)
            return browser->panes[i];
    }
    return NULL;
}

void browser_moved(struct browser *browser)
{
    browser->selected = UINT64_MAX;
    for (size_t i = 0; i < browser->pane_count; i++) {
        struct pane *pane = browser->panes[i];
        if (!pane->is_locked)
            pane->has_marks = false;
        if (pane->kind->moved)
            pane->kind->moved(browser, pane);
    }
}

bool browser_can(struct browser *browser, unsigned abilities)
{
    const struct trace_kind *kind = browser->source->trace->kind;
    const char *lacking = trace_lacks(kind, abilities);
    if (lacking)
        browser_complain(browser, "%c%s has no %s", toupper((unsigned char)kind->words.a[0]),
                         kind->words.a + 1, lacking);
    return !lacking;
}

void browser_show_lane(struct browser *browser, size_t lane)
{
    struct timeline *timeline = browser->timeline;
    browser->lane = lane;
    for (size_t i = 0; i < timeline->lane_count; i++)
        timeline->lanes[i].is_left_out = lane && lane != i + 1;
}

// If the trace has its lanes one after the other, one is shown at a time.
static void show_lane_of(struct browser *browser, uint64_t event)
{
    uint64_t in_lane, lane;
    if (browser->source->rows != ROWS_CALLS || !browser->lane || event == TRAWL_START)
        return;
    lane = timeline_lane_of(browser->timeline, event, &in_lane);
    if (browser->timeline->lanes[lane].is_left_out)
        browser_show_lane(browser, (size_t)lane + 1);
}

void browser_begin_at(struct browser *browser, uint64_t event)
{
    show_lane_of(browser, event);
    view_go(&browser->view, event);
}

void browser_begin_where_it_matters(struct browser *browser)
{
    struct opening opening;
    opening_find(browser->source, browser->timeline, &opening);
    browser_begin_at(browser, opening.event);
    browser_say(browser, "Opened here: %s", opening.reason);
}

void browser_go(struct browser *browser, uint64_t event)
{
    // Adds the position to the list; what was ahead of it is forgotten.
    struct places *places = &browser->places;
    if (places->at == LIMIT_BROWSER_PLACES) {
        memmove(places->visited, places->visited + 1,
                (LIMIT_BROWSER_PLACES - 1) * sizeof places->visited[0]);
        places->at--;
    }
    places->visited[places->at++] = browser->view.state;
    places->count = places->at;
    show_lane_of(browser, event);
    view_go(&browser->view, event);
    browser_moved(browser);
}

// --- Numbers that are typed ----------------------------------------------------------------------

bool browser_number(struct browser *browser, const char *typed, bool with_names, uint64_t *value)
{
    struct expression expression;
    uint64_t event = browser->view.state;
    if (browse_parse(browser->source, event, with_names, typed, &expression, NULL) == STATUS_OK &&
        browse_evaluate(browser->source, &expression, event, value))
        return true;
    browser_complain(browser, "Invalid format for parameter");
    return false;
}

bool browser_line_event(struct browser *browser, uint64_t line, uint64_t *event)
{
    const struct index_view *indexed = browser->source->indexed;
    struct trawl_error err;
    uint64_t found;
    bool is_there = line > indexed->info.header_lines && line <= indexed->info.lines;
    if (is_there && trawl_event_at_line(indexed->index, line, &found, &err) == TRAWL_OK) {
        *event = found;
        return true;
    }
    browser_complain(browser, "No such line");
    return false;
}

bool browser_time_event(struct browser *browser, uint64_t time, uint64_t *event)
{
    struct trawl_error err;
    struct trawl_event about;
    const struct index_view *indexed = browser->source->indexed;
    uint64_t found, in_lane, lane = TRAWL_ANY_LANE, state = browser->view.state;
    // In traces of calls, a time is where the thread was at that time.
    bool is_calls = browser->source->rows == ROWS_CALLS;
    if (is_calls)
        lane = timeline_lane_of(browser->timeline, state == TRAWL_START ? 0 : state, &in_lane);
    if (trawl_event_at_time(indexed->index, lane, time, &found, &err) == TRAWL_OK &&
        found != TRAWL_START) {
        browse_event(browser->source, found, &about);
        if (is_calls || about.time == time) {
            *event = found;
            return true;
        }
    }
    browser_complain(browser,
                     is_calls ? "Nothing happened by that time" : "Nothing happens at that time");
    return false;
}

// --- Prompts -------------------------------------------------------------------------------------

void browser_ask(struct browser *browser, struct pane *pane, const struct prompt_kind *kind)
{
    browser->prompt = kind;
    browser->prompt_pane = pane;
    browser->typed[0] = '\0';
    browser->typed_length = 0;
    browser->is_completing = false;
}

void browser_ask_by_key(struct browser *browser, struct pane *pane,
                        const struct key_prompt *prompts, size_t count, uint32_t key)
{
    for (size_t i = 0; i < count; i++) {
        if (prompts[i].key == key)
            browser_ask(browser, pane, &prompts[i].kind);
    }
}

static void cut_typed(struct browser *browser, size_t length)
{
    browser->typed_length = length;
    browser->typed[length] = '\0';
}

static void prompt_key(struct browser *browser, uint32_t key)
{
    const struct prompt_kind *prompt = browser->prompt;
    char typed[PROMPT_BYTES];
    size_t length = browser->typed_length;
    bool is_completing = key == KEY_TAB && browser->prompt->complete;
    if (is_completing) {
        browser->prompt->complete(browser, browser->typed);
        browser->typed_length = strlen(browser->typed);
    }
    browser->is_completing = is_completing;
    switch (key) {
    case KEY_RETURN:
    case '\n':
        memcpy(typed, browser->typed, length + 1);
        browser->prompt = NULL;
        if (typed[0] || prompt->takes_empty)
            prompt->answer(browser, browser->prompt_pane, typed);
        return;
    case KEY_ESCAPE:
    case KEY_CTRL_G:
        browser->prompt = NULL;
        return;
    case KEY_CTRL_H:
    case KEY_DELETE:
        cut_typed(browser, length ? length - 1 : 0);
        break;
    case KEY_CTRL_W:
        while (length && browser->typed[length - 1] == ' ')
            length--;
        while (length && browser->typed[length - 1] != ' ')
            length--;
        cut_typed(browser, length);
        break;
    case KEY_CTRL_U:
        cut_typed(browser, 0);
        break;
    default:
        if (key >= 0x20 && key < 0x7f && length + 1 < sizeof browser->typed) {
            browser->typed[length] = (char)key;
            cut_typed(browser, length + 1);
        }
    }
    if (browser->prompt->typing)
        browser->prompt->typing(browser, browser->prompt_pane, browser->typed);
}

// --- Help ----------------------------------------------------------------------------------------

static const struct key_action common_keys[] = {
    {0, "Tab", "Go to the next pane", NULL},
    {0, "F1, F10", "Show this help", NULL},
    {0, "q", "Quit", NULL},
    {0},
};

static const struct key_action prompt_keys[] = {
    {0, "Return", "Accept what is typed", NULL},
    {0, "Esc, ^G", "Cancel", NULL},
    {0, "Backspace", "Delete a character", NULL},
    {0, "^W", "Delete a word", NULL},
    {0, "^U", "Delete all", NULL},
    {0},
};

// The width of the column of keys.
static unsigned key_width(const struct key_action *keys)
{
    unsigned width = 0;
    for (; keys->key || keys->name; keys++) {
        if (keys->meaning && strlen(keys->name) > width)
            width = (unsigned)strlen(keys->name);
    }
    return width;
}

// How many bytes of the words fit into a width.
static size_t fitting(const char *words, size_t width)
{
    size_t length = strlen(words), fits = 0;
    if (length <= width)
        return length;
    for (size_t i = 1; i <= width; i++) {
        if (words[i] == ' ')
            fits = i;
    }
    return fits ? fits : width ? width : 1;
}

// Draws line after line of the help; those above `top` only count.
struct help_writer {
    struct screen *screen; // NULL: only counts
    unsigned top, rows, line, column;
};

static void help_line(struct help_writer *writer, const char *key, const char *words, size_t length)
{
    unsigned line = writer->line++;
    if (!writer->screen || line < writer->top || line >= writer->top + writer->rows)
        return;
    struct row row = screen_row(writer->screen, line - writer->top);
    row_string(&row, ROLE_KEY, key);
    while (row.at < writer->column && row.at < row.width)
        row_string(&row, ROLE_HELP, " ");
    row_text(&row, ROLE_HELP, words, length);
}

static void help_section(struct help_writer *writer, const struct key_action *keys, unsigned width)
{
    for (; keys->key || keys->name; keys++) {
        const char *words = keys->meaning, *key = keys->name;
        if (!words)
            continue;
        size_t room = width > writer->column ? width - writer->column : 1;
        do {
            size_t length = fitting(words, room);
            help_line(writer, key, words, length);
            words += length;
            words += *words == ' ';
            key = "";
        } while (*words);
    }
}

static unsigned write_help(const struct browser *browser, struct screen *screen, unsigned top,
                           unsigned rows)
{
    const struct pane *focus = browser->focus;
    const struct key_action *keys = focus ? focus->kind->keys : trace_pane_keys;
    const struct key_action *extra_keys = focus ? focus->kind->extra_keys : trace_pane_extra_keys;
    if (browser->is_plain || browser->prompt) // the reference lacks them
        extra_keys = NULL;
    if (browser->prompt)
        keys = prompt_keys;
    unsigned column = key_width(keys), common = key_width(common_keys);
    unsigned more = extra_keys ? key_width(extra_keys) : 0;
    column = column > common ? column : common;
    struct help_writer writer = {screen, top, rows, 0, (column > more ? column : more) + 2};
    help_section(&writer, keys, browser->width);
    if (extra_keys) {
        help_line(&writer, "", "", 0);
        help_section(&writer, extra_keys, browser->width);
    }
    if (!browser->prompt) {
        help_line(&writer, "", "", 0);
        help_section(&writer, common_keys, browser->width);
    }
    return writer.line;
}

static void help_key(struct browser *browser, uint32_t key)
{
    unsigned rows = browser->height, lines = write_help(browser, NULL, 0, 0);
    unsigned end = lines > rows ? lines - rows : 0, page = rows > 1 ? rows - 1 : 1;
    unsigned top = browser->help_top;
    switch (key) {
    case KEY_UP_ARROW:
        top -= top > 0;
        break;
    case KEY_DOWN_ARROW:
        top++;
        break;
    case KEY_PAGE_UP:
        top -= top < page ? top : page;
        break;
    case KEY_PAGE_DOWN:
        top += page;
        break;
    default:
        browser->has_help = false;
    }
    browser->help_top = top < end ? top : end;
}

// --- Keys ----------------------------------------------------------------------------------------

bool browser_act(struct browser *browser, const struct key_action *keys, struct pane *pane,
                 uint32_t key)
{
    for (; keys->key || keys->name; keys++) {
        if (keys->act && keys->key == key) {
            keys->act(browser, pane, key);
            return true;
        }
    }
    return false;
}

void browser_key(struct browser *browser, uint32_t key)
{
    const struct source *source = browser->source->trace->source;
    struct pane *pane = browser->focus;
    if (browser->has_help) {
        help_key(browser, key);
        return;
    }
    browser->message[0] = '\0';
    if (source_has_grown(source))
        browser_say(browser, "The trace has grown: this shows its earlier contents");
    else if (!source_seems_intact(source))
        browser_complain(browser, "The trace was changed: what is shown here may be wrong");
    else if (source_is_replaced(source))
        browser_complain(browser, "The trace was replaced: this shows the previous one");
    if (key != KEY_CTRL_L)
        browser->recentred = 0;
    if (key == KEY_FUNCTION + 1 || key == KEY_FUNCTION + 10) {
        browser->has_help = true;
        browser->help_top = 0;
    } else if (browser->prompt) {
        prompt_key(browser, key);
    } else if (key == KEY_TAB) {
        size_t at = 0;
        while (browser->focus && browser->panes[at++] != browser->focus)
            ;
        while (at < browser->pane_count && !browser->panes[at]->is_shown)
            at++;
        browser->focus = at < browser->pane_count ? browser->panes[at] : NULL;
    } else if (key == 'q') {
        browser->is_done = true;
    } else if (!browser_act(browser, pane ? pane->kind->keys : trace_pane_keys, pane, key) &&
               !browser->is_plain &&
               !(pane && pane->kind->extra_keys &&
                 browser_act(browser, pane->kind->extra_keys, pane, key)) &&
               // These keys belong to the trace, whichever pane has the focus.
               (!pane || key == '/' || key == '?' || key == ':')) {
        browser_act(browser, trace_pane_extra_keys, NULL, key);
    }
    lay_out(browser);
}

// --- The mouse -----------------------------------------------------------------------------------

void browser_click(struct browser *browser, unsigned x, unsigned y)
{
    unsigned end = (unsigned)browser->view.rows;
    (void)x;
    if (browser->has_help || browser->prompt)
        return;
    browser->message[0] = '\0';
    if (y < end) {
        struct line_at at = browser->view.top;
        browser->focus = NULL;
        if (view_lines_below(&browser->view, &at, y) && at.event != browser->view.shown) {
            view_go(&browser->view, at.event);
            browser_moved(browser);
        }
        return;
    }
    end++;
    for (size_t i = 0; i < browser->pane_count && y >= end; i++) {
        if (!browser->panes[i]->is_shown)
            continue;
        end += browser->panes[i]->rows + 1;
        if (y < end)
            browser->focus = browser->panes[i];
    }
}

void browser_wheel(struct browser *browser, int lines)
{
    uint32_t key = lines < 0 ? KEY_UP_ARROW : KEY_DOWN_ARROW;
    for (int i = lines < 0 ? -lines : lines; i > 0 && !browser->prompt; i--)
        browser_key(browser, key);
}

// --- Drawing -------------------------------------------------------------------------------------

static void draw_status(struct browser *browser, struct screen *screen, struct pane *pane,
                        unsigned y)
{
    struct row row = screen_row(screen, y);
    if (pane)
        pane->kind->status(browser, pane, &row);
    else
        trace_pane_status(browser, &row);
    row_fill(&row, ROLE_STATUS);
}

static const char *hint(const struct browser *browser)
{
    const struct growth *growth = browser->source->growth;
    if (growth)
        return growth->is_cancelled
                   ? "Down at the end: the text alone  F9 build the index  F1 keys  q quit"
                   : "Down at the end: the text alone  F9 cancel the index  F1 keys  q quit";
    return "F1 keys  / search  > < over  o O out  c calls  v watch  s source  - + fold  "
           "^O back  q quit";
}

static void draw_message(struct browser *browser, struct screen *screen)
{
    if (!screen->height)
        return;
    struct row row = screen_row(screen, screen->height - 1);
    if (!browser->prompt) {
        row_string(&row, browser->is_error ? ROLE_ERROR : ROLE_MESSAGE, browser->message);
        if (browser->is_plain || browser->message[0])
            return;
        if (browser->search.search)
            browser_search_status(browser, &row);
        else
            row_string(&row, ROLE_HINT, hint(browser));
        return;
    }
    row_string(&row, ROLE_MESSAGE, browser->prompt->text);
    row_text(&row, ROLE_MESSAGE, browser->typed, browser->typed_length);
    struct row rest = row;
    if (browser->message[0])
        row_format(&rest, ROLE_ERROR, "   %s", browser->message);
    else if (browser->prompt->complete)
        row_string(&rest, ROLE_HINT, "   Tab completes");
    screen->has_cursor = true;
    screen->cursor_y = screen->height - 1;
    screen->cursor_x = row.at < screen->width ? row.at : screen->width - 1;
}

bool browser_draw(struct browser *browser, struct screen *screen)
{
    struct search *search = browser->search.search;
    // A search that ends from here on is not drawn yet.
    browser->search.is_drawn = search && search_progress(search).is_done;
    if (!screen_clear(screen, browser->width, browser->height))
        return false;
    if (!screen->width || !screen->height)
        return true;
    if (browser->has_help) {
        unsigned rows = screen->height, lines = write_help(browser, NULL, 0, 0);
        write_help(browser, screen, browser->help_top, rows);
        if (rows && browser->help_top + rows < lines) {
            struct row row = screen_row(screen, rows - 1);
            row_string(&row, ROLE_HINT, "(scroll down for more)");
            row_fill(&row, ROLE_HINT);
        }
        if (rows && browser->help_top) {
            struct row row = screen_row(screen, 0);
            row_string(&row, ROLE_HINT, "(scroll up for more)");
            row_fill(&row, ROLE_HINT);
        }
        return true;
    }
    unsigned y = (unsigned)browser->view.rows;
    trace_pane_draw(browser, screen, y);
    if (y + 1 < screen->height)
        draw_status(browser, screen, NULL, y++);
    for (size_t i = 0; i < browser->pane_count; i++) {
        struct pane *pane = browser->panes[i];
        if (!pane->is_shown)
            continue;
        pane->kind->draw(browser, pane, screen, y, pane->rows);
        y += pane->rows;
        draw_status(browser, screen, pane, y++);
    }
    draw_message(browser, screen);
    return true;
}
