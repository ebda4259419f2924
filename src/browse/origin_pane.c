// Where a value comes from: the copies back to what computed it, a row for each. It is found once,
// when the pane is opened.
#include "browse/pane.h"

#include "dataflow/chain.h"
#include "dataflow/place.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROWS_AT_FIRST = 10 };

struct origin_pane {
    struct pane pane;
    struct thing thing;
    char name[THING_TEXT_BYTES];
    VEC(, struct chain_step) steps;
    bool is_cut;
    struct list list;
};

static struct origin_pane *of(struct pane *pane)
{
    return (struct origin_pane *)(void *)pane;
}

// --- Drawing -------------------------------------------------------------------------------------

static void draw(struct browser *browser, struct pane *self, struct screen *screen, unsigned y,
                 unsigned rows)
{
    struct origin_pane *pane = of(self);
    list_scroll(&pane->list, pane->steps.count, rows);
    for (unsigned r = 0; r < rows && pane->list.top + r < pane->steps.count; r++) {
        size_t number = pane->list.top + r;
        const struct chain_step *step = &pane->steps.items[number];
        struct row row =
            list_row(screen, y + r, browser->focus == self && number == pane->list.selected);
        row_string(&row, ROLE_KEY, step->event == browser->view.state ? "> " : "  ");
        if (step->event == TRAWL_NONE)
            row_format(&row, ROLE_LABEL, "%-16s ", "");
        else if (browser->source->rows == ROWS_LINES)
            row_format(&row, ROLE_LABEL, "line %-11" PRIu64 " ",
                       timeline_lines_before(browser->timeline, step->event) + 1);
        else
            row_format(&row, ROLE_LABEL, "event %-10" PRIu64 " ", step->event);
        // Where it was, its value, and what was done with it.
        static const char *const kinds[] = {"moved", "loaded", "stored", "computed", ""};
        const struct index_view *view = browser->source->indexed;
        const struct data_place place = {step->space, step->lane, step->offset, step->size_bytes,
                                         step->to_place};
        char text[DATA_PLACE_BYTES], value[VALUE_TEXT_MAX], name[BROWSE_NAME_BYTES];
        struct trawl_event about;
        struct error err;
        bool has_value = false;
        data_place_text(view, &place, browser->source->isa, text);
        row_format(&row, ROLE_LABEL, "%-14s ", text);
        if (step->at != TRAWL_START &&
            data_place_value(view, &place, step->at, value, &has_value, &err) == STATUS_OK &&
            has_value)
            row_string(&row, ROLE_VALUE, value);
        row_string(&row, ROLE_LABEL, "  ");
        row_string(&row, ROLE_LABEL,
                   step->kind == CHAIN_END ? data_end_texts[step->end] : kinds[step->kind]);
        if (step->event != TRAWL_NONE) {
            browse_event(browser->source, step->event, &about);
            browse_address_name(browser->source, about.pc & ~UINT64_C(1), name);
            row_string(&row, ROLE_LABEL, "  ");
            row_string(&row, ROLE_LABEL, name);
        }
        row_fill(&row, ROLE_LABEL);
    }
}

static void status(struct browser *browser, struct pane *self, struct row *row)
{
    (void)browser;
    row_string(row, ROLE_STATUS, "Origin of ");
    row_string(row, ROLE_STATUS, of(self)->name);
    if (of(self)->is_cut)
        row_string(row, ROLE_STATUS, "   and further");
}

// --- Keys ----------------------------------------------------------------------------------------

static void move(struct browser *browser, struct pane *self, uint32_t key)
{
    (void)browser;
    list_key(&of(self)->list, key, of(self)->steps.count, self->rows);
}

static void go(struct browser *browser, struct pane *self, uint32_t key)
{
    const struct origin_pane *pane = of(self);
    (void)key;
    if (pane->list.selected < pane->steps.count &&
        pane->steps.items[pane->list.selected].event != TRAWL_NONE)
        browser_go(browser, pane->steps.items[pane->list.selected].event);
}

static bool find_subject(struct browser *browser, struct pane *self, struct thing *thing)
{
    (void)browser;
    *thing = of(self)->thing;
    return true;
}

static void free_steps(struct pane *self)
{
    free(of(self)->steps.items);
}

static const struct key_action origin_keys[] = {
    {LIST_KEYS("step", move)},
    {KEY_RETURN, "Return", "Go there; ^O goes back", go},
    {PANE_KEY_SMALLER},
    {PANE_KEY_LARGER},
    {'x', "x", "Close the pane", pane_close},
    {0, "", "", NULL},
    {0},
};

static const struct pane_kind origin_kind = {
    .name = "origin",
    .keys = origin_keys,
    .draw = draw,
    .status = status,
    .subject = find_subject,
    .free = free_steps,
};

struct pane *origin_pane_new(struct browser *browser, const struct thing *thing, uint64_t event,
                             struct error *err)
{
    const struct index_view *view = browser->source->indexed;
    struct dataflow flow = {0};
    struct chain chain = {.flow = &flow, .limit = LIMIT_ORIGIN_PANE_STEPS};
    struct data_target *target = malloc(sizeof *target);
    struct pane *made = pane_new(&origin_kind, sizeof(struct origin_pane), ROWS_AT_FIRST);
    uint64_t in_lane, lane;
    struct location location = {.kind = thing->is_register ? LOCATION_REGISTER : LOCATION_MEMORY,
                                .which = {.offset = thing->place, .size_bytes = thing->size_bytes},
                                .size_bytes = thing->size_bytes};
    enum status status =
        target && made ? STATUS_OK : error_set(err, STATUS_MEMORY, "no memory for the pane");
    lane = timeline_lane_of(browser->timeline, event == TRAWL_START ? 0 : event, &in_lane);
    if (status == STATUS_OK)
        thing_text(browser, thing, of(made)->name);
    if (status == STATUS_OK)
        status = dataflow_open(&flow, view, browser->source->trace, err);
    if (status == STATUS_OK)
        status = data_target_of(target, &flow, of(made)->name, &location, lane, event, thing->place,
                                err);
    if (status == STATUS_OK)
        status = chain_find(&chain, event, target->cells, target->count, err);
    if (status == STATUS_OK) {
        of(made)->thing = *thing;
        of(made)->is_cut = chain.is_cut;
        of(made)->steps.items = chain.steps.items;
        of(made)->steps.count = chain.steps.count;
        chain.steps.items = NULL;
    } else if (made) {
        pane_free(made);
        made = NULL;
    }
    chain_free(&chain);
    dataflow_close(&flow);
    free(target);
    return made;
}
