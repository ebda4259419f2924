// All values of a register or of memory, one after the other. A part of them around the selected
// one is in memory; more are read at its ends.
#include "browse/pane.h"

#include "query/writes.h"
#include "report/value.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROWS_AT_FIRST = 10, HALF = 256, SHOWN_BYTES = 32 };

struct values_pane {
    struct pane pane;
    struct thing thing;
    uint64_t lane;
    char name[THING_TEXT_BYTES];
    uint64_t events[2 * HALF]; // that wrote it, ascending
    size_t count;
    struct list list;
};

static struct values_pane *of(struct pane *pane)
{
    return (struct values_pane *)(void *)pane;
}

// --- Values in memory ----------------------------------------------------------------------------

// Reads up to HALF writes from an event on, or backwards, including the event.
static size_t read_writes(struct browser *browser, const struct values_pane *pane, uint64_t event,
                          bool is_back, uint64_t events[HALF])
{
    const struct write_target target = {.is_register = pane->thing.is_register,
                                        .lane =
                                            pane->thing.is_register ? pane->lane : TRAWL_ANY_LANE,
                                        .start = pane->thing.place,
                                        .size_bytes = pane->thing.size_bytes};
    struct write_walk walk;
    struct write_found found;
    struct error err;
    size_t count = 0;
    writes_begin(&walk, browser->source->indexed, &target, event, is_back);
    while (count < HALF && writes_next(&walk, &found, &err) == STATUS_OK)
        events[count++] = found.event;
    return count;
}

// Reads the values around an event, and selects the last one up to it.
static void load(struct browser *browser, struct values_pane *pane, uint64_t event)
{
    uint64_t before[HALF];
    size_t count = event == TRAWL_START ? 0 : read_writes(browser, pane, event, true, before);
    for (size_t i = 0; i < count; i++)
        pane->events[i] = before[count - 1 - i];
    pane->count = count + read_writes(browser, pane, event, false, pane->events + count);
    size_t selected = count ? count - 1 : 0;
    size_t offset = pane->list.selected - pane->list.top; // on the screen
    pane->list.selected = selected;
    pane->list.top = selected > offset ? selected - offset : 0;
}

// --- Drawing -------------------------------------------------------------------------------------

// Where and when a value was written. The time is a number of ticks, as the trace writes it.
static void put_place(struct browser *browser, struct row *row, uint64_t event, uint64_t time)
{
    const struct browse_source *source = browser->source;
    char text[40];
    if (source->rows == ROWS_LINES)
        row_format(row, ROLE_LABEL, "line %-10" PRIu64 " ",
                   timeline_lines_before(browser->timeline, event) + 1);
    else
        row_format(row, ROLE_LABEL, "event %-10" PRIu64 " ", event);
    if (!trace_can(source->trace, TRACE_TIMES))
        return;
    snprintf(text, sizeof text, "%" PRIu64 " %s", time, index_tick_unit(&source->indexed->info));
    row_format(row, ROLE_LABEL, "time %-15s ", text);
}

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct values_pane *pane = of(self);
    char name[BROWSE_NAME_BYTES];
    struct trawl_event about;
    uint64_t state = browser->view.state;
    list_scroll(&pane->list, pane->count, rows);
    for (unsigned r = 0; r < rows && pane->list.top + r < pane->count; r++) {
        size_t number = pane->list.top + r;
        uint64_t event = pane->events[number];
        bool is_past = event + 1 <= state + 1; // TRAWL_START comes before all
        bool is_last = number + 1 == pane->count || pane->events[number + 1] + 1 > state + 1;
        struct row row =
            list_row(screen, y + r, browser->focus == self && number == pane->list.selected);
        browse_event(browser->source, event, &about);
        row_string(&row, ROLE_KEY, is_past && is_last ? "> " : "  ");
        put_place(browser, &row, event, about.time);
        uint8_t values[SHOWN_BYTES], known[SHOWN_BYTES];
        char text[VALUE_TEXT_MAX];
        size_t size = (size_t)u64_min(pane->thing.size_bytes, SHOWN_BYTES);
        bool is_number = size <= 8 || pane->thing.is_register;
        if (pane->thing.is_register)
            browse_registers(browser->source, event, pane->thing.place, size, values, known);
        else
            browse_memory(browser->source, event, pane->thing.place, size, values, known);
        bool is_big_endian =
            !pane->thing.is_register && browser->source->indexed->info.options & TRAWL_BIG_ENDIAN;
        if (is_number && !is_big_endian)
            value_number(text, values, known, size);
        else
            value_bytes(text, values, known, size);
        row_string(&row, ROLE_VALUE, text);
        row_string(&row, ROLE_VALUE, pane->thing.size_bytes > size ? "..." : "");
        browse_address_name(browser->source, about.pc & ~UINT64_C(1), name);
        row_string(&row, ROLE_LABEL, "  ");
        row_string(&row, ROLE_LABEL, name);
        row_fill(&row, ROLE_LABEL);
    }
}

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    (void)browser;
    row_string(row, ROLE_STATUS, "Values of ");
    row_string(row, ROLE_STATUS, of(self)->name);
    if (!of(self)->count)
        row_string(row, ROLE_STATUS, "   never written");
}

// --- Keys ----------------------------------------------------------------------------------------

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    struct values_pane *pane = of(self);
    uint64_t last = browser->timeline->event_count - 1;
    if (key == KEY_HOME_KEY || key == KEY_END_KEY)
        load(browser, pane, key == KEY_HOME_KEY ? TRAWL_START : last);
    list_key(&pane->list, key, pane->count, self->rows);
    bool is_at_end = pane->list.selected == 0 || pane->list.selected + 1 == pane->count;
    if (pane->count && is_at_end && key != KEY_HOME_KEY && key != KEY_END_KEY)
        load(browser, pane, pane->events[pane->list.selected]);
}

static void go(struct browser *browser, struct pane *self, uint32_t key)
{
    const struct values_pane *pane = of(self);
    (void)key;
    if (pane->list.selected < pane->count)
        browser_go(browser, pane->events[pane->list.selected]);
}

static bool find_subject(struct browser *browser, struct pane *self, struct thing *thing)
{
    (void)browser;
    *thing = of(self)->thing;
    return true;
}

static const struct key_action values_keys[] = {
    {LIST_KEYS("value", move)},
    {KEY_RETURN, "Return", "Go to where it was written", go},
    {'u', "u, U", "Go to the next read, or the one before; n and N go on", pane_find_read},
    {'U', "", NULL, pane_find_read},
    {'J', "J, K", "Go to the next or previous access to memory, read or write", pane_find_access},
    {'K', "", NULL, pane_find_access},
    {PANE_KEY_SMALLER},
    {PANE_KEY_LARGER},
    {'x', "x", "Close the pane", pane_close},
    {0, "", "", NULL},
    {0},
};

static const struct pane_kind values_kind = {
    .name = "values",
    .keys = values_keys,
    .draw = draw,
    .status = status,
    .subject = find_subject,
};

struct pane *values_pane_new(struct browser *browser, const struct thing *thing, uint64_t event)
{
    struct pane *made = pane_new(&values_kind, sizeof(struct values_pane), ROWS_AT_FIRST);
    uint64_t in_lane;
    if (!made)
        return NULL;
    struct values_pane *pane = of(made);
    pane->thing = *thing;
    pane->list.selected = ROWS_AT_FIRST / 2; // in the middle
    pane->lane = timeline_lane_of(browser->timeline, event == TRAWL_START ? 0 : event, &in_lane);
    thing_text(browser, thing, pane->name);
    load(browser, pane, event);
    return made;
}
