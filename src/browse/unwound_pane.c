// The stack at the position, unwound by the rules of images (unwind/unwind.h): each frame with
// the method that found it.
#include "base/limits.h"
#include "browse/pane.h"

#include "unwind/unwind_trace.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROWS_AT_FIRST = 6 };

// The methods that may come first; where one finds nothing, the following ones continue.
static const enum unwind_source firsts[] = {UNWIND_SFRAME, UNWIND_DWARF, UNWIND_EXIDX,
                                            UNWIND_FRAME_POINTER, UNWIND_CALLS};

struct unwound_pane {
    struct pane pane;
    unsigned first; // index of the first method
    struct list list;
    struct unwind_trace trace;
    struct unwind_stack stack;
    bool is_open, has_stack;
    uint64_t event;   // the one that the stack is from
    struct error err; // why there is none
};

static struct unwound_pane *of(struct pane *pane)
{
    return (struct unwound_pane *)(void *)pane;
}

// --- Stacks --------------------------------------------------------------------------------------

// Damage in an image ends a stack, which the stack itself shows.
static void ignore_fault(void *self, const char *what, const struct error *err)
{
    (void)self, (void)what, (void)err;
}

static enum status open_rules(struct browser *browser, struct unwound_pane *pane)
{
    const struct browse_source *source = browser->source;
    const struct unwind_faults faults = {NULL, ignore_fault};
    struct error err; // which also has what an image lacks, which is not a failure
    pane->stack.capacity = LIMIT_STACK_FRAMES;
    pane->stack.frames = calloc(pane->stack.capacity, sizeof *pane->stack.frames);
    if (!pane->stack.frames)
        return error_set(&pane->err, STATUS_MEMORY, "no memory for the stack");
    pane->is_open = true;
    enum status status =
        unwind_trace_open(&pane->trace, source->indexed, &source->names->images, &faults, &err);
    if (status != STATUS_OK)
        pane->err = err;
    return status;
}

static void find_stack(struct browser *browser, struct unwound_pane *pane)
{
    uint64_t event = pane_event(browser, &pane->pane);
    struct trawl_event at;
    if (pane->has_stack && pane->event == event)
        return;
    pane->has_stack = true;
    pane->event = event;
    pane->stack.count = 0;
    pane->stack.end = UNWIND_OUTERMOST;
    pane->stack.doubt = UNWIND_NO_DOUBT;
    if (event == TRAWL_START || pane->err.status != STATUS_OK)
        return;
    browse_event(browser->source, event, &at);
    struct error err;
    pane->stack.first = firsts[pane->first];
    if (unwind_trace_at(&pane->trace, &at, &pane->stack, &err) != STATUS_OK) {
        pane->err = err;
        pane->stack.count = 0;
    }
}

// --- Drawing -------------------------------------------------------------------------------------

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct unwound_pane *pane = of(self);
    char name[BROWSE_NAME_BYTES];
    find_stack(browser, pane);
    list_scroll(&pane->list, pane->stack.count, rows);
    for (unsigned r = 0; r < rows && pane->list.top + r < pane->stack.count; r++) {
        size_t number = pane->list.top + r;
        struct row row =
            list_row(screen, y + r, browser->focus == self && number == pane->list.selected);
        const struct unwind_frame *frame = &pane->stack.frames[number];
        row_format(&row, ROLE_LABEL, "#%-3zu ", number);
        if (frame->is_return_address)
            browse_return_name(browser->source, frame->pc, name);
        else
            browse_address_name(browser->source, frame->pc, name);
        row_string(&row, ROLE_VALUE, name);
        row_format(&row, ROLE_LABEL, "  0x%" PRIx64 "  sp 0x%" PRIx64 "  by %s",
                   names_address(browser->source->names, frame->pc), frame->sp,
                   unwind_source_name(frame->source));
        row_fill(&row, ROLE_LABEL);
    }
}

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    struct unwound_pane *pane = of(self);
    find_stack(browser, pane);
    pane_put_place(browser, self, "Unwound", row);
    row_format(row, ROLE_STATUS, "   first by %s", unwind_source_name(firsts[pane->first]));
    if (pane->err.status != STATUS_OK) {
        row_string(row, ROLE_STATUS, "   ");
        row_string(row, ROLE_STATUS, pane->err.text);
    } else if (!pane->stack.count) {
        row_string(row, ROLE_STATUS, "   the PC is unknown");
    } else if (pane->stack.end != UNWIND_OUTERMOST) {
        row_format(row, ROLE_STATUS, "   ends early: %s 0x%" PRIx64,
                   unwind_end_text(pane->stack.end), pane->stack.end_address);
    } else if (pane->stack.doubt != UNWIND_NO_DOUBT) {
        row_format(row, ROLE_STATUS, "   from #%zu on, the calls differ", pane->stack.doubt);
    }
}

// --- Keys ----------------------------------------------------------------------------------------

static void moved(struct browser *browser, struct pane *self)
{
    (void)browser;
    if (!self->is_locked)
        of(self)->list = (struct list){0};
}

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    (void)browser;
    list_key(&of(self)->list, key, of(self)->stack.count, self->rows);
}

// Goes to before the next time that the frame's instruction is reached, where the call returned.
static void go_to_frame(struct browser *browser, struct pane *self, uint32_t key)
{
    const struct unwound_pane *pane = of(self);
    (void)key;
    if (pane->list.selected < pane->stack.count)
        browser_go_to_visit(browser, pane->stack.frames[pane->list.selected].pc, true);
}

// Methods for which no image has rules are skipped.
static void change_first(struct browser *browser, struct pane *self, uint32_t key)
{
    struct unwound_pane *pane = of(self);
    (void)browser, (void)key;
    pane->has_stack = false;
    do
        pane->first = (pane->first + 1) % ARRAY_COUNT(firsts);
    while (firsts[pane->first] != UNWIND_SFRAME && firsts[pane->first] <= UNWIND_EXIDX &&
           pane->err.status == STATUS_OK && !unwind_trace_has(&pane->trace, firsts[pane->first]));
}

static const struct key_action unwound_keys[] = {
    {KEY_UP_ARROW, "Up, Down", "Select another frame", move},
    {KEY_DOWN_ARROW, "", NULL, move},
    {KEY_PAGE_UP, "", NULL, move},
    {KEY_PAGE_DOWN, "", NULL, move},
    {KEY_HOME_KEY, "", NULL, move},
    {KEY_RETURN, "Return", "Go to where the frame goes on", go_to_frame},
    {'n', "n", "Unwind first by SFrame, DWARF, exception tables, frame pointers, or calls",
     change_first},
    {PANE_KEY_SMALLER},
    {PANE_KEY_LARGER},
    {PANE_KEY_LOCK},
    {0, "", "", NULL},
    {0},
};

static void close_rules(struct unwound_pane *pane)
{
    if (pane->is_open)
        unwind_trace_free(&pane->trace);
    free(pane->stack.frames);
    pane->stack.frames = NULL;
    pane->is_open = pane->has_stack = false;
    pane->err = (struct error){0};
}

static void renew(struct browser *browser, struct pane *self)
{
    close_rules(of(self));
    open_rules(browser, of(self));
}

static void free_pane(struct pane *self)
{
    close_rules(of(self));
}

const struct pane_kind unwound_kind = {
    .name = "unwound",
    .keys = unwound_keys,
    .draw = draw,
    .status = status,
    .renew = renew,
    .moved = moved,
    .free = free_pane,
};

struct pane *unwound_pane_new(struct browser *browser)
{
    struct pane *pane = pane_new(&unwound_kind, sizeof(struct unwound_pane), ROWS_AT_FIRST);
    if (pane)
        open_rules(browser, of(pane));
    return pane;
}
