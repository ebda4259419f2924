// The calls that are active at the position, innermost first; those that never returned, too.
#include "browse/pane.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROWS_AT_FIRST = 6, FRAMES_MAX = 100000 };

struct stack_pane {
    struct pane pane;
    unsigned wanted, selected, top;
};

// A frame: where it is, and the call that it made.
struct frame {
    uint64_t pc;
    bool has_pc;
    bool has_call; // there is a frame inside of it
    bool is_open;  // which never returned
    uint64_t site; // the event that called
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
    struct trawl_call call;
};

static void begin(struct browser *browser, const struct pane *pane, struct walk *walk)
{
    struct trawl_error err;
    uint64_t at = 0, event = pane_event(browser, pane);
    *walk = (struct walk){.browser = browser, .is_first = true, .event = event};
    walk->lane = timeline_lane_of(browser->timeline, event == TRAWL_START ? 0 : event, &at);
    uint64_t events = browser->timeline->lanes[walk->lane].calls.event_count;
    if (event != TRAWL_START && at + 1 < events)
        at++; // who comes next is where one is
    walk->has_call = trawl_call_at(browser->source->indexed->index, walk->lane, at, &walk->call,
                                   &err) == TRAWL_OK;
}

// False: there are no more.
static bool next(struct walk *walk, struct frame *frame)
{
    struct browser *browser = walk->browser;
    struct trawl_error err;
    *frame = (struct frame){.lane = walk->lane};
    if (walk->is_first) {
        walk->is_first = false;
        frame->has_pc = browse_next_pc(browser->source, walk->event, &frame->pc);
        return true;
    }
    if (!walk->has_call)
        return false;
    struct trawl_event about;
    frame->has_call = true;
    frame->is_open = walk->call.is_open;
    if (walk->call.entry) {
        frame->site = timeline_event_of(browser->timeline, walk->lane, walk->call.entry - 1);
        browse_event(browser->source, frame->site, &about);
        frame->pc = about.pc;
        frame->has_pc = true;
    }
    walk->has_call = walk->call.parent != TRAWL_NONE &&
                     trawl_call(browser->source->indexed->index, walk->lane, walk->call.parent,
                                &walk->call, &err) == TRAWL_OK;
    return true;
}

static bool find(struct browser *browser, const struct pane *pane, unsigned number,
                 struct frame *frame)
{
    struct walk walk;
    begin(browser, pane, &walk);
    for (unsigned i = 0; next(&walk, frame); i++) {
        if (i == number)
            return true;
    }
    return false;
}

static void put_frame(struct browser *browser, struct row *row, unsigned number,
                      const struct frame *frame)
{
    char name[BROWSE_NAME_BYTES];
    row_format(row, ROLE_LABEL, "#%-3u ", number);
    if (frame->has_pc) {
        browse_address_name(browser->source, frame->pc & ~UINT64_C(1), name);
        row_string(row, ROLE_VALUE, name);
        row_format(row, ROLE_LABEL, "  0x%" PRIx64, frame->pc & ~UINT64_C(1));
    } else {
        row_string(row, ROLE_UNKNOWN, "?");
    }
    if (frame->has_call && frame->has_pc)
        row_format(row, ROLE_LABEL, "  line %" PRIu64 "%s",
                   timeline_lines_before(browser->timeline, frame->site) + 1,
                   frame->is_open ? ", never returned" : "");
}

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct stack_pane *pane = of(self);
    struct frame frame;
    struct walk walk;
    if (pane->selected < pane->top)
        pane->top = pane->selected;
    else if (rows && pane->selected >= pane->top + rows)
        pane->top = pane->selected - rows + 1;
    begin(browser, self, &walk);
    for (unsigned i = 0; i < pane->top + rows && next(&walk, &frame); i++) {
        if (i < pane->top)
            continue;
        struct row row = screen_row(screen, y + i - pane->top);
        bool is_selected = browser->focus == self && i == pane->selected;
        row.flags = is_selected ? CELL_HIGHLIGHTED : 0;
        put_frame(browser, &row, i, &frame);
        row_fill(&row, ROLE_LABEL);
        if (is_selected) {
            screen->has_cursor = true;
            screen->cursor_x = 0;
            screen->cursor_y = y + i - pane->top;
        }
    }
}

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    row_format(row, ROLE_STATUS, "Calls at line: %" PRIu64 "%s", pane_line(browser, self),
               self->is_locked ? " (LOCKED)" : "");
}

static unsigned wanted_rows(struct browser *browser, struct pane *self, unsigned width)
{
    (void)browser, (void)width;
    return of(self)->wanted;
}

static void moved(struct browser *browser, struct pane *self)
{
    (void)browser;
    if (!self->is_locked)
        of(self)->selected = of(self)->top = 0;
}

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    struct stack_pane *pane = of(self);
    struct frame frame;
    if (key == KEY_UP_ARROW)
        pane->selected -= pane->selected > 0;
    else if (pane->selected < FRAMES_MAX && find(browser, self, pane->selected + 1, &frame))
        pane->selected++;
}

static void change_height(struct browser *browser, struct pane *self, uint32_t key)
{
    struct stack_pane *pane = of(self);
    (void)browser;
    if (key == '<' && pane->wanted > 1)
        pane->wanted--;
    else if (key == '>' && pane->wanted < SCREEN_ROWS_MAX)
        pane->wanted++;
}

static void go_to_call(struct browser *browser, struct pane *self, uint32_t key)
{
    struct frame frame;
    (void)key;
    if (!find(browser, self, of(self)->selected, &frame) || !frame.has_call || !frame.has_pc)
        return;
    bool is_locked = self->is_locked;
    unsigned selected = of(self)->selected;
    browser_go(browser, frame.site - 1); // of the first event: TRAWL_START
    of(self)->selected = is_locked ? selected : 0;
}

static const struct key_action stack_keys[] = {
    {KEY_UP_ARROW, "Up, Down", "Select another call", move},
    {KEY_DOWN_ARROW, "", NULL, move},
    {KEY_RETURN, "Return", "Go to where the call was made", go_to_call},
    {'<', "<, >", "Make the pane a row smaller or larger", change_height},
    {'>', "", NULL, change_height},
    {KEY_CTRL_L, "^L", "Stay at what is shown, or follow the position again", pane_toggle_lock},
    {0, "", "", NULL},
    {0},
};

static void free_pane(struct pane *self)
{
    free(self);
}

static const struct pane_kind stack_kind = {
    .name = "calls",
    .keys = stack_keys,
    .wanted = wanted_rows,
    .draw = draw,
    .status = status,
    .moved = moved,
    .free = free_pane,
};

struct pane *stack_pane_new(struct browser *browser)
{
    struct stack_pane *pane = calloc(1, sizeof *pane);
    (void)browser;
    if (!pane)
        return NULL;
    pane->pane.kind = &stack_kind;
    pane->wanted = ROWS_AT_FIRST;
    return &pane->pane;
}

bool stack_pane_is(const struct pane *pane)
{
    return pane->kind == &stack_kind;
}
