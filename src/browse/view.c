#include "browse/browser_state.h"

#include <stdlib.h>

// --- Lines ---------------------------------------------------------------------------------------

bool view_lines_below(struct view *view, struct line_at *at, uint64_t count)
{
    for (;;) {
        uint64_t left = timeline_lines_of(view->timeline, at->event) - at->line - 1;
        if (count <= left) {
            at->line += count;
            return true;
        }
        uint64_t next = timeline_next(view->timeline, at->event + 1);
        if (next == TIMELINE_NONE) {
            at->line += left;
            return false;
        }
        count -= left + 1;
        *at = (struct line_at){next, 0};
    }
}

bool view_lines_above(struct view *view, struct line_at *at, uint64_t count)
{
    while (count > at->line) {
        uint64_t previous =
            at->event ? timeline_previous(view->timeline, at->event - 1) : TIMELINE_NONE;
        count -= at->line + 1;
        if (previous == TIMELINE_NONE) {
            at->line = 0;
            return false;
        }
        *at = (struct line_at){previous, timeline_lines_of(view->timeline, previous) - 1};
    }
    at->line -= count;
    return true;
}

static bool is_before(struct line_at a, struct line_at b)
{
    return a.event != b.event ? a.event < b.event : a.line < b.line;
}

// --- The two rules -------------------------------------------------------------------------------

uint64_t view_below(struct view *view)
{
    return timeline_next(view->timeline, view->shown + 1); // of TRAWL_START: the first
}

// The state after a step to the shown event: the one before the next visible event.
static uint64_t state_below(struct view *view)
{
    uint64_t next = view_below(view);
    uint64_t state = next == TIMELINE_NONE ? view->timeline->event_count - 1 : next - 1;
    if (state == TRAWL_START)
        return state;
    state = timeline_last_of_lanes(view->timeline, state); // or of none
    return state == TIMELINE_NONE ? TRAWL_START : state;
}

// The event to show for a state: itself, or the last visible one before it.
static uint64_t shown_for(struct view *view, uint64_t state)
{
    if (state == TRAWL_START)
        return state;
    uint64_t shown = timeline_previous(view->timeline, state);
    return shown == TIMELINE_NONE ? TRAWL_START : shown;
}

bool view_is_hidden(struct view *view)
{
    return view->state != state_below(view);
}

// --- Scrolling -----------------------------------------------------------------------------------

// The lines of the shown event that count: at most as many as there is room for.
static uint64_t lines_shown(struct view *view)
{
    if (view->shown == TRAWL_START)
        return 0;
    return u64_min(timeline_lines_of(view->timeline, view->shown), view->rows);
}

static bool is_in_sight(struct view *view)
{
    struct line_at first = {view->shown, 0}, last = view->top;
    uint64_t lines = lines_shown(view);
    if (!view->rows)
        return true;
    if (view->shown == TRAWL_START) {
        struct line_at top = view->top;
        return !view_lines_above(view, &top, 1);
    }
    if (is_before(first, view->top))
        return false;
    first.line = lines - 1;
    view_lines_below(view, &last, view->rows - 1);
    return !is_before(last, first);
}

static void scroll_to_start(struct view *view)
{
    uint64_t first = timeline_next(view->timeline, 0);
    view->top = (struct line_at){first == TIMELINE_NONE ? 0 : first, 0};
}

void view_scroll(struct view *view, enum view_place place)
{
    uint64_t lines = lines_shown(view), above = 0;
    if (view->shown == TRAWL_START) {
        scroll_to_start(view);
        return;
    }
    if (place == VIEW_MIDDLE)
        above = (view->rows - lines) / 2;
    else if (place == VIEW_BOTTOM)
        above = view->rows - lines;
    view->top = (struct line_at){view->shown, 0};
    view_lines_above(view, &view->top, above);
}

static void keep_in_sight(struct view *view, enum view_place place)
{
    if (!is_in_sight(view))
        view_scroll(view, place);
}

void view_resize(struct view *view, uint64_t rows)
{
    view->rows = rows;
    keep_in_sight(view, VIEW_MIDDLE);
}

// --- Opening -------------------------------------------------------------------------------------

void view_open(struct view *view, struct timeline *timeline, uint64_t rows)
{
    *view = (struct view){.timeline = timeline, .rows = rows};
    scroll_to_start(view);
    view->shown = view->top.event;
    view->state = state_below(view);
}

void view_close(struct view *view)
{
    sums_job_stop(view->sums_job);
    level_sums_free(&view->sums);
    *view = (struct view){0};
}

void view_keep_numbers(struct view *view)
{
    view->keeps_numbers = true;
    if (view->timeline->indexed && view->timeline->lane_count == 1)
        view->sums_job = sums_job_start(view->timeline->indexed, 0);
}

void view_let_go(struct view *view)
{
    sums_job_stop(view->sums_job);
    view->sums_job = NULL;
    level_sums_free(&view->sums);
    view->has_sums = false;
}

void view_take_up(struct view *view)
{
    if (view->keeps_numbers)
        view_keep_numbers(view);
    view_show_again(view);
}

// --- Movements -----------------------------------------------------------------------------------

static void show(struct view *view, uint64_t event)
{
    view->shown = event;
    view->state = state_below(view);
    view->has_changes = false;
}

void view_mark_changes(struct view *view, uint64_t other)
{
    // TRAWL_START comes first, though its number is the largest.
    bool is_forward = view->state + 1 >= other + 1;
    view->has_changes = true;
    view->changed_after = is_forward ? other : view->state;
    view->changed_until = is_forward ? view->state : other;
}

static bool step(struct view *view, uint64_t event, enum view_place place)
{
    uint64_t before = view->state;
    show(view, event);
    view_mark_changes(view, before);
    keep_in_sight(view, place);
    return true;
}

bool view_down(struct view *view)
{
    uint64_t next = view_below(view);
    return next != TIMELINE_NONE && step(view, next, VIEW_BOTTOM);
}

bool view_up(struct view *view)
{
    if (view->shown == TRAWL_START)
        return false;
    uint64_t previous =
        view->shown ? timeline_previous(view->timeline, view->shown - 1) : TIMELINE_NONE;
    if (previous == TIMELINE_NONE && view->is_strict)
        return false;
    return step(view, previous == TIMELINE_NONE ? TRAWL_START : previous, VIEW_TOP);
}

// Pages overlap by a line. An event taller than the page is scrolled.
bool view_page_down(struct view *view)
{
    struct line_at old = view->top, target = view->top;
    if (!view_lines_below(view, &target, u64_max(view->rows, 2) - 1))
        return view_end(view);
    show(view, target.event);
    view->top = target;
    if (is_before(old, (struct line_at){target.event, 0}))
        view->top.line = 0;
    return true;
}

bool view_page_up(struct view *view)
{
    struct line_at old = view->top;
    if (!view_lines_above(view, &(struct line_at){old.event, old.line}, 1))
        return view_home(view);
    show(view, old.event);
    view_scroll(view, VIEW_BOTTOM);
    if (!is_before(view->top, old)) {
        view->top = old;
        view_lines_above(view, &view->top, u64_max(view->rows, 2) - 1);
    }
    return true;
}

bool view_home(struct view *view)
{
    uint64_t first = timeline_next(view->timeline, 0);
    if (first == TIMELINE_NONE)
        return false;
    view->state = 0;
    view->shown = shown_for(view, 0);
    if (view->shown == TRAWL_START)
        show(view, first);
    view->has_changes = false;
    keep_in_sight(view, VIEW_TOP);
    return true;
}

bool view_end(struct view *view)
{
    uint64_t last = timeline_last_of_lanes(view->timeline, view->timeline->event_count - 1);
    view->state = last == TIMELINE_NONE ? TRAWL_START : last;
    view->shown = shown_for(view, view->state);
    view->has_changes = false;
    keep_in_sight(view, VIEW_BOTTOM);
    return true;
}

void view_go(struct view *view, uint64_t event)
{
    view->state = event;
    view->shown = shown_for(view, event);
    view->has_changes = false;
    keep_in_sight(view, VIEW_MIDDLE);
}

void view_show_again(struct view *view)
{
    uint64_t top = timeline_previous(view->timeline, view->top.event);
    view->shown = shown_for(view, view->state);
    if (top == TIMELINE_NONE)
        scroll_to_start(view);
    else if (top != view->top.event)
        view->top = (struct line_at){top, 0};
    keep_in_sight(view, VIEW_MIDDLE);
}

// --- Calls ---------------------------------------------------------------------------------------

// The lane of the position, and the number there of the shown event; UINT64_MAX before the first.
static uint64_t lane_at(struct view *view, uint64_t event, uint64_t *in_lane)
{
    *in_lane = UINT64_MAX;
    if (event != TRAWL_START)
        return timeline_lane_of(view->timeline, event, in_lane);
    uint64_t ignored, first = timeline_next(view->timeline, 0);
    return first == TIMELINE_NONE ? 0 : timeline_lane_of(view->timeline, first, &ignored);
}

bool view_containing(struct view *view, struct view_call *call)
{
    uint64_t at, next, level_at = 0, level_next = 0;
    call->lane = lane_at(view, view->shown, &at);
    const struct timeline_lane *lane = &view->timeline->lanes[call->lane];
    const struct lane_calls *calls = &lane->calls;
    if (at != UINT64_MAX)
        level_at = calls->level(calls->self, at);
    next = folds_next_visible(&lane->folds, calls, at + 1);
    if (next != FOLDS_NONE)
        level_next = calls->level(calls->self, next);
    call->level = u64_max(level_at, level_next);
    if (!call->level)
        return false;
    struct lane_call found;
    calls->around(calls->self, level_at == call->level ? at : next, call->level, &found);
    call->first = found.entry;
    call->last = found.exit;
    return true;
}

bool view_folded_after(struct view *view, uint64_t event, struct view_call *call)
{
    uint64_t at;
    call->lane = lane_at(view, event, &at);
    const struct timeline_lane *lane = &view->timeline->lanes[call->lane];
    const struct lane_calls *calls = &lane->calls;
    uint64_t next = folds_next_visible(&lane->folds, calls, at + 1);
    call->first = at + 1;
    call->last = (next == FOLDS_NONE ? calls->event_count : next) - 1;
    if (call->first > call->last || call->last == UINT64_MAX)
        return false;
    call->level = calls->level(calls->self, call->last) + 1;
    return true;
}

bool view_folded(struct view *view, struct view_call *call)
{
    return view_folded_after(view, view->shown, call);
}

// --- Folding -------------------------------------------------------------------------------------

static bool set_all(struct view *view, uint64_t limit)
{
    bool has_memory = true;
    for (size_t i = 0; i < view->timeline->lane_count; i++) {
        struct timeline_lane *lane = &view->timeline->lanes[i];
        has_memory &= folds_set(&lane->folds, 0, lane->calls.event_count, limit);
    }
    return has_memory;
}

static bool set_call(struct view *view, const struct view_call *call, uint64_t limit)
{
    struct timeline_lane *lane = &view->timeline->lanes[call->lane];
    return folds_set(&lane->folds, call->first, call->last + 1, limit);
}

// What is needed to put the line with the same number at the top after folds changed. Changes below
// the top do not matter, and a few events above it are counted one by one; otherwise all calls are
// read, once.
enum { COUNTED_EVENTS_MAX = 4096 };

struct top_number {
    bool is_same;      // the line stays the one at the top
    bool is_from_call; // counted from the first event that changes
    uint64_t first;    // that
    uint64_t number;   // of visible lines from there, or from the first of all
};

static enum status number_top(struct view *view, const struct view_call *call,
                              struct top_number *top, struct error *err)
{
    const struct timeline_lane *lane = view->timeline->lanes;
    *top = (struct top_number){.is_same = true};
    if (!view->keeps_numbers || view->timeline->lane_count != 1 ||
        (call && call->first > view->top.event))
        return STATUS_OK;
    top->is_same = false;
    if (call && view->top.event - call->first < COUNTED_EVENTS_MAX) {
        *top = (struct top_number){false, true, call->first, view->top.line};
        for (uint64_t event = timeline_next(view->timeline, call->first);
             event != TIMELINE_NONE && event < view->top.event;
             event = timeline_next(view->timeline, event + 1))
            top->number += timeline_lines_of(view->timeline, event);
        return STATUS_OK;
    }
    if (!view->has_sums) { // from the job, or made now
        struct sums_job *job = view->sums_job;
        view->sums_job = NULL;
        enum status status = job ? sums_job_take(job, &view->sums, err)
                                 : level_sums_make(&view->sums, &lane->calls, NULL, err);
        view->has_sums = status == STATUS_OK;
        if (status != STATUS_OK)
            return status;
    }
    top->number =
        level_sums_visible_before(&view->sums, &lane->calls, &lane->folds, view->top.event) +
        view->top.line;
    return STATUS_OK;
}

// The line at the top after folds changed: the one with the same number, otherwise the same line,
// or the last visible one before it. False: there is none.
static bool restore_top(struct view *view, const struct top_number *number)
{
    const struct timeline_lane *lane = view->timeline->lanes;
    struct line_at top = view->top;
    if (number->is_from_call) {
        top = (struct line_at){timeline_next(view->timeline, number->first), 0};
        if (top.event == TIMELINE_NONE || !view_lines_below(view, &top, number->number))
            return false;
    } else if (!number->is_same) {
        top.event =
            level_sums_event_at(&view->sums, &lane->calls, &lane->folds, number->number, &top.line);
    } else if (!timeline_is_visible(view->timeline, top.event)) {
        top = (struct line_at){timeline_previous(view->timeline, top.event), 0};
    }
    if (top.event == TIMELINE_NONE)
        return false;
    view->top = top;
    return true;
}

static const struct fold_action {
    const char *lacking; // the message if there is no call; NULL: no call is needed
    enum view_place place;
} fold_actions[] = {
    [VIEW_FOLD] = {"No function call to fold up here", VIEW_BOTTOM},
    [VIEW_FOLD_CALLEES] = {"No function call to fold up here", VIEW_BOTTOM},
    [VIEW_UNFOLD] = {"No function call to fold up here", VIEW_BOTTOM},
    [VIEW_UNFOLD_LEVEL] = {"No function call to unfold here", VIEW_BOTTOM},
    [VIEW_FOLD_ALL] = {NULL, VIEW_MIDDLE},
    [VIEW_UNFOLD_ALL] = {NULL, VIEW_MIDDLE},
};

static bool apply(struct view *view, enum view_fold how, const struct view_call *call)
{
    switch (how) {
    case VIEW_FOLD:
    case VIEW_UNFOLD_LEVEL:
        return set_call(view, call, call->level);
    case VIEW_FOLD_CALLEES:
        return set_call(view, call, call->level + 1);
    case VIEW_UNFOLD:
        return set_call(view, call, FOLD_NOTHING);
    case VIEW_FOLD_ALL:
        return set_all(view, 1);
    default:
        return set_all(view, FOLD_NOTHING);
    }
}

// Keeps the place in the program: a hidden state stays until it becomes visible.
static void settle(struct view *view, enum view_fold how, bool was_hidden)
{
    if (how != VIEW_UNFOLD_LEVEL || was_hidden)
        view->shown = shown_for(view, view->state);
    if (how != VIEW_UNFOLD_LEVEL || !was_hidden)
        view->state = state_below(view);
    view->has_changes = false;
}

enum status view_change_folds(struct view *view, enum view_fold how, struct error *err)
{
    const struct fold_action *action = &fold_actions[how];
    struct view_call call;
    bool was_hidden = view_is_hidden(view);
    if (action->lacking &&
        !(how == VIEW_UNFOLD_LEVEL ? view_folded(view, &call) : view_containing(view, &call)))
        return error_set(err, STATUS_NOT_FOUND, "%s", action->lacking);
    struct top_number number;
    if (number_top(view, action->lacking ? &call : NULL, &number, err) != STATUS_OK)
        return err->status;
    if (!apply(view, how, &call))
        return error_set(err, STATUS_MEMORY, "no memory for folds");
    settle(view, how, was_hidden);
    if (!restore_top(view, &number) || !is_in_sight(view))
        view_scroll(view, action->place);
    return STATUS_OK;
}

enum status view_fold_loops(struct view *view, uint64_t lane, const struct loop *loops,
                            size_t count, struct error *err)
{
    struct folds *folds = &view->timeline->lanes[lane].folds;
    VEC(, struct fold_loop) hidden = {0};
    struct view_call all = {.lane = lane};
    struct top_number number;
    if (!count)
        return STATUS_OK;
    if (!VEC_ROOM(&hidden, count))
        return error_set(err, STATUS_MEMORY, "no memory for folds");
    for (size_t i = 0; i < count; i++)
        hidden.items[i] = (struct fold_loop){loops[i].first, loops[i].last + 1, loops[i].repeats};
    all.first = loops[0].first;
    all.last = loops[count - 1].last;
    enum status status = number_top(view, &all, &number, err);
    if (status == STATUS_OK && !folds_set_loops(folds, hidden.items, count))
        status = error_set(err, STATUS_MEMORY, "no memory for folds");
    free(hidden.items);
    if (status != STATUS_OK)
        return status;
    settle(view, VIEW_FOLD, false);
    if (!restore_top(view, &number) || !is_in_sight(view))
        view_scroll(view, VIEW_BOTTOM);
    return STATUS_OK;
}

enum status view_fold_loop(struct view *view, uint64_t lane, const struct loop *loop,
                           struct error *err)
{
    return view_fold_loops(view, lane, loop, 1, err);
}
