// The whole trace in one row: its depth of calls, and below it exceptions, marks and hits of the
// search. A column stands for a number of events.
#include "browse/pane.h"
#include "browse/search.h"

#include <inttypes.h>

enum { ROWS = 3 };

struct overview_pane {
    struct pane pane;
    unsigned selected; // column
};

static struct overview_pane *of(struct pane *pane)
{
    return (struct overview_pane *)(void *)pane;
}

// The first event of a column; that of the one after the last is the number of events.
static uint64_t first_event(const struct browser *browser, unsigned column)
{
    unsigned __int128 events = browser->timeline->event_count;
    return (uint64_t)(events * column / (browser->width ? browser->width : 1));
}

static unsigned column_of(const struct browser *browser, uint64_t event)
{
    unsigned behind;
    PARTITION_POINT(behind, browser->width, first_event(browser, (unsigned)middle) <= event);
    return behind - (behind > 0);
}

// --- Drawing -------------------------------------------------------------------------------------

static char depth_at(struct browser *browser, uint64_t event)
{
    uint64_t in_lane, lane = timeline_lane_of(browser->timeline, event, &in_lane);
    struct trawl_call call;
    struct trawl_error err;
    if (trawl_call_at(browser->source->indexed->index, lane, in_lane, &call, &err) != TRAWL_OK)
        return '.';
    return call.depth < 10 ? (char)('0' + call.depth) : '+';
}

// The first exception at or after an event; the number of events where none is.
static uint64_t next_exception(const struct browser *browser, uint64_t event)
{
    struct trawl_error err;
    uint64_t visit;
    if (trawl_visit(browser->source->indexed->index, TRAWL_ANY_LANE, TRAWL_EXCEPTIONS, event - 1,
                    TRAWL_FORWARD, &visit, &err) == TRAWL_OK)
        return visit; // of the first event: from TRAWL_START on
    return browser->timeline->event_count;
}

// The place of an event for the current search.
static uint64_t place_of(struct browser *browser, uint64_t event)
{
    struct trawl_event about;
    if (event >= browser->timeline->event_count)
        return UINT64_MAX;
    if (event_search_is(browser->search.search) || name_search_is(browser->search.search))
        return event;
    browse_event(browser->source, event, &about);
    return about.position;
}

static char mark_in(const struct browser *browser, uint64_t first, uint64_t end)
{
    for (size_t i = 0; i < MARK_COUNT; i++) {
        const struct mark *mark = &browser->marks.marks[i];
        uint64_t event = mark->event == TRAWL_START ? 0 : mark->event;
        if (mark->is_set && event >= first && event < end)
            return (char)('a' + i);
    }
    return '\0';
}

static void put(struct row *row, enum role role, char character)
{
    row_text(row, role, &character, 1);
}

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct overview_pane *pane = of(self);
    struct row depths = screen_row(screen, y);
    struct row things = rows > 1 ? screen_row(screen, y + 1) : (struct row){0};
    struct row here = rows > 2 ? screen_row(screen, y + 2) : (struct row){0};
    uint64_t state = browser->view.state, exception = next_exception(browser, 0);
    struct search *search = browser->search.search;
    unsigned now = column_of(browser, state == TRAWL_START ? 0 : state);
    for (unsigned column = 0; column < browser->width; column++) {
        uint64_t first = first_event(browser, column), end = first_event(browser, column + 1);
        char mark = mark_in(browser, first, end);
        bool is_hit = !mark && first < end && search &&
                      search_has_hits(search, place_of(browser, first), place_of(browser, end));
        // Columns ascend: this is the first exception that is not before the previous column.
        if (first < end && exception < first)
            exception = next_exception(browser, first);
        bool is_exception = exception >= first && exception < end;
        put(&depths, ROLE_VALUE, depth_at(browser, first));
        put(&things,
            mark     ? ROLE_KEY
            : is_hit ? ROLE_MATCH
                     : ROLE_FAILED,
            mark           ? mark
            : is_hit       ? '*'
            : is_exception ? 'E'
                           : ' ');
        put(&here, ROLE_KEY, column == now ? '^' : ' ');
    }
    if (browser->focus != self)
        return;
    screen->has_cursor = true;
    screen->cursor_x = pane->selected < screen->width ? pane->selected : screen->width - 1;
    screen->cursor_y = y;
}

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    (void)self;
    row_format(row, ROLE_STATUS, "Overview: depth of calls, E exception, * hit, a to z mark");
    row_format(row, ROLE_STATUS, "   %" PRIu64 " events a column",
               first_event(browser, 1) ? first_event(browser, 1) : 1);
}

static unsigned wanted_rows(struct browser *browser, struct pane *self, unsigned width)
{
    (void)browser, (void)self, (void)width;
    return ROWS;
}

// --- Keys ----------------------------------------------------------------------------------------

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    struct overview_pane *pane = of(self);
    unsigned last = browser->width ? browser->width - 1 : 0;
    if (key == KEY_LEFT_ARROW)
        pane->selected -= pane->selected > 0;
    else
        pane->selected++;
    pane->selected = pane->selected < last ? pane->selected : last;
}

static void go(struct browser *browser, struct pane *self, uint32_t key)
{
    uint64_t event = first_event(browser, of(self)->selected);
    (void)key;
    if (event < browser->timeline->event_count)
        browser_go(browser, event);
}

static void moved(struct browser *browser, struct pane *self)
{
    uint64_t state = browser->view.state;
    if (browser->focus != self)
        of(self)->selected = column_of(browser, state == TRAWL_START ? 0 : state);
}

static const struct key_action overview_keys[] = {
    {KEY_LEFT_ARROW, "Left, Right", "Select another column", move},
    {KEY_RIGHT_ARROW, "", NULL, move},
    {KEY_RETURN, "Return", "Go there", go},
    {'x', "x", "Close the pane", pane_close},
    {0, "", "", NULL},
    {0},
};

const struct pane_kind overview_kind = {
    .name = "overview",
    .keys = overview_keys,
    .wanted = wanted_rows,
    .draw = draw,
    .status = status,
    .moved = moved,
};

struct pane *overview_pane_new(struct browser *browser)
{
    struct pane *made = pane_new(&overview_kind, sizeof(struct overview_pane), ROWS);
    if (made)
        moved(browser, made);
    return made;
}
