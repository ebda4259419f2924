#include "browse/pair.h"

#include "analysis/point.h"
#include "base/limits.h"
#include "browse/pane.h"
#include "browse/renewal.h"

#include <inttypes.h>

enum { KEY_SPLIT = '|', KEY_DIFFERENCE = '~', EVENTS_AT_ONCE = 1024 };

static struct browser *focused(const struct pair *pair)
{
    return pair->sides[pair->focus];
}

// The side after the focused one.
static unsigned next_side(const struct pair *pair)
{
    return (pair->focus + 1) % pair->count;
}

static bool is_one_trace(const struct pair *pair)
{
    return pair->sides[0]->source == pair->sides[1]->source;
}

// --- Positions -----------------------------------------------------------------------------------

// How many events of its lane are done at a position; the lane is that of the event.
static uint64_t done_at(struct browser *browser, uint64_t *lane)
{
    uint64_t in_lane, state = browser->view.state;
    bool is_start = state == TRAWL_START;
    *lane = timeline_lane_of(browser->timeline, is_start ? 0 : state, &in_lane);
    return is_start ? 0 : in_lane + 1;
}

static void set_anchors(struct pair *pair)
{
    uint64_t lane;
    for (size_t i = 0; i < ARRAY_COUNT(pair->anchors) && pair->count > 1; i++)
        pair->anchors[i] = done_at(pair->sides[i], &lane);
}

static void move_to(struct browser *browser, uint64_t event)
{
    if (browser->view.state == event)
        return;
    view_go(&browser->view, event);
    browser_moved(browser);
}

// Moves a side to where its lane was at an event of the trace.
static void follow_event(struct browser *to, uint64_t event)
{
    const struct index_view *indexed = to->source->indexed;
    struct trawl_event about;
    struct trawl_error failure;
    struct error err;
    uint64_t found;
    if (event == TRAWL_START || !to->lane) {
        move_to(to, event);
    } else if (to->source->rows == ROWS_CALLS) {
        browse_event(to->source, event, &about);
        if (trawl_event_at_time(indexed->index, to->lane - 1, about.time, &found, &failure) ==
            TRAWL_OK)
            move_to(to, found);
    } else if (point_in_lane(indexed, to->lane - 1, event, &about, &err) == STATUS_OK) {
        move_to(to, about.event);
    }
}

// For two traces: moves the other to the same distance from the common place.
static void follow_in_other(struct pair *pair)
{
    struct browser *from = focused(pair), *to = pair->sides[next_side(pair)];
    uint64_t lane, ignored, count;
    uint64_t done = done_at(from, &ignored), anchor = pair->anchors[pair->focus];
    uint64_t theirs = pair->anchors[!pair->focus];
    done_at(to, &lane);
    count = to->timeline->lanes[lane].calls.event_count;
    if (done >= anchor)
        theirs += u64_min(done - anchor, count - theirs);
    else
        theirs -= u64_min(anchor - done, theirs);
    move_to(to, theirs ? timeline_event_of(to->timeline, lane, theirs - 1) : TRAWL_START);
}

static void follow(struct pair *pair)
{
    if (!is_one_trace(pair))
        follow_in_other(pair);
    else
        for (unsigned i = 0; i < pair->count; i++) {
            if (i != pair->focus)
                follow_event(pair->sides[i], focused(pair)->view.state);
        }
}

// --- The first difference ------------------------------------------------------------------------

// The events of a lane from a position on, block by block.
struct reader {
    struct browser *browser;
    uint64_t lane, next; // the next event of the trace to read
    uint64_t lanes[EVENTS_AT_ONCE], pcs[EVENTS_AT_ONCE];
    size_t at, count;
};

// The next event of the lane. False: there is none.
static bool next_event(struct reader *reader, uint64_t *event, uint64_t *pc)
{
    const struct trawl_event_columns columns = {.lane = reader->lanes, .pc = reader->pcs};
    struct trawl_index *index = reader->browser->source->indexed->index;
    for (;;) {
        for (; reader->at < reader->count; reader->at++) {
            if (reader->lanes[reader->at] != reader->lane)
                continue;
            *event = reader->next - reader->count + reader->at;
            *pc = reader->pcs[reader->at++];
            return true;
        }
        reader->at = 0;
        if (trawl_events(index, reader->next, EVENTS_AT_ONCE, &columns, &reader->count, NULL) !=
                TRAWL_OK ||
            !reader->count)
            return false;
        reader->next += reader->count;
    }
}

static void begin_reader(struct reader *reader, struct browser *browser)
{
    *reader = (struct reader){.browser = browser, .next = browser->view.state + 1};
    done_at(browser, &reader->lane);
}

// Moves to before the first event in which both sides differ.
static void find_difference(struct pair *pair)
{
    struct reader readers[2];
    uint64_t events[2], pcs[2], before[2];
    bool has[2] = {true, true};
    // A difference already found is not the next one.
    bool is_again = pair->has_difference && pair->difference[0] == pair->sides[0]->view.state &&
                    pair->difference[1] == pair->sides[1]->view.state;
    for (size_t i = 0; i < 2; i++) {
        begin_reader(&readers[i], pair->sides[i]);
        before[i] = pair->sides[i]->view.state;
    }
    for (uint64_t n = 0; n < LIMIT_PAIR_EVENTS; n++) {
        for (size_t i = 0; i < 2; i++)
            has[i] = next_event(&readers[i], &events[i], &pcs[i]);
        if (!has[0] || !has[1] || ((n || !is_again) && pcs[0] != pcs[1]))
            break;
        memcpy(before, events, sizeof before);
    }
    for (size_t i = 0; i < 2; i++)
        browser_go(pair->sides[i], before[i]);
    pair->has_difference = true;
    memcpy(pair->difference, before, sizeof before);
    set_anchors(pair);
    if (has[0] && has[1] && pcs[0] != pcs[1])
        browser_say(focused(pair), "0x%" PRIx64 " comes next here, 0x%" PRIx64 " there",
                    pcs[pair->focus] & ~UINT64_C(1), pcs[!pair->focus] & ~UINT64_C(1));
    else if (has[0] && has[1])
        browser_say(focused(pair), "No difference up to here");
    else if (has[0] == has[1])
        browser_say(focused(pair), "No difference up to the end of both");
    else
        browser_say(focused(pair), "No difference up to the end of %s",
                    has[pair->focus] ? "the other" : "this");
}

// --- Two sides -----------------------------------------------------------------------------------

// The columns of a side; the remainder belongs to the last one.
static unsigned width_of(const struct pair *pair, unsigned side)
{
    unsigned lines = pair->count - 1, width = pair->width > lines ? pair->width - lines : 0;
    unsigned share = width / pair->count;
    return side + 1 < pair->count ? share : width - share * (pair->count - 1);
}

// Where a side begins.
static unsigned column_of(const struct pair *pair, unsigned side)
{
    return side * (width_of(pair, 0) + (pair->width > 0)); // only the last one may be wider
}

static void lay_out(struct pair *pair)
{
    for (unsigned i = 0; i < pair->count; i++)
        browser_resize(pair->sides[i], width_of(pair, i), pair->height);
}

static void unsplit(struct pair *pair)
{
    while (pair->own_count) {
        struct own_side *own = &pair->own[--pair->own_count];
        browser_close(&own->browser);
        timeline_close(&own->timeline);
        pair->sides[--pair->count] = NULL;
        pair->focus = 0;
    }
}

// If there are several lanes, each side shows one: the first that of the position, and the
// others those after it.
static void give_lanes(struct pair *pair)
{
    struct browser *first = pair->sides[0];
    size_t lanes = first->timeline->lane_count;
    uint64_t lane, state = focused(pair)->view.state;
    if (lanes < 2)
        return;
    done_at(first, &lane);
    browser_show_lane(first, first->lane ? first->lane : (size_t)lane + 1);
    for (unsigned i = 0; i < pair->count; i++) {
        browser_show_lane(pair->sides[i], (first->lane - 1 + i) % lanes + 1);
        view_show_again(&pair->sides[i]->view);
        follow_event(pair->sides[i], state);
    }
}

// Adds a side.
static void split(struct pair *pair)
{
    struct browser *first = pair->sides[0];
    struct own_side *own = &pair->own[pair->own_count];
    struct error err;
    enum status status = timeline_open(&own->timeline, first->source->indexed, &err);
    if (status == STATUS_OK) {
        status = browser_open(&own->browser, first->source, &own->timeline, false, &err);
        if (status != STATUS_OK)
            browser_close(&own->browser);
    }
    if (status != STATUS_OK) {
        timeline_close(&own->timeline);
        browser_complain(first, "%s", err.text);
        return;
    }
    own->browser.threads = first->threads;
    own->browser.source_search = first->source_search;
    own->browser.has_indentation = first->has_indentation;
    pair->sides[pair->count++] = &own->browser;
    pair->is_coupled |= pair->own_count++ == 0;
    view_go(&own->browser.view, focused(pair)->view.state);
    lay_out(pair);
    give_lanes(pair);
}

// Whether there is a lane and room for another side. Two sides always have room.
static bool can_split(const struct pair *pair)
{
    enum { COLUMNS_MIN = 20 };
    size_t lanes = pair->sides[0]->timeline->lane_count;
    return pair->count == 1 ||
           (pair->own_count && pair->count < lanes && pair->count < LIMIT_BROWSER_SIDES &&
            pair->width >= (pair->count + 1) * (COLUMNS_MIN + 1));
}

// --- Keys ----------------------------------------------------------------------------------------

static void change_coupling(struct pair *pair)
{
    pair->is_coupled = !pair->is_coupled;
    set_anchors(pair);
    browser_say(focused(pair), pair->is_coupled ? pair->count > 2 ? "All sides move together"
                                                                  : "Both sides move together"
                                                : "Each side moves alone");
}

// Handles the keys that concern all sides. False: it is another key.
static bool take_key(struct pair *pair, uint32_t key)
{
    struct browser *browser = focused(pair);
    if (browser->is_plain || browser->prompt || browser->has_help)
        return false;
    if (key == KEY_SPLIT && can_split(pair))
        split(pair);
    else if (key == KEY_SPLIT && pair->own_count)
        unsplit(pair);
    else if (key == KEY_BACK_TAB && pair->count > 1)
        pair->focus = next_side(pair);
    else if (key == KEY_FUNCTION + 8 && pair->count > 1)
        change_coupling(pair);
    else if (key == KEY_DIFFERENCE && pair->count == 2)
        find_difference(pair);
    else if (key == KEY_DIFFERENCE && pair->count > 2)
        browser_complain(browser, "Only with two sides");
    else
        return key == KEY_SPLIT;
    lay_out(pair);
    return true;
}

static void follow_from(struct pair *pair, uint64_t before)
{
    if (pair->count > 1 && pair->is_coupled && focused(pair)->view.state != before)
        follow(pair);
}

// For both traces, if there are two.
static struct renewal renew_indexes(struct pair *pair)
{
    struct renewal first =
        renew_index(pair->sides[0]->source, pair->sides, ARRAY_COUNT(pair->sides));
    if (pair->count == 1 || is_one_trace(pair))
        return first;
    struct renewal second =
        renew_index(pair->sides[1]->source, pair->sides, ARRAY_COUNT(pair->sides));
    return second.is_told ? second : first;
}

static void tell(struct browser *browser, const struct renewal *renewal)
{
    if (renewal->is_told && renewal->is_fault)
        browser_complain(browser, "%s", renewal->text);
    else if (renewal->is_told)
        browser_say(browser, "%s", renewal->text);
}

void pair_key(struct pair *pair, uint32_t key)
{
    struct browser *browser = focused(pair);
    struct renewal renewal = renew_indexes(pair);
    uint64_t before = browser->view.state;
    if (!take_key(pair, key)) {
        browser_key(browser, key);
        follow_from(pair, before);
    }
    tell(focused(pair), &renewal);
}

void pair_click(struct pair *pair, unsigned x, unsigned y)
{
    for (unsigned i = 0; i < pair->count; i++) {
        if (x >= column_of(pair, i) && x < column_of(pair, i) + width_of(pair, i))
            pair->focus = i;
    }
    uint64_t before = focused(pair)->view.state;
    unsigned start = column_of(pair, pair->focus);
    browser_click(focused(pair), x > start ? x - start : 0, y);
    follow_from(pair, before);
}

void pair_wheel(struct pair *pair, int lines)
{
    uint64_t before = focused(pair)->view.state;
    browser_wheel(focused(pair), lines);
    follow_from(pair, before);
}

void pair_resize(struct pair *pair, unsigned width, unsigned height)
{
    pair->width = width < LIMIT_SCREEN_COLUMNS ? width : LIMIT_SCREEN_COLUMNS;
    pair->height = height < LIMIT_SCREEN_ROWS ? height : LIMIT_SCREEN_ROWS;
    lay_out(pair);
}

// --- As one --------------------------------------------------------------------------------------

void pair_open(struct pair *pair, struct browser *first, struct browser *second)
{
    *pair = (struct pair){.sides = {first, second}, .count = second ? 2 : 1, .is_coupled = true};
    pair->width = first->width;
    pair->height = first->height;
    set_anchors(pair);
}

void pair_close(struct pair *pair)
{
    unsplit(pair);
    screen_free(&pair->part);
}

static const struct growth *growth_of(const struct pair *pair)
{
    return pair->sides[0]->source->growth;
}

bool pair_is_busy(const struct pair *pair)
{
    bool is_busy = growth_of(pair) != NULL;
    for (unsigned i = 0; i < pair->count; i++)
        is_busy |= browser_is_busy(pair->sides[i]);
    return is_busy;
}

bool pair_wants_text(const struct pair *pair)
{
    return growth_of(pair) && growth_of(pair)->wants_text;
}

void pair_tick(struct pair *pair)
{
    struct renewal renewal = {0};
    if (growth_of(pair))
        renewal = renew_grown(pair->sides[0]->source, pair->sides, ARRAY_COUNT(pair->sides));
    tell(focused(pair), &renewal);
    uint64_t before = focused(pair)->view.state;
    for (unsigned i = 0; i < pair->count; i++)
        browser_tick(pair->sides[i]);
    follow_from(pair, before);
}

bool pair_is_done(const struct pair *pair)
{
    bool is_done = pair_wants_text(pair);
    for (unsigned i = 0; i < pair->count; i++)
        is_done |= pair->sides[i]->is_done;
    return is_done;
}

bool pair_failed(const struct pair *pair, struct error *err)
{
    for (unsigned i = 0; i < pair->count; i++) {
        if (browser_failed(pair->sides[i], err))
            return true;
    }
    return false;
}

// Draws a side, and the line before it, which points to the focused side.
static bool draw_side(struct pair *pair, unsigned side, struct screen *screen)
{
    struct screen *part = &pair->part;
    unsigned column = column_of(pair, side);
    if (!browser_draw(pair->sides[side], part))
        return false;
    for (unsigned y = 0; y < part->height && y < screen->height && part->width; y++)
        memcpy(&screen->cells[(size_t)y * screen->width + column],
               &part->cells[(size_t)y * part->width], part->width * sizeof *part->cells);
    for (unsigned y = 0; y < screen->height && side && column && column <= screen->width; y++)
        screen->cells[(size_t)y * screen->width + column - 1] =
            (struct cell){pair->focus >= side ? '>' : '<', ROLE_HINT, 0};
    if (side == pair->focus && part->has_cursor) {
        screen->has_cursor = true;
        screen->cursor_x = column + part->cursor_x;
        screen->cursor_y = part->cursor_y;
    }
    return true;
}

bool pair_draw(struct pair *pair, struct screen *screen)
{
    if (pair->count == 1)
        return browser_draw(pair->sides[0], screen);
    bool has_memory = screen_clear(screen, pair->width, pair->height);
    for (unsigned i = 0; i < pair->count && has_memory; i++)
        has_memory = draw_side(pair, i, screen);
    return has_memory;
}
