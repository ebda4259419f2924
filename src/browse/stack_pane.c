// The calls that are active at the position, innermost first; those that never returned, too.
#include "base/limits.h"
#include "browse/event_text.h"
#include "browse/frames.h"
#include "browse/pane.h"
#include "query/exception_text.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROWS_AT_FIRST = 6 };

struct stack_pane {
    struct pane pane;
    struct list list;
};

static struct stack_pane *of(struct pane *pane)
{
    return (struct stack_pane *)(void *)pane;
}

static bool find(struct browser *browser, const struct pane *pane, unsigned number,
                 struct frame *frame)
{
    struct frame_walk walk;
    frames_begin(&walk, browser->source, browser->timeline, pane_event(browser, pane));
    for (unsigned i = 0; frames_next(&walk, frame); i++) {
        if (i == number)
            return true;
    }
    return false;
}

static void put_frame(struct browser *browser, struct row *row, unsigned number,
                      const struct frame *frame)
{
    char name[BROWSE_NAME_BYTES], time[32];
    struct trawl_event about;
    row_format(row, ROLE_LABEL, "#%-3u ", number);
    if (!frame->has_pc && frame->function) {
        browse_address_name(browser->source, frame->function & ~UINT64_C(1), name);
        row_string(row, ROLE_VALUE, name);
    } else if (frame->has_pc) {
        browse_address_name(browser->source, frame->pc & ~UINT64_C(1), name);
        row_string(row, ROLE_VALUE, name);
        row_format(row, ROLE_LABEL, "  0x%" PRIx64,
                   names_address(browser->source->names, frame->pc) & ~UINT64_C(1));
    } else {
        row_string(row, ROLE_UNKNOWN, "?");
    }
    if (browser->source->rows == ROWS_CALLS) { // when the function was entered
        browse_event(browser->source, frame->site, &about);
        row_format(row, ROLE_LABEL, "  event %" PRIu64, frame->site);
        if (browse_time_text(browser->source, about.time, time, sizeof time))
            row_format(row, ROLE_LABEL, ", time %s %s", time,
                       browser->source->indexed->info.ticks_per_second ? "s" : "ticks");
        if (frame->is_open)
            row_string(row, ROLE_LABEL, ", never returned");
        return;
    }
    if (!frame->has_call || !frame->has_pc)
        return;
    row_format(row, ROLE_LABEL, "  line %" PRIu64,
               timeline_lines_before(browser->timeline, frame->site) + 1);
    char exception[EXCEPTION_TEXT_BYTES];
    if (exception_text(browser->source->indexed, browser->source->names, frame->lane, &frame->first,
                       exception))
        row_format(row, ROLE_LABEL, ", %s", exception);
    else if (frame->how & TRAWL_CALL_EXCEPTION)
        row_string(row, ROLE_LABEL, ", exception");
    if (frame->how & TRAWL_CALL_GUESSED)
        row_string(row, ROLE_LABEL, ", guess");
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
    struct frame_walk walk;
    list_scroll(&pane->list, LIMIT_PANE_FRAMES, rows);
    frames_begin(&walk, browser->source, browser->timeline, pane_event(browser, self));
    for (unsigned i = 0; i < pane->list.top + rows && frames_next(&walk, &frame); i++) {
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
