// The calls that are active at the position, innermost first; those that never returned, too.
#include "base/limits.h"
#include "browse/event_text.h"
#include "browse/list.h"
#include "browse/pane.h"

#include "analysis/call_site.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROWS_AT_FIRST = 6 };

struct stack_pane {
    struct pane pane;
    struct list list;
};

// A frame: where it is, and the call that it made.
struct frame {
    uint64_t pc;
    uint64_t function; // where it begins, if it has no PC; 0: not known
    bool has_pc;
    bool has_call;       // there is a frame inside of it
    bool is_open;        // which never returned
    uint32_t how;        // that call began: enum trawl_call_how
    bool has_tail_calls; // which took its place since
    uint64_t site;       // the event that called
    uint64_t lane;
};

static struct stack_pane *of(struct pane *pane)
{
    return (struct stack_pane *)(void *)pane;
}

// Goes through the frames from the innermost one.
struct walk {
    struct browser *browser;
    uint64_t lane;
    bool is_first, has_call;
    uint64_t event; // of the pane
    struct trawl_call call, around;
    bool is_inside; // of `around`
    uint64_t site;  // the event after the one that the call was made by; 0: none
};

static void go_out(struct walk *walk)
{
    struct trawl_error err;
    walk->has_call = walk->call.parent != TRAWL_NONE &&
                     trawl_call(walk->browser->source->indexed->index, walk->lane,
                                walk->call.parent, &walk->call, &err) == TRAWL_OK;
}

// Where an event is an entry or an exit: an exit lies outside of what it ends.
static void begin_at_row(struct walk *walk)
{
    struct trawl_error err;
    uint64_t at;
    walk->is_first = false;
    if (walk->event == TRAWL_START)
        return;
    walk->lane = timeline_lane_of(walk->browser->timeline, walk->event, &at);
    walk->has_call = trawl_call_at(walk->browser->source->indexed->index, walk->lane, at,
                                   &walk->call, &err) == TRAWL_OK;
}

static bool next_of_rows(struct walk *walk, struct frame *frame)
{
    if (!walk->has_call)
        return false;
    frame->function = walk->call.pc;
    frame->has_call = true;
    frame->is_open = walk->call.is_open;
    frame->site = timeline_event_of(walk->browser->timeline, walk->lane, walk->call.entry);
    go_out(walk);
    return true;
}

static void begin(struct browser *browser, uint64_t event, struct walk *walk)
{
    struct trawl_error err;
    uint64_t at = 0;
    *walk = (struct walk){.browser = browser, .is_first = true, .event = event};
    if (browser->source->rows == ROWS_CALLS) {
        begin_at_row(walk);
        return;
    }
    walk->lane = timeline_lane_of(browser->timeline, event == TRAWL_START ? 0 : event, &at);
    uint64_t events = browser->timeline->lanes[walk->lane].calls.event_count;
    if (event != TRAWL_START && at + 1 < events)
        at++; // who comes next is where one is
    walk->has_call = trawl_call_at(browser->source->indexed->index, walk->lane, at, &walk->call,
                                   &err) == TRAWL_OK;
}

// Who called is whoever called the first of those that took each other's place.
static void find_first(struct walk *walk, struct frame *frame)
{
    const struct index_view *view = walk->browser->source->indexed;
    struct trawl_call first, around;
    struct error err;
    bool is_inside = call_around(view, walk->lane, &walk->call, &around, &err) == STATUS_OK;
    bool is_called = call_first_in_place(view, walk->lane, &walk->call, is_inside ? &around : NULL,
                                         &first, &err) == STATUS_OK;
    frame->has_tail_calls = is_called && first.call != walk->call.call;
    frame->how = is_called ? first.how : walk->call.how;
    walk->site = is_called ? first.began : 0;
    walk->around = around;
    walk->is_inside = is_inside;
}

static void find_site(struct walk *walk, struct frame *frame)
{
    struct browser *browser = walk->browser;
    struct trawl_event about;
    frame->has_call = true;
    frame->is_open = walk->call.is_open;
    find_first(walk, frame);
    if (!walk->site)
        return;
    frame->site = timeline_event_of(browser->timeline, walk->lane, walk->site - 1);
    frame->has_pc = true;
    browse_event(browser->source, frame->site, &about);
    frame->pc = about.pc;
}

// False: there are no more.
static bool next(struct walk *walk, struct frame *frame)
{
    struct browser *browser = walk->browser;
    *frame = (struct frame){.lane = walk->lane};
    if (browser->source->rows == ROWS_CALLS)
        return next_of_rows(walk, frame);
    if (walk->is_first) {
        walk->is_first = false;
        frame->has_pc = browse_next_pc(browser->source, walk->event, &frame->pc);
        return true;
    }
    if (!walk->has_call)
        return false;
    find_site(walk, frame);
    if (frame->how & TRAWL_CALL_TASK)
        return false;
    walk->has_call = walk->is_inside;
    walk->call = walk->around;
    return true;
}

static bool find(struct browser *browser, const struct pane *pane, unsigned number,
                 struct frame *frame)
{
    struct walk walk;
    begin(browser, pane_event(browser, pane), &walk);
    for (unsigned i = 0; next(&walk, frame); i++) {
        if (i == number)
            return true;
    }
    return false;
}

size_t stack_pane_places(struct browser *browser, uint64_t event, struct stack_place *places,
                         size_t capacity)
{
    struct walk walk;
    struct frame frame;
    size_t count = 0;
    begin(browser, event, &walk);
    while (count < capacity && next(&walk, &frame))
        places[count++] = (struct stack_place){frame.pc & ~UINT64_C(1), frame.has_pc};
    return count;
}

// When a function was entered.
static void put_entry(struct browser *browser, struct row *row, const struct frame *frame)
{
    char time[32];
    struct trawl_event about;
    browse_event(browser->source, frame->site, &about);
    row_format(row, ROLE_LABEL, "  event %" PRIu64, frame->site);
    if (browse_time_text(browser->source, about.time, time, sizeof time))
        row_format(row, ROLE_LABEL, ", time %s", time);
    if (frame->is_open)
        row_string(row, ROLE_LABEL, ", never returned");
}

static void put_frame(struct browser *browser, struct row *row, unsigned number,
                      const struct frame *frame)
{
    char name[BROWSE_NAME_BYTES];
    row_format(row, ROLE_LABEL, "#%-3u ", number);
    if (!frame->has_pc && frame->function) {
        browse_address_name(browser->source, frame->function & ~UINT64_C(1), name);
        row_string(row, ROLE_VALUE, name);
    } else if (frame->has_pc) {
        browse_address_name(browser->source, frame->pc & ~UINT64_C(1), name);
        row_string(row, ROLE_VALUE, name);
        row_format(row, ROLE_LABEL, "  0x%" PRIx64, frame->pc & ~UINT64_C(1));
    } else {
        row_string(row, ROLE_UNKNOWN, "?");
    }
    if (browser->source->rows == ROWS_CALLS) {
        put_entry(browser, row, frame);
        return;
    }
    if (!frame->has_call || !frame->has_pc)
        return;
    row_format(row, ROLE_LABEL, "  line %" PRIu64,
               timeline_lines_before(browser->timeline, frame->site) + 1);
    if (frame->how & TRAWL_CALL_EXCEPTION)
        row_string(row, ROLE_LABEL, ", exception");
    if (frame->has_tail_calls)
        row_string(row, ROLE_LABEL, ", tail calls since");
    if (frame->is_open)
        row_string(row, ROLE_LABEL, ", never returned");
}

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct stack_pane *pane = of(self);
    struct frame frame;
    struct walk walk;
    list_scroll(&pane->list, LIMIT_PANE_FRAMES, rows);
    begin(browser, pane_event(browser, self), &walk);
    for (unsigned i = 0; i < pane->list.top + rows && next(&walk, &frame); i++) {
        if (i < pane->list.top)
            continue;
        struct row row = list_row(screen, y + i - (unsigned)pane->list.top,
                                  browser->focus == self && i == pane->list.selected);
        put_frame(browser, &row, i, &frame);
        row_fill(&row, ROLE_LABEL);
    }
}

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    pane_put_place(browser, self, "Calls", row);
}

static void moved(struct browser *browser, struct pane *self)
{
    (void)browser;
    if (!self->is_locked)
        of(self)->list = (struct list){0};
}

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    struct list moved = of(self)->list;
    struct frame frame;
    list_key(&moved, key, LIMIT_PANE_FRAMES, self->rows);
    if (find(browser, self, (unsigned)moved.selected, &frame))
        of(self)->list = moved;
}

static void go_to_call(struct browser *browser, struct pane *self, uint32_t key)
{
    struct frame frame;
    (void)key;
    if (!find(browser, self, (unsigned)of(self)->list.selected, &frame) || !frame.has_call ||
        (!frame.has_pc && !frame.function))
        return;
    bool is_locked = self->is_locked;
    struct list list = of(self)->list;
    bool is_row = browser->source->rows == ROWS_CALLS;
    browser_go(browser, frame.site - !is_row); // of the first event: TRAWL_START
    of(self)->list = is_locked ? list : (struct list){0};
}

static const struct key_action stack_keys[] = {
    {KEY_UP_ARROW, "Up, Down", "Select another call", move},
    {KEY_DOWN_ARROW, "", NULL, move},
    {KEY_PAGE_UP, "", NULL, move},
    {KEY_PAGE_DOWN, "", NULL, move},
    {KEY_HOME_KEY, "", NULL, move},
    {KEY_RETURN, "Return", "Go to where the call was made", go_to_call},
    {PANE_KEY_SMALLER},
    {PANE_KEY_LARGER},
    {PANE_KEY_LOCK},
    {0, "", "", NULL},
    {0},
};

const struct pane_kind stack_kind = {
    .name = "calls",
    .keys = stack_keys,
    .draw = draw,
    .status = status,
    .moved = moved,
};

struct pane *stack_pane_new(struct browser *browser)
{
    (void)browser;
    return pane_new(&stack_kind, sizeof(struct stack_pane), ROWS_AT_FIRST);
}
