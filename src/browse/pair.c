#include "browse/browser.h"

#include "base/limits.h"
#include "browse/pane.h"
#include "query/point.h"
#include "session/session_index.h"

#include <inttypes.h>
#include <stdio.h>

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

// The focused side has moved, if it was elsewhere before: moves the others.
static void follow(struct pair *pair, uint64_t before)
{
    struct browser *from = focused(pair);
    uint64_t lane, ignored;
    if (pair->count < 2 || !pair->is_coupled || from->view.state == before)
        return;
    if (is_one_trace(pair)) {
        for (unsigned i = 0; i < pair->count; i++) {
            if (i != pair->focus)
                follow_event(pair->sides[i], from->view.state);
        }
        return;
    }
    // Two traces: to the same distance from the common place.
    struct browser *to = pair->sides[next_side(pair)];
    uint64_t done = done_at(from, &ignored), anchor = pair->anchors[pair->focus];
    uint64_t theirs = pair->anchors[!pair->focus];
    done_at(to, &lane);
    if (done >= anchor)
        theirs += u64_min(done - anchor, to->timeline->lanes[lane].calls.event_count - theirs);
    else
        theirs -= u64_min(anchor - done, theirs);
    move_to(to, theirs ? timeline_event_of(to->timeline, lane, theirs - 1) : TRAWL_START);
}

// --- Another index -------------------------------------------------------------------------------

// What to report.
struct renewal {
    bool is_told; // there is something to report
    bool is_fault;
    char text[MESSAGE_BYTES];
};

static enum status take_up(struct browser *browser, struct error *err)
{
    uint64_t selected = browser->selected;
    enum status status = timeline_renew(browser->timeline, err);
    if (status != STATUS_OK)
        return status;
    view_take_up(&browser->view);
    for (size_t i = 0; i < browser->pane_count; i++) {
        struct pane *pane = browser->panes[i];
        if (pane->kind->renew)
            pane->kind->renew(browser, pane);
    }
    browser_moved(browser);
    browser->selected = selected;
    return STATUS_OK;
}

// All browsers of a source use another index of the same events, or of more: the position, folds
// and panes stay.
static enum status replace(struct pair *pair, struct browse_source *source,
                           struct index_view *fresh, struct error *err)
{
    enum status status = STATUS_OK;
    for (unsigned i = 0; i < pair->count; i++) {
        if (pair->sides[i]->source == source) {
            // Ends all background work that reads the index.
            struct browser *browser = pair->sides[i];
            browser_end_search(browser, NULL, 0);
            browser_let_go_of_reads(browser);
            view_let_go(&browser->view);
            for (size_t j = 0; j < browser->pane_count; j++) {
                struct pane *pane = browser->panes[j];
                if (pane->kind->let_go)
                    pane->kind->let_go(pane);
            }
        }
    }
    session_take_view(source->session, fresh);
    browse_source_renew(source);
    for (unsigned i = 0; i < pair->count && status == STATUS_OK; i++) {
        if (pair->sides[i]->source == source)
            status = take_up(pair->sides[i], err);
    }
    return status;
}

// Looks whether there is another index of a source: its file was replaced while the user browses,
// or the index of what was read so far has grown. The latter is only reported when it is complete
// and a search ended because of it.
static struct renewal renew(struct pair *pair, struct browse_source *source)
{
    struct renewal told = {0};
    struct growth *growth = source->growth;
    struct index_view fresh;
    struct error err;
    bool has_search = false;
    for (unsigned i = 0; growth && i < pair->count; i++) {
        const struct browser *browser = pair->sides[i];
        if (browser->source != source)
            continue;
        if (browser->prompt || browser->has_help) // another index would cut it short
            return told;
        has_search |= browser->search.search || browser->reads;
    }
    enum index_turn turn = growth ? growth->look(growth->self, has_search, &fresh)
                                  : session_look_for_index(source->session, &fresh, &err);
    switch (turn) {
    case INDEX_STAYS:
        return told;
    case INDEX_FAILED:
        pair->sides[0]->is_done = true;
        return told;
    case INDEX_IS_UNFIT:
        if (!index_view_is_intact(source->indexed->index)) {
            browse_source_lose(source);
            return told;
        }
        snprintf(told.text, sizeof told.text, "The previous index stays in use: %s", err.text);
        told.is_told = told.is_fault = true;
        return told;
    case INDEX_IS_WHOLE:
        source->growth = NULL;
        break;
    case INDEX_IS_NEW:
    case INDEX_HAS_GROWN:
        break;
    }
    told.is_fault = replace(pair, source, &fresh, &err) != STATUS_OK;
    told.is_told = told.is_fault || turn == INDEX_IS_NEW || (turn == INDEX_IS_WHOLE && has_search);
    snprintf(told.text, sizeof told.text, "%s",
             told.is_fault          ? err.text
             : turn == INDEX_IS_NEW ? "The index was replaced: the new one is used now"
                                    : "The index is complete: search again to find more");
    return told;
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
        before[i] = pair->sides[i]->view.state;
        readers[i] = (struct reader){.browser = pair->sides[i], .next = before[i] + 1};
        done_at(pair->sides[i], &readers[i].lane);
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
    uint64_t lane, state = focused(pair)->view.state;
    view_go(&own->browser.view, state);
    lay_out(pair);
    size_t lanes = first->timeline->lane_count;
    if (lanes < 2)
        return;
    // Each side shows a lane: the first that of the position, and the others those after it.
    done_at(first, &lane);
    browser_show_lane(first, first->lane ? first->lane : (size_t)lane + 1);
    for (unsigned i = 0; i < pair->count; i++) {
        browser_show_lane(pair->sides[i], (first->lane - 1 + i) % lanes + 1);
        view_show_again(&pair->sides[i]->view);
        follow_event(pair->sides[i], state);
    }
}

// --- Keys ----------------------------------------------------------------------------------------

// Handles the keys that concern all sides. False: it is another key.
static bool take_key(struct pair *pair, uint32_t key)
{
    enum { COLUMNS_MIN = 20 };
    struct browser *browser = focused(pair);
    size_t lanes = pair->sides[0]->timeline->lane_count;
    if (browser->is_plain || browser->prompt || browser->has_help)
        return false;
    // Whether there is a lane and room for another side. Two sides always have room.
    bool can_split = pair->count == 1 ||
                     (pair->own_count && pair->count < lanes && pair->count < LIMIT_BROWSER_SIDES &&
                      pair->width >= (pair->count + 1) * (COLUMNS_MIN + 1));
    if (key == KEY_SPLIT && can_split) {
        split(pair);
    } else if (key == KEY_SPLIT && pair->own_count) {
        unsplit(pair);
    } else if (key == KEY_BACK_TAB && pair->count > 1) {
        pair->focus = next_side(pair);
    } else if (key == KEY_FUNCTION + 8 && pair->count > 1) {
        pair->is_coupled = !pair->is_coupled;
        set_anchors(pair);
        browser_say(browser, !pair->is_coupled ? "Each side moves alone"
                             : pair->count > 2 ? "All sides move together"
                                               : "Both sides move together");
    } else if (key == KEY_DIFFERENCE && pair->count == 2) {
        find_difference(pair);
    } else if (key == KEY_DIFFERENCE && pair->count > 2) {
        browser_complain(browser, "Only with two sides");
    } else {
        return key == KEY_SPLIT;
    }
    lay_out(pair);
    return true;
}

static const struct growth *growth_of(const struct pair *pair)
{
    return pair->sides[0]->source->growth;
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
    struct renewal renewal = {0};
    if (!growth_of(pair))
        renewal = renew(pair, pair->sides[0]->source);
    if (pair->count > 1 && !is_one_trace(pair)) {
        struct renewal second = renew(pair, pair->sides[1]->source);
        renewal = second.is_told ? second : renewal;
    }
    uint64_t before = browser->view.state;
    if (!take_key(pair, key)) {
        browser_key(browser, key);
        follow(pair, before);
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
    follow(pair, before);
}

void pair_wheel(struct pair *pair, int lines)
{
    uint64_t before = focused(pair)->view.state;
    browser_wheel(focused(pair), lines);
    follow(pair, before);
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
        renewal = renew(pair, pair->sides[0]->source);
    tell(focused(pair), &renewal);
    uint64_t before = focused(pair)->view.state;
    for (unsigned i = 0; i < pair->count; i++)
        browser_tick(pair->sides[i]);
    follow(pair, before);
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

bool pair_draw(struct pair *pair, struct screen *screen)
{
    if (pair->count == 1)
        return browser_draw(pair->sides[0], screen);
    if (!screen_clear(screen, pair->width, pair->height))
        return false;
    const struct screen *part = &pair->part;
    for (unsigned side = 0; side < pair->count; side++) {
        unsigned column = column_of(pair, side);
        if (!browser_draw(pair->sides[side], &pair->part))
            return false;
        for (unsigned y = 0; y < part->height && y < screen->height && part->width; y++)
            memcpy(&screen->cells[(size_t)y * screen->width + column],
                   &part->cells[(size_t)y * part->width], part->width * sizeof *part->cells);
        // The line before it points to the focused side.
        for (unsigned y = 0; y < screen->height && side && column && column <= screen->width; y++)
            screen->cells[(size_t)y * screen->width + column - 1] =
                (struct cell){pair->focus >= side ? '>' : '<', ROLE_HINT, 0};
        if (side == pair->focus && part->has_cursor) {
            screen->has_cursor = true;
            screen->cursor_x = column + part->cursor_x;
            screen->cursor_y = part->cursor_y;
        }
    }
    return true;
}
