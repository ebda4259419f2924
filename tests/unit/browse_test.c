// Folds and positions against a plain model: an array of lines, walked one by one.
#include "browse/view.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>

enum { EVENTS_MAX = 400, LINES_MAX = 4, CALLS_MAX = 200 };

// A lane that stands in arrays, and what is folded of it, event by event.
struct model {
    uint64_t events, calls;
    uint64_t lines[EVENTS_MAX]; // of each event
    uint64_t level[EVENTS_MAX];
    struct lane_call call[CALLS_MAX];
    uint64_t limit[EVENTS_MAX];
    uint64_t shown, state, top, rows; // top: the number of a visible line
};

// --- The lane ------------------------------------------------------------------------------------

static void model_call(void *self, uint64_t call, struct lane_call *about)
{
    *about = ((struct model *)self)->call[call];
}

static uint64_t model_entered(void *self, uint64_t event)
{
    const struct model *model = self;
    uint64_t count = 0;
    while (count < model->calls && model->call[count].entry <= event)
        count++;
    return count;
}

static uint64_t model_level(void *self, uint64_t event)
{
    return ((struct model *)self)->level[event];
}

static void model_around(void *self, uint64_t event, uint64_t level, struct lane_call *about)
{
    const struct model *model = self;
    *about = (struct lane_call){event, event, level};
    while (about->entry && model->level[about->entry - 1] >= level)
        about->entry--;
    while (about->exit + 1 < model->events && model->level[about->exit + 1] >= level)
        about->exit++;
}

static uint64_t model_lines_before(void *self, uint64_t event)
{
    const struct model *model = self;
    uint64_t lines = 7; // a header
    for (uint64_t i = 0; i < event; i++)
        lines += model->lines[i];
    return lines;
}

static struct lane_calls model_table(struct model *model)
{
    return (struct lane_calls){.self = model,
                               .event_count = model->events,
                               .call_count = model->calls,
                               .call = model_call,
                               .entered = model_entered,
                               .level = model_level,
                               .around = model_around,
                               .lines_before = model_lines_before};
}

// Calls as a trace shows them: between a call and the next of its level lies an event at least.
static void model_make(struct model *model, struct prng *prng)
{
    uint64_t level = 0, open[EVENTS_MAX];
    *model = (struct model){.events = 1 + prng_below(prng, EVENTS_MAX)};
    unsigned depth_max = 1 + (unsigned)prng_below(prng, 8);
    for (uint64_t i = 0; i < model->events; i++) {
        unsigned choice = (unsigned)prng_below(prng, 6);
        bool is_last = i + 1 == model->events;
        if (i && !is_last && choice == 0 && level < depth_max && model->calls < CALLS_MAX) {
            open[level++] = model->calls;
            model->call[model->calls++] = (struct lane_call){i, i, level};
        } else if (level && (is_last || choice == 1)) {
            model->call[open[--level]].exit = i - 1;
        }
        model->level[i] = level;
        model->lines[i] = 1 + prng_below(prng, LINES_MAX);
        model->limit[i] = FOLD_NOTHING;
    }
    // What is still open never returned: it is no call, and its events are not in one.
    for (uint64_t kept = level; kept > 0; kept--) {
        model->call[open[kept - 1]].level = 0;
        for (uint64_t i = model->call[open[kept - 1]].entry; i < model->events; i++)
            model->level[i]--;
        for (uint64_t i = open[kept - 1] + 1; i < model->calls; i++)
            model->call[i].level -= model->call[i].level > 0;
    }
}

// --- What the plain model does -------------------------------------------------------------------

static bool model_sees(const struct model *model, uint64_t event)
{
    return model->level[event] < model->limit[event];
}

static uint64_t model_next(const struct model *model, uint64_t event)
{
    while (event < model->events && !model_sees(model, event))
        event++;
    return event < model->events ? event : TIMELINE_NONE;
}

static uint64_t model_previous(const struct model *model, uint64_t event)
{
    for (uint64_t i = event + 1; i > 0; i--) {
        if (model_sees(model, i - 1))
            return i - 1;
    }
    return TIMELINE_NONE;
}

static uint64_t model_state_below(const struct model *model)
{
    uint64_t next = model_next(model, model->shown + 1);
    return next == TIMELINE_NONE ? model->events - 1 : next - 1;
}

// The number of visible lines before an event.
static uint64_t model_number(const struct model *model, uint64_t event)
{
    uint64_t number = 0;
    for (uint64_t i = 0; i < event; i++)
        number += model_sees(model, i) ? model->lines[i] : 0;
    return number;
}

static void model_keep(struct model *model, enum view_place place)
{
    uint64_t lines = u64_min(model->lines[model->shown], model->rows);
    uint64_t first = model_number(model, model->shown), above = 0;
    if (first >= model->top && first + lines <= model->top + model->rows)
        return;
    if (place == VIEW_MIDDLE)
        above = (model->rows - lines) / 2;
    else if (place == VIEW_BOTTOM)
        above = model->rows - lines;
    model->top = first - u64_min(first, above);
}

static void model_step(struct model *model, uint64_t event, enum view_place place)
{
    if (event == TIMELINE_NONE)
        return;
    model->shown = event;
    model->state = model_state_below(model);
    model_keep(model, place);
}

static void model_set(struct model *model, uint64_t first, uint64_t last, uint64_t limit)
{
    for (uint64_t i = first; i <= last; i++)
        model->limit[i] = limit;
}

// The events around the position whose level is at least the higher of its two sides'.
static bool model_containing(const struct model *model, uint64_t *first, uint64_t *last,
                             uint64_t *level)
{
    uint64_t next = model_next(model, model->shown + 1), at = model->shown;
    uint64_t below = next == TIMELINE_NONE ? 0 : model->level[next];
    *level = u64_max(model->level[at], below);
    if (model->level[at] < *level)
        at = next;
    for (*first = at; *first && model->level[*first - 1] >= *level;)
        --*first;
    for (*last = at; *last + 1 < model->events && model->level[*last + 1] >= *level;)
        ++*last;
    return *level > 0;
}

static void model_fold(struct model *model, enum view_fold how)
{
    uint64_t first, last, level, next = model_next(model, model->shown + 1);
    bool was_hidden = model->state != model_state_below(model);
    bool is_all = how == VIEW_FOLD_ALL || how == VIEW_UNFOLD_ALL;
    if (how == VIEW_UNFOLD_LEVEL) {
        last = next == TIMELINE_NONE ? model->events - 1 : next - 1;
        if (last == model->shown)
            return;
        model_set(model, model->shown + 1, last, model->level[last] + 1);
    } else if (is_all) {
        model_set(model, 0, model->events - 1, how == VIEW_FOLD_ALL ? 1 : FOLD_NOTHING);
    } else if (model_containing(model, &first, &last, &level)) {
        model_set(model, first, last,
                  how == VIEW_FOLD           ? level
                  : how == VIEW_FOLD_CALLEES ? level + 1
                                             : FOLD_NOTHING);
    } else {
        return;
    }
    if (how != VIEW_UNFOLD_LEVEL || was_hidden)
        model->shown = model_previous(model, model->state);
    if (how != VIEW_UNFOLD_LEVEL || !was_hidden)
        model->state = model_state_below(model);
    model_keep(model, is_all ? VIEW_MIDDLE : VIEW_BOTTOM);
}

static void model_go(struct model *model, uint64_t event)
{
    model->state = event;
    model->shown = model_previous(model, event);
    model_keep(model, VIEW_MIDDLE);
}

static void model_resize(struct model *model, uint64_t rows)
{
    model->rows = rows;
    model_keep(model, VIEW_MIDDLE);
}

// --- The comparison ------------------------------------------------------------------------------

static void check_same(struct model *model, struct view *view)
{
    struct line_at top = {model_next(model, 0), 0};
    view_lines_below(view, &top, model->top);
    CHECK(view->shown == model->shown);
    CHECK(view->state == model->state);
    CHECK(view->top.event == top.event && view->top.line == top.line);
    CHECK(view_is_hidden(view) == (model->state != model_state_below(model)));
}

static void check_numbers(struct model *model, struct view *view)
{
    const struct timeline_lane *lane = view->timeline->lanes;
    if (!view->has_sums)
        return;
    for (uint64_t i = 0; i <= model->events; i++)
        CHECK(level_sums_visible_before(&view->sums, &lane->calls, &lane->folds, i) ==
              model_number(model, i));
    for (uint64_t i = 0, number = 0; i < model->events; i++) {
        for (uint64_t line = 0; model_sees(model, i) && line < model->lines[i]; line++, number++) {
            uint64_t found;
            CHECK(level_sums_event_at(&view->sums, &lane->calls, &lane->folds, number, &found) ==
                  i);
            CHECK(found == line);
        }
    }
}

static void act(struct model *model, struct view *view, struct prng *prng)
{
    struct error err;
    unsigned choice = (unsigned)prng_below(prng, 12);
    uint64_t event = prng_below(prng, (uint32_t)model->events), rows = 1 + prng_below(prng, 20);
    switch (choice) {
    case 0:
    case 1:
        view_down(view);
        model_step(model, model_next(model, model->shown + 1), VIEW_BOTTOM);
        break;
    case 2:
    case 3:
        view_up(view);
        model_step(model, model->shown ? model_previous(model, model->shown - 1) : TIMELINE_NONE,
                   VIEW_TOP);
        break;
    case 4:
        view_go(view, event);
        model_go(model, event);
        break;
    case 5:
        view_resize(view, rows);
        model_resize(model, rows);
        break;
    default:
        choice -= 6;
        view_change_folds(view, (enum view_fold)choice, &err);
        model_fold(model, (enum view_fold)choice);
    }
}

static void test_model(void)
{
    struct prng prng = {11};
    for (int round = 0; round < 300; round++) {
        struct model *model = malloc(sizeof *model);
        struct timeline timeline;
        struct view view;
        struct error err;
        model_make(model, &prng);
        struct lane_calls table = model_table(model);
        CHECK(timeline_open_calls(&timeline, &table, &err) == STATUS_OK);
        model->rows = 1 + prng_below(&prng, 20);
        view_open(&view, &timeline, model->rows);
        view.keeps_numbers = view.is_strict = true;
        for (int i = 0; i < 60; i++) {
            act(model, &view, &prng);
            check_same(model, &view);
        }
        check_numbers(model, &view);
        view_close(&view);
        timeline_close(&timeline);
        free(model);
    }
}

// Pages overlap by a line, reach both ends, and scroll inside of an event that is taller than one.
static void test_pages(void)
{
    struct model *model = calloc(1, sizeof *model);
    struct timeline timeline;
    struct view view;
    struct error err;
    model->events = 30;
    for (uint64_t i = 0; i < model->events; i++) {
        model->lines[i] = i == 12 ? 25 : 1;
        model->limit[i] = FOLD_NOTHING;
    }
    struct lane_calls table = model_table(model);
    CHECK(timeline_open_calls(&timeline, &table, &err) == STATUS_OK);
    view_open(&view, &timeline, 10);
    CHECK(view_page_down(&view) && view.top.event == 9 && view.shown == 9);
    CHECK(view_page_down(&view) && view.top.event == 12 && view.top.line == 0);
    CHECK(view_page_down(&view) && view.top.event == 12 && view.top.line == 9);
    CHECK(view_page_down(&view) && view.top.event == 12 && view.top.line == 18);
    CHECK(view_page_down(&view) && view.top.event == 15 && view.shown == 15);
    CHECK(view_page_down(&view) && view_page_down(&view) && view.shown == 29);
    for (int i = 0; i < 10; i++)
        view_page_up(&view);
    CHECK(view.top.event == 0 && view.top.line == 0 && view.shown == 0 && view.state == 0);
    CHECK(view_up(&view) && view.shown == TRAWL_START && view.state == TRAWL_START);
    CHECK(!view_up(&view) && view_down(&view) && view.shown == 0);
    view_close(&view);
    timeline_close(&timeline);
    free(model);
}

const struct test_case browse_tests[] = {
    {"browse: folds and jumps as a plain model has them", test_model},
    {"browse: pages", test_pages},
    {NULL, NULL},
};
