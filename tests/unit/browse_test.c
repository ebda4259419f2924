// Folds and positions are compared with a simple model: an array of lines, walked one by one.
#include "browse/browser.h"
#include "browse/browser_state.h"
#include "browse/search.h"
#include "browse/steps.h"
#include "random.h"
#include "test.h"
#include "trace/open.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EVENTS_MAX = 400, LINES_MAX = 4, CALLS_MAX = 200 };

// A lane that is stored in arrays, and what is folded of it, event by event.
struct model {
    uint64_t events, calls;
    uint64_t lines[EVENTS_MAX]; // of each event
    uint64_t level[EVENTS_MAX];
    struct lane_call call[CALLS_MAX];
    uint64_t limit[EVENTS_MAX];
    uint64_t loop_first, loop_last, repeats; // of the last fold; 0 repeats: none, or not now
    uint64_t shown, state, top, rows;        // top: the number of a visible line
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

static void find_call(const struct model *model, uint64_t event, uint64_t level,
                      struct lane_call *about)
{
    *about = (struct lane_call){.entry = event, .exit = event, .level = level};
    for (uint64_t i = 0; i < model->calls; i++) {
        const struct lane_call *call = &model->call[i];
        if (call->level == level && call->entry <= event && event <= call->exit)
            *about = *call;
    }
}

static void model_around(void *self, uint64_t event, uint64_t level, struct lane_call *about)
{
    find_call(self, event, level, about);
}

static bool model_outermost(void *self, uint64_t event, const uint64_t *pcs, size_t count,
                            struct lane_call *about)
{
    const struct model *model = self;
    for (uint64_t level = 1; level <= model->level[event]; level++) {
        find_call(model, event, level, about);
        for (size_t i = 0; i < count; i++) {
            if (about->pc == pcs[i])
                return true;
        }
    }
    return false;
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
                               .outermost = model_outermost,
                               .lines_before = model_lines_before};
}

// Calls as a trace shows them: there is at least one event between a call and the next of its
// level, except before one that replaces it.
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
            model->call[model->calls++] =
                (struct lane_call){.entry = i, .exit = i, .level = level, .pc = i % 3 * 16};
        } else if (level && (is_last || choice == 1)) {
            model->call[open[--level]].exit = i - 1;
        } else if (level && choice == 2 && model->call[open[level - 1]].entry < i &&
                   model->calls < CALLS_MAX) {
            struct lane_call *tail = &model->call[model->calls];
            model->call[open[level - 1]].exit = i - 1;
            model->call[open[level - 1]].how |= TRAWL_CALL_TAIL_EXIT;
            *tail = (struct lane_call){i, i, level, TRAWL_CALL_TAIL_ENTRY, i % 3 * 16};
            open[level - 1] = model->calls++;
        }
        model->level[i] = level;
        model->lines[i] = 1 + prng_below(prng, LINES_MAX);
        model->limit[i] = FOLD_NOTHING;
    }
    // Calls that are still open never returned: they are not calls, and their events are in none.
    for (uint64_t kept = level; kept > 0; kept--) {
        model->call[open[kept - 1]].level = 0;
        for (uint64_t i = model->call[open[kept - 1]].entry; i < model->events; i++)
            model->level[i]--;
        for (uint64_t i = open[kept - 1] + 1; i < model->calls; i++)
            model->call[i].level -= model->call[i].level > 0;
    }
}

// --- The simple model
// ------------------------------------------------------------------------------

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
    if (first <= model->loop_last && model->loop_first <= last)
        model->repeats = 0;
}

static void model_fold_loop(struct model *model, const struct loop *loop)
{
    model_set(model, loop->first, loop->last, 0);
    model->loop_first = loop->first;
    model->loop_last = loop->last;
    model->repeats = loop->repeats;
    model->shown = model_previous(model, model->state);
    model->state = model_state_below(model);
    model_keep(model, VIEW_BOTTOM);
}

// The call around the position whose level is the higher one of its two sides.
static bool model_containing(const struct model *model, uint64_t *first, uint64_t *last,
                             uint64_t *level)
{
    uint64_t next = model_next(model, model->shown + 1), at = model->shown;
    uint64_t below = next == TIMELINE_NONE ? 0 : model->level[next];
    *level = u64_max(model->level[at], below);
    if (model->level[at] < *level)
        at = next;
    if (!*level)
        return false;
    struct lane_call call;
    find_call(model, at, *level, &call);
    *first = call.entry;
    *last = call.exit;
    return true;
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
    if (model->repeats)
        CHECK(folds_repeats(&view->timeline->lanes[0].folds, model->loop_first,
                            model->loop_last + 1) == model->repeats);
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
    unsigned choice = (unsigned)prng_below(prng, 13);
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
    case 12:
        // The first event is in no loop after its first iteration.
        if (event) {
            const struct loop loop = {.first = event,
                                      .last = event +
                                              prng_below(prng, (uint32_t)(model->events - event)),
                                      .repeats = 1 + prng_below(prng, 9)};
            CHECK(view_fold_loop(view, 0, &loop, &err) == STATUS_OK);
            model_fold_loop(model, &loop);
        }
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

// Pages overlap by a line, reach both ends, and scroll inside an event that is taller than a page.
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

// --- Filters -------------------------------------------------------------------------------------

// Whether the simple model shows an event, by examining every call.
static bool model_lets(const struct model *model, const struct event_filter *filter, uint64_t event)
{
    bool is_site = false;
    if (!model_sees(model, event))
        return false;
    for (uint64_t i = 0; i < model->calls; i++) {
        const struct lane_call *call = &model->call[i];
        is_site |= call->entry == event + 1;
        for (size_t n = 0; n < filter->hidden.count; n++) {
            if (call->level && call->pc == filter->hidden.items[n] && call->entry <= event &&
                event <= call->exit)
                return false;
        }
    }
    return filter->kind != FILTER_CALLS || is_site;
}

static void check_filter(struct model *model, struct timeline *timeline)
{
    uint64_t previous = TIMELINE_NONE;
    for (uint64_t event = 0; event < model->events; event++) {
        bool is_shown = model_lets(model, &timeline->filter, event);
        CHECK(timeline_is_visible(timeline, event) == is_shown);
        previous = is_shown ? event : previous;
        CHECK(timeline_previous(timeline, event) == previous);
    }
    for (uint64_t event = model->events, next = TIMELINE_NONE; event-- > 0;) {
        next = model_lets(model, &timeline->filter, event) ? event : next;
        CHECK(timeline_next(timeline, event) == next);
    }
}

static void test_filters(void)
{
    struct prng prng = {23};
    for (int round = 0; round < 60; round++) {
        struct model *model = malloc(sizeof *model);
        struct timeline timeline;
        struct error err;
        bool is_hidden;
        model_make(model, &prng);
        struct lane_calls table = model_table(model);
        CHECK(timeline_open_calls(&timeline, &table, &err) == STATUS_OK);
        for (int i = 0; i < 6; i++) {
            uint64_t first = prng_below(&prng, (uint32_t)model->events),
                     limit = prng_below(&prng, 4);
            uint64_t last = first + prng_below(&prng, (uint32_t)(model->events - first));
            timeline.filter.kind = prng_below(&prng, 2) ? FILTER_CALLS : FILTER_NOTHING;
            CHECK(event_filter_toggle(&timeline.filter, prng_below(&prng, 3) * 16, &is_hidden));
            CHECK(folds_set(&timeline.lanes[0].folds, first, last + 1, limit));
            model_set(model, first, last, limit);
            check_filter(model, &timeline);
        }
        timeline_close(&timeline);
        free(model);
    }
}

// --- Steps ---------------------------------------------------------------------------------------

// The event after which a step ends, found by walking; TIMELINE_NONE: there is no such step.
static uint64_t walk_over(const struct model *model, uint64_t at)
{
    uint64_t level = model->level[at]; // of the next event
    if (at + 1 < model->events && model->level[at + 1] > level) {
        for (at++; at + 1 < model->events && model->level[at + 1] > level;)
            at++;
    }
    return at;
}

static uint64_t walk_out(const struct model *model, uint64_t at)
{
    uint64_t level = model->level[at];
    if (!level)
        return TIMELINE_NONE;
    while (at + 1 < model->events && model->level[at + 1] >= level)
        at++;
    return at;
}

// The step back from the end of a step over ends where that began, if it was over a call.
static void check_steps(struct model *model, struct timeline *timeline, uint64_t state)
{
    struct error err;
    uint64_t target, back, next = state + 1;
    if (step_from(timeline, state, STEP_OVER, &target, &err) != STATUS_OK) {
        CHECK(next == model->events);
        return;
    }
    CHECK(target == walk_over(model, next));
    CHECK(step_from(timeline, target, STEP_BACK_OVER, &back, &err) == STATUS_OK);
    CHECK(back == state || model->level[next] > 0);
    CHECK(step_from(timeline, state, STEP_INTO, &target, &err) == STATUS_OK && target == next);
    CHECK(step_from(timeline, target, STEP_BACK_INTO, &back, &err) == STATUS_OK && back == state);
    bool is_out = step_from(timeline, state, STEP_OUT, &target, &err) == STATUS_OK;
    CHECK(is_out == (walk_out(model, next) != TIMELINE_NONE));
    CHECK(!is_out || target == walk_out(model, next));
    if (step_from(timeline, state, STEP_MATCH, &target, &err) == STATUS_OK) {
        CHECK(step_from(timeline, target, STEP_MATCH, &back, &err) == STATUS_OK);
        // If a call has one event, its return may be a call itself.
        CHECK(back == state || model->level[target + 1] != model->level[next] + 1);
    }
}

static void test_steps(void)
{
    struct prng prng = {5};
    for (int round = 0; round < 100; round++) {
        struct model *model = malloc(sizeof *model);
        struct timeline timeline;
        struct error err;
        model_make(model, &prng);
        struct lane_calls table = model_table(model);
        CHECK(timeline_open_calls(&timeline, &table, &err) == STATUS_OK);
        check_steps(model, &timeline, TRAWL_START);
        for (uint64_t i = 0; i < model->events; i++)
            check_steps(model, &timeline, i);
        timeline_close(&timeline);
        free(model);
    }
}

// --- Loops ---------------------------------------------------------------------------------------

// What a program with nested loops executes, and the loop of each event.
struct executed {
    struct model model;
    uint64_t pcs[EVENTS_MAX];
    struct loop loops[EVENTS_MAX]; // the innermost with several iterations; 0 repeats: none
    struct prng prng;
};

enum { LOOP_ROOM = 40 }; // events reserved for the surroundings

static bool has_room(const struct executed *executed)
{
    return executed->model.events + LOOP_ROOM < EVENTS_MAX;
}

static void execute(struct executed *executed, uint64_t pc, uint64_t level)
{
    struct model *model = &executed->model;
    executed->pcs[model->events] = pc;
    model->lines[model->events] = 1;
    model->level[model->events++] = level;
}

static void execute_block(struct executed *executed, uint64_t pc, uint64_t level, unsigned depth);

// A separate function, above or below its caller.
static void execute_call(struct executed *executed, uint64_t pc, uint64_t level, unsigned depth)
{
    struct model *model = &executed->model;
    uint64_t number = model->calls++, start = prng_below(&executed->prng, 2) ? pc / 2 : pc * 2;
    model->call[number] = (struct lane_call){.entry = model->events, .level = level + 1};
    execute_block(executed, start, level + 1, depth + 1);
    execute(executed, start + 0x400, level + 1);
    model->call[number].exit = model->events - 1;
}

// A body between two instructions, once or repeatedly. For repeated ones, the loop is recorded for
// its events, unless an inner loop is.
static void execute_loop(struct executed *executed, uint64_t pc, uint64_t level, unsigned depth)
{
    struct model *model = &executed->model;
    uint64_t times = 1 + prng_below(&executed->prng, 4), start = model->events, done = 0;
    struct loop loop = {.head = pc};
    for (; done < times && (!done || has_room(executed)); done++) {
        if (done == 1)
            loop.first = model->events;
        execute(executed, pc, level);
        execute_block(executed, pc + 4, level, depth + 1);
        execute(executed, pc + 0x100 / (depth + 1), level);
    }
    loop.last = model->events - 1;
    loop.repeats = done - 1;
    for (uint64_t i = start; i < model->events && loop.repeats; i++) {
        if (model->level[i] == level && !executed->loops[i].repeats)
            executed->loops[i] = loop;
    }
}

static void execute_block(struct executed *executed, uint64_t pc, uint64_t level, unsigned depth)
{
    unsigned choice = (unsigned)prng_below(&executed->prng, 3);
    execute(executed, pc, level);
    if (choice == 0 && depth < 4 && has_room(executed))
        execute_loop(executed, pc + 8, level, depth);
    else if (choice == 1 && depth < 4 && has_room(executed))
        execute_call(executed, 0x10000 + pc, level, depth);
}

static bool executed_pc(void *self, uint64_t event, uint64_t *pc)
{
    *pc = ((const uint64_t *)self)[event];
    return true;
}

// The loop around every event is the one that the program executed.
static void test_loops(void)
{
    struct executed *executed = malloc(sizeof *executed);
    for (unsigned round = 0; round < 300; round++) {
        *executed = (struct executed){.prng = {100 + round}};
        for (uint64_t pc = 0x10000; has_room(executed); pc += 0x1000)
            execute_loop(executed, pc, 0, 0);
        struct lane_calls calls = model_table(&executed->model);
        const struct lane_pcs pcs = {executed->pcs, executed_pc};
        for (uint64_t i = 0; i < executed->model.events; i++) {
            const struct loop *expected = &executed->loops[i];
            struct loop found;
            bool is_found = loop_around(&calls, &pcs, i, &found);
            CHECK(is_found == (expected->repeats > 0));
            CHECK(!is_found || memcmp(&found, expected, sizeof found) == 0);
        }
    }
    free(executed);
}

// Whether a loop that the program executed, at the level of a call, is not inside folded iterations
// of another.
static bool is_folded(const struct loop *loops, size_t count, uint64_t event)
{
    for (size_t i = 0; i < count; i++) {
        if (event >= loops[i].first && event <= loops[i].last)
            return true;
    }
    return false;
}

// All loops of a call are those that the program executed there; folding them at once is like
// folding each.
static void test_loops_of_call(void)
{
    struct executed *executed = malloc(sizeof *executed);
    for (unsigned round = 0; round < 300; round++) {
        struct loop loops[EVENTS_MAX];
        struct fold_loop hidden[EVENTS_MAX];
        struct folds at_once = {0}, one_by_one = {0};
        size_t count;
        *executed = (struct executed){.prng = {900 + round}};
        for (uint64_t pc = 0x10000; has_room(executed); pc += 0x1000)
            execute_loop(executed, pc, 0, 0);
        struct lane_calls calls = model_table(&executed->model);
        const struct lane_pcs pcs = {executed->pcs, executed_pc};
        CHECK(loops_of_call(&calls, &pcs, 0, loops, ARRAY_COUNT(loops), &count));
        for (uint64_t i = 0; i < executed->model.events; i++) {
            const struct loop *expected = &executed->loops[i];
            bool is_told = false;
            if (executed->model.level[i] || !expected->repeats || expected->first != i)
                continue;
            for (size_t n = 0; n < count; n++)
                is_told |= memcmp(&loops[n], expected, sizeof *expected) == 0;
            CHECK(is_told || is_folded(loops, count, i - 1));
        }
        folds_set(&at_once, 20, 40, 1 + round % 3);
        folds_set(&one_by_one, 20, 40, 1 + round % 3);
        for (size_t n = 0; n < count; n++) {
            CHECK(!n || loops[n].first > loops[n - 1].last);
            CHECK(memcmp(&loops[n], &executed->loops[loops[n].first], sizeof loops[n]) == 0);
            hidden[n] = (struct fold_loop){loops[n].first, loops[n].last + 1, loops[n].repeats};
            CHECK(folds_set_loop(&one_by_one, hidden[n].first, hidden[n].end, hidden[n].repeats));
        }
        CHECK(folds_set_loops(&at_once, hidden, count));
        for (uint64_t i = 0; i < executed->model.events; i++)
            CHECK(folds_limit(&at_once, i) == folds_limit(&one_by_one, i));
        for (size_t n = 0; n < count; n++)
            CHECK(folds_repeats(&at_once, hidden[n].first, hidden[n].end) == hidden[n].repeats);
        folds_free(&at_once);
        folds_free(&one_by_one);
    }
    free(executed);
}

// --- Search --------------------------------------------------------------------------------------

enum { SEARCHED_BYTES = 1300000 };

// Lines with few different letters, most of them short, some longer than the rest of a block.
static char *make_text(struct prng *prng)
{
    char *text = malloc(SEARCHED_BYTES + 1);
    for (size_t i = 0, left = 0; i < SEARCHED_BYTES; i++) {
        bool is_end = left == 0;
        if (is_end)
            left = prng_percent(prng, 1) ? prng_below(prng, 60000) : prng_below(prng, 80);
        else
            left--;
        text[i] = is_end ? '\n' : "abcdefgh 0123"[prng_below(prng, 13)];
    }
    text[SEARCHED_BYTES] = '\0';
    return text;
}

static bool line_has(const regex_t *regex, const char *start, const char *end)
{
    char *line = strndup(start, (size_t)(end - start));
    bool has = line && regexec(regex, line, 0, NULL, 0) == 0;
    free(line);
    return has;
}

static bool regex_takes(const void *self, const struct trace_lines *text, const char *start,
                        const char *end)
{
    (void)text;
    return line_has(self, start, end);
}

// Every match is found in order, forwards and backwards; then the search continues at the other
// end.
static void check_search(const char *text, const char *pattern, bool is_tested)
{
    struct search *search;
    struct error err;
    regex_t regex;
    uint64_t at = 0, found, count = 0, last = 0;
    bool has_wrapped;
    CHECK(regcomp(&regex, pattern, REG_EXTENDED) == 0);
    const struct trace_lines searched = {text, SEARCHED_BYTES, NULL};
    const struct search_way way = {1200000, pattern[0] != '^', 2};
    const struct line_test test = {&regex, regex_takes, NULL};
    CHECK((is_tested
               ? line_search_open(&search, &searched, &test, pattern, &way, &err)
               : text_search_open(&search, &searched, pattern, NULL, &way, &err)) == STATUS_OK);
    while (!search_progress(search).is_done)
        usleep(100); // not busily: its threads need the processors
    for (const char *line = text; line < text + SEARCHED_BYTES;) {
        const char *end = memchr(line, '\n', (size_t)(text + SEARCHED_BYTES - line));
        end = end ? end : text + SEARCHED_BYTES;
        if (line_has(&regex, line, end)) {
            uint64_t offset = (uint64_t)(line - text);
            if (count++) {
                CHECK(search_next(search, at, true, &found, &has_wrapped) == SEARCH_FOUND);
                CHECK(found == offset && !has_wrapped);
                CHECK(search_next(search, offset, false, &found, &has_wrapped) == SEARCH_FOUND);
                CHECK(found == at && !has_wrapped);
            }
            at = last = offset;
        }
        line = end + 1;
    }
    CHECK(search_progress(search).hits == count);
    enum search_outcome outcome = search_next(search, last, true, &found, &has_wrapped);
    CHECK(outcome == (count ? SEARCH_FOUND : SEARCH_NOWHERE));
    CHECK(!count || (has_wrapped && found <= last));
    search_close(search);
    regfree(&regex);
}

static void test_search(void)
{
    struct prng prng = {3};
    char *text = make_text(&prng);
    static const char *const patterns[] = {"abc",      "a[bc]+d 0", "^abc",        "12$",
                                           "ab(c|d)e", "ab{2}c",    "nothing",     "a|0123",
                                           "f?gh1",    "h.3 0",     "gh1|e 2|abc", "(a|b)c|0123$",
                                           "abc|",     "x*|abc",    "ab\\|c|dd",   "a[|]b|ef"};
    for (size_t i = 0; i < ARRAY_COUNT(patterns); i++)
        check_search(text, patterns[i], false);
    for (size_t i = 0; i < 6; i++)
        check_search(text, patterns[i], true);
    free(text);
}

static void test_bad_patterns(void)
{
    static const char *const patterns[] = {"(", "[a", "a{2", "*(", "\\"};
    const struct trace_lines text = {"text", 4, NULL}, empty = {"", 0, NULL};
    const struct search_way way = {SEARCH_START, true, 1};
    struct search *search;
    struct error err;
    for (size_t i = 0; i < ARRAY_COUNT(patterns); i++) {
        enum status status = text_search_open(&search, &text, patterns[i], NULL, &way, &err);
        CHECK(status == STATUS_OK || (status == STATUS_INPUT && err.text[0] && !search));
        search_close(search);
    }
    CHECK(text_search_open(&search, &empty, "a", NULL, &way, &err) == STATUS_OK);
    search_close(search);
}

// --- Text without an index -----------------------------------------------------------------------

static void check_top(const struct text_view *view, const char *expected)
{
    char line[SCREEN_LINE_BYTES(40)];
    struct screen screen = {0};
    CHECK(text_view_draw(view, &screen));
    screen_line(&screen, 0, line);
    CHECK_STR(line, expected);
    screen_free(&screen);
}

static void test_text_view(void)
{
    char path[] = "/tmp/browse-test-XXXXXX";
    int fd = mkstemp(path);
    struct trace *trace;
    struct trace_lines lines;
    struct text_view view;
    struct growth growth = {0};
    struct error err;
    for (int i = 0; i < 100; i++)
        dprintf(fd, "%d clk R r0 %08x%s\n", i, i, i == 50 ? "\r" : "");
    CHECK(trace_open(&trace, path, READING_TRUE, &err) == STATUS_OK);
    CHECK(trace_lines_open(&lines, trace->source, &err) == STATUS_OK);
    text_view_open(&view, path, trace, &lines, &growth);
    text_view_resize(&view, 40, 12);
    check_top(&view, "0 clk R r0 00000000");
    text_view_key(&view, KEY_UP_ARROW);
    text_view_key(&view, KEY_DOWN_ARROW);
    check_top(&view, "1 clk R r0 00000001");
    text_view_key(&view, KEY_PAGE_DOWN);
    check_top(&view, "10 clk R r0 0000000a");
    text_view_key(&view, KEY_END_KEY);
    check_top(&view, "90 clk R r0 0000005a");
    text_view_key(&view, KEY_PAGE_UP);
    check_top(&view, "81 clk R r0 00000051");
    for (int i = 0; i < 31; i++)
        text_view_key(&view, 'k');
    check_top(&view, "50 clk R r0 00000032");
    text_view_key(&view, KEY_HOME_KEY);
    check_top(&view, "0 clk R r0 00000000");
    for (unsigned size = 0; size < 5; size++) {
        struct screen screen = {0};
        text_view_resize(&view, size, size);
        CHECK(text_view_draw(&view, &screen));
        screen_free(&screen);
    }
    text_view_key(&view, 'c');
    CHECK(growth.is_cancelled);
    text_view_key(&view, 'c');
    CHECK(!growth.is_cancelled && !view.is_done);
    view.may_cancel = false; // as for a log
    text_view_key(&view, 'c');
    CHECK(!growth.is_cancelled && view.is_refused);
    text_view_key(&view, 'q');
    CHECK(view.is_done && view.has_moved && !view.is_refused);
    trace_close(trace);
    close(fd);
    unlink(path);
}

// Half of a wide character, tabs, control characters and invalid characters.
static void test_rows(void)
{
    static const char text[] = "a\tb\x1b[1m\xe4\xb8\x96\xff\xc2\x9b!";
    char line[SCREEN_LINE_BYTES(40)];
    struct screen screen = {0};
    CHECK(screen_clear(&screen, 20, 1));
    struct row row = screen_row(&screen, 0);
    row_text(&row, ROLE_TEXT, text, sizeof text - 1);
    screen_line(&screen, 0, line);
    CHECK_STR(line, "a       b^[[1m\xe4\xb8\x96\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd!");
    CHECK(screen_clear(&screen, 15, 1));
    row = screen_row(&screen, 0);
    row_text(&row, ROLE_TEXT, text, sizeof text - 1);
    screen_line(&screen, 0, line);
    CHECK_STR(line, "a       b^[[1m");
    row = screen_row(&screen, 1); // there is no such row
    row_text(&row, ROLE_TEXT, text, sizeof text - 1);
    CHECK(row.at == 0);
    screen_free(&screen);
}

const struct test_case browse_tests[] = {
    {"browse: folds and jumps as a plain model has them", test_model},
    {"browse: pages", test_pages},
    {"browse: filters as a plain model has them", test_filters},
    {"browse: steps as a walk finds them", test_steps},
    {"browse: loops as the program went through them", test_loops},
    {"browse: all loops of a call are folded at once", test_loops_of_call},
    {THREADED "browse: every match of a search", test_search},
    {THREADED "browse: patterns that are none", test_bad_patterns},
    {"browse: text without an index", test_text_view},
    {"browse: odd characters in rows", test_rows},
    {NULL, NULL},
};
