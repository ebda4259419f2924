// Keys of the trace that `trawl browse` has in addition to the reference.
#include "base/limits.h"
#include "browse/browser.h"
#include "browse/event_text.h"
#include "browse/pane.h"
#include "browse/steps.h"

#include "query/file_place.h"
#include "query/point.h"
#include "report/out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// --- Steps ---------------------------------------------------------------------------------------

static void make_step(struct browser *browser, struct pane *pane, uint32_t key)
{
    static const struct {
        uint32_t key;
        enum step step;
    } steps[] = {
        {'>', STEP_OVER}, {'<', STEP_BACK_OVER}, {'i', STEP_INTO},  {'I', STEP_BACK_INTO},
        {'o', STEP_OUT},  {'O', STEP_BACK_OUT},  {'%', STEP_MATCH},
    };
    struct error err;
    uint64_t before = browser->view.state, target;
    (void)pane;
    for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
        if (steps[i].key != key)
            continue;
        if (step_from(browser->timeline, before, steps[i].step, &target, &err) != STATUS_OK) {
            browser_complain(browser, "%s", err.text);
            return;
        }
        if (key == 'o' || key == 'O' || key == '%')
            browser_go(browser, target);
        else
            view_go(&browser->view, target);
        view_mark_changes(&browser->view, before);
        browser_moved(browser);
    }
}

// --- Places --------------------------------------------------------------------------------------

static void go_back(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct places *places = &browser->places;
    (void)pane;
    if (key == KEY_CTRL_O) {
        if (!places->at) {
            browser_complain(browser, "Nowhere to go back to");
            return;
        }
        if (places->at == places->count && places->count < LIMIT_BROWSER_PLACES)
            places->visited[places->count++] = browser->view.state;
        places->at--;
    } else if (places->at + 1 >= places->count) {
        browser_complain(browser, "Nowhere to go forward to");
        return;
    } else {
        places->at++;
    }
    view_go(&browser->view, places->visited[places->at]);
    browser_moved(browser);
}

static void set_mark(struct browser *browser, struct pane *pane, const char *typed)
{
    struct error err;
    (void)pane;
    if (marks_set(&browser->marks, typed, browser->view.state, &err) == STATUS_OK)
        browser_say(browser, "Mark %c is here", typed[0]);
    else
        browser_complain(browser, "%s", err.text);
}

static void go_to_mark(struct browser *browser, struct pane *pane, const char *typed)
{
    const struct mark *mark = marks_find(&browser->marks, typed);
    (void)pane;
    if (mark && mark->event != TRAWL_START && mark->event >= browser->timeline->event_count) {
        browser_complain(browser, "Mark %s is in a part that is not indexed yet", typed);
        return;
    }
    if (!mark) {
        browser_complain(browser, "No mark %s", typed);
        return;
    }
    browser_go(browser, mark->event);
    if (mark->note[0])
        browser_say(browser, "%s: %s", typed, mark->note);
}

static void write_marks(struct browser *browser, struct pane *pane, uint32_t key)
{
    char path[MARKS_PATH_BYTES];
    struct error err;
    (void)pane, (void)key;
    if (!marks_path(browser->source->file, path))
        browser_complain(browser, "The path of the trace is too long");
    else if (marks_write(&browser->marks, path, &err) == STATUS_OK)
        browser_say(browser, "Marks are written to %s", path);
    else
        browser_complain(browser, "%s", err.text);
}

void browser_read_marks(struct browser *browser)
{
    char path[MARKS_PATH_BYTES];
    struct error err;
    uint64_t ignored;
    if (!marks_path(browser->source->file, path))
        return;
    uint64_t event_count = browser->source->growth ? UINT64_MAX : browser->timeline->event_count;
    enum status status = marks_read(&browser->marks, path, event_count, &ignored, &err);
    if (status == STATUS_NOT_FOUND)
        return;
    if (status != STATUS_OK)
        browser_complain(browser, "%s", err.text);
    else if (ignored)
        browser_complain(browser, "%s: %" PRIu64 " line%s that name no mark of this trace", path,
                         ignored, plural(ignored));
    else
        browser_say(browser, "Marks were read from %s", path);
}

static void go_to_position(struct browser *browser, struct pane *pane, const char *typed)
{
    const struct browse_source *source = browser->source;
    struct point_names symbols = {.names = source->names, .index = NULL, .isa = 0};
    const struct expression_names names = point_names(&symbols);
    struct position position;
    struct error err;
    uint64_t event;
    (void)pane;
    if (file_position_parse(&position, typed, &names, source->trace, &err) == STATUS_OK &&
        point_of(source->indexed, &position, TRAWL_ANY_LANE, &event, &err) == STATUS_OK)
        browser_go(browser, event);
    else
        browser_complain(browser, "%s", err.text);
}

static void say_position(struct browser *browser, struct pane *pane, uint32_t key)
{
    uint64_t state = browser->view.state;
    (void)pane, (void)key;
    if (state == TRAWL_START)
        browser_say(browser, "The position is start");
    else
        browser_say(browser, "The position is event:%" PRIu64, state);
}

static void cancel_index(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct growth *growth = browser->source->growth;
    (void)pane, (void)key;
    if (!growth) {
        browser_complain(browser, "The index is complete: there is nothing to cancel");
        return;
    }
    growth->is_cancelled = !growth->is_cancelled;
    browser_say(browser, growth->is_cancelled ? "The index was canceled: F9 builds it"
                                              : "The index is built again");
}

// --- What is shown -------------------------------------------------------------------------------

static void move_sideways(struct browser *browser, struct pane *pane, uint32_t key)
{
    enum { COLUMNS = 8 };
    (void)pane;
    if (key == KEY_RIGHT_ARROW)
        browser->sideways += browser->sideways < LIMIT_SCREEN_COLUMNS ? COLUMNS : 0;
    else
        browser->sideways -= browser->sideways ? COLUMNS : 0;
}

static void toggle_indentation(struct browser *browser, struct pane *pane, uint32_t key)
{
    (void)pane, (void)key;
    browser->has_indentation = !browser->has_indentation;
    browser_say(browser, "Indentation by calls %s", browser->has_indentation ? "on" : "off");
}

// The panes that a key opens and closes.
static const struct {
    uint32_t key;
    const struct pane_kind *kind;
    struct pane *(*open)(struct browser *browser);
    unsigned needs; // what the trace must have (enum trace_ability)
    bool needs_image;
} toggled_panes[] = {
    {'c', &stack_kind, stack_pane_new, TRACE_CALLS, false},
    {'X', &unwound_kind, unwound_pane_new, TRACE_REGISTERS, false},
    {'s', &source_kind, source_pane_new, TRACE_ADDRESSES, true},
    {'F', &functions_kind, functions_pane_new, TRACE_CALLS, false},
    {'d', &disassembly_kind, disassembly_pane_new, TRACE_INSTRUCTIONS, false},
    {'R', &named_kind, named_pane_new, TRACE_REGISTERS, false},
    {'B', &overview_kind, overview_pane_new, 0, false},
};

static void toggle_pane(struct browser *browser, struct pane *pane, uint32_t key)
{
    size_t kind = 0;
    (void)pane;
    while (toggled_panes[kind].key != key)
        kind++;
    struct pane *open = browser_find_pane(browser, toggled_panes[kind].kind);
    if (open)
        browser_close_pane(browser, open);
    else if (!browser_can(browser, toggled_panes[kind].needs))
        return;
    else if (toggled_panes[kind].needs_image && !browse_has_image(browser->source))
        browser_complain(browser, "No image with source lines");
    else
        browser_add_pane(browser, toggled_panes[kind].open(browser));
}

// Shows all lanes, then each alone.
static void change_lane(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct timeline *timeline = browser->timeline;
    const struct index_view *indexed = browser->source->indexed;
    uint64_t found, state = browser->view.state;
    struct trawl_event about;
    struct trawl_error failure;
    struct error err;
    (void)pane, (void)key;
    if (timeline->lane_count < 2) {
        browser_complain(browser, "The trace has only one lane");
        return;
    }
    browser_show_lane(browser, (browser->lane + 1) % (timeline->lane_count + 1));
    if (browser->lane && browser->source->rows == ROWS_CALLS) {
        // The lanes are one after the other: goes to where this one is at the time of the position.
        browse_event(browser->source, state, &about);
        if (trawl_event_at_time(indexed->index, browser->lane - 1, about.time, &found, &failure) !=
                TRAWL_OK ||
            found == TRAWL_START)
            found = timeline_event_of(timeline, browser->lane - 1, 0);
        view_go(&browser->view, found);
    } else if (browser->lane && state != TRAWL_START &&
               point_in_lane(indexed, browser->lane - 1, state, &about, &err) == STATUS_OK) {
        // To where the lane was at the position, whose event may belong to another lane.
        view_go(&browser->view, about.event);
    }
    if (browser->lane)
        browser_say(browser, "Only %s", indexed->lanes[browser->lane - 1].name);
    else
        browser_say(browser, "All lanes");
    view_show_again(&browser->view);
    browser_moved(browser);
}

static void export_visible(struct browser *browser, struct pane *pane, const char *typed)
{
    struct timeline *timeline = browser->timeline;
    struct out out;
    struct error err;
    (void)pane;
    enum status status = out_open(&out, typed, &err);
    if (status != STATUS_OK) {
        browser_complain(browser, "%s", err.text);
        return;
    }
    for (uint64_t event = timeline_next(timeline, 0); event != TIMELINE_NONE && !out_failed(&out);
         event = timeline_next(timeline, event + 1)) {
        uint64_t lines = timeline_lines_of(timeline, event);
        for (uint64_t line = 0; line < lines; line++) {
            struct text_span text = browse_row_text(browser->source, event, line);
            out_bytes(&out, text.start, (size_t)(text.end - text.start));
            out_byte(&out, '\n');
        }
    }
    if (out_close(&out, &err) == STATUS_OK)
        browser_say(browser, "Written to %s", typed);
    else
        browser_complain(browser, "%s", err.text);
}

// --- Loops ---------------------------------------------------------------------------------------

// The event that is executed next, or at the end of a lane the last one, and its lane. False:
// reported that nothing is executed.
static bool find_executed(struct browser *browser, uint64_t *lane, uint64_t *at)
{
    struct timeline *timeline = browser->timeline;
    uint64_t state = browser->view.state;
    if (!browser_can(browser, TRACE_INSTRUCTIONS))
        return false;
    *lane = timeline_lane_of(timeline, state == TRAWL_START ? 0 : state, at);
    *at += state != TRAWL_START && *at + 1 < timeline->lanes[*lane].calls.event_count;
    return true;
}

static struct index_pcs pcs_of(const struct browser *browser, uint64_t lane)
{
    return (struct index_pcs){.index = browser->source->indexed->index,
                              .lane = lane,
                              .lane_count = browser->timeline->lane_count};
}

static void fold_loop(struct browser *browser, struct pane *pane, uint32_t key)
{
    uint64_t lane, at = 0;
    struct loop loop;
    struct error err;
    (void)pane, (void)key;
    if (!find_executed(browser, &lane, &at))
        return;
    struct index_pcs pcs = pcs_of(browser, lane);
    const struct lane_pcs table = index_pcs_table(&pcs);
    if (!loop_around(&browser->timeline->lanes[lane].calls, &table, at, &loop))
        browser_complain(browser, "Not in a loop that is repeated");
    else if (view_fold_loop(&browser->view, lane, &loop, &err) != STATUS_OK)
        browser_complain(browser, "%s", err.text);
    else
        browser_moved(browser);
}

// Folds all loops of the current function, not those of functions that it calls.
static void fold_loops(struct browser *browser, struct pane *pane, uint32_t key)
{
    uint64_t lane, at = 0;
    size_t count = 0;
    struct error err;
    (void)pane, (void)key;
    if (!find_executed(browser, &lane, &at))
        return;
    struct index_pcs pcs = pcs_of(browser, lane);
    const struct lane_pcs table = index_pcs_table(&pcs);
    struct loop *loops = calloc(LIMIT_FOLDED_LOOPS, sizeof *loops);
    bool is_all = loops && loops_of_call(&browser->timeline->lanes[lane].calls, &table, at, loops,
                                         LIMIT_FOLDED_LOOPS, &count);
    if (!loops)
        browser_complain(browser, "No memory for folds");
    else if (!count)
        browser_complain(browser, "No repeated loop here");
    else if (view_fold_loops(&browser->view, lane, loops, count, &err) != STATUS_OK)
        browser_complain(browser, "%s", err.text);
    else
        browser_say(browser, "%s%zu loop%s of the function %s folded", is_all ? "" : "The first ",
                    count, plural(count), count == 1 ? "is" : "are");
    free(loops);
    if (count)
        browser_moved(browser);
}

// --- Keys ----------------------------------------------------------------------------------------

static void ask(struct browser *browser, struct pane *pane, uint32_t key)
{
    static const struct key_prompt prompts[] = {
        {'/', {"/", browser_search_down, false, NULL, NULL}},
        {'?', {"?", browser_search_up, false, NULL, NULL}},
        {'C', {"Search condition: ", browser_search_condition, false, NULL, NULL}},
        {'f', {"Go to function: ", browser_go_to_function, false, NULL, browser_complete_function}},
        {':', {"Go to: ", go_to_position, false, NULL, NULL}},
        {'v', {"Watch: ", browser_watch, false, NULL, NULL}},
        {'"', {"Set mark: ", set_mark, false, NULL, NULL}},
        {'\'', {"Go to mark: ", go_to_mark, false, NULL, NULL}},
        {'z', {"Write what is visible to file: ", export_visible, false, NULL, NULL}},
    };
    browser_ask_by_key(browser, pane, prompts, ARRAY_COUNT(prompts), key);
}

static void vi_move(struct browser *browser, struct pane *pane, uint32_t key)
{
    static const struct {
        uint32_t key, meant;
    } keys[] = {
        {'j', KEY_DOWN_ARROW}, {'k', KEY_UP_ARROW},  {'g', KEY_HOME_KEY}, {'G', KEY_END_KEY},
        {6, KEY_PAGE_DOWN},    {' ', KEY_PAGE_DOWN}, {2, KEY_PAGE_UP},    {'b', KEY_PAGE_UP},
    };
    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        if (keys[i].key == key)
            browser_act(browser, trace_pane_keys, pane, keys[i].meant);
    }
}

const struct key_action trace_pane_extra_keys[] = {
    {'/', "/, ?", "Search down or up for a regular expression, also in what is folded", ask},
    {'?', "", NULL, ask},
    {'C', "C", "Search for where a condition becomes true: x0 == 0 && u32(sp+8) > 4", ask},
    {0, "n, N", "While there is a search: go to the next match, or the one before", NULL},
    {KEY_ESCAPE, "Esc", "End the search", browser_end_search},
    {0, "", "", NULL},
    {'>', ">, <", "Step over what is called, forward or back", make_step},
    {'<', "", NULL, make_step},
    {'i', "i, I", "Step into what is called, forward or back", make_step},
    {'I', "", NULL, make_step},
    {'o', "o, O", "Go out of the call: to after its return, or to before it", make_step},
    {'O', "", NULL, make_step},
    {'%', "%", "Go from a call to its return, or back", make_step},
    {'w', "w, W", "Go to the next or previous write of the selected line's register or memory",
     pane_find_write},
    {'W', "", NULL, pane_find_write},
    {'u', "u, U", "Go to the next or previous read of it; n and N go on", pane_find_read},
    {'U', "", NULL, pane_find_read},
    {'J', "J, K", "Go to the next or previous access to memory, read or write", pane_find_access},
    {'K', "", NULL, pane_find_access},
    {'A', "A", "List all its values", pane_list_values},
    {'Y', "Y", "Show where its value comes from", pane_show_origin},
    {'c', "c", "Show or hide the active calls", toggle_pane},
    {'s', "s", "Show or hide the source", toggle_pane},
    {'d', "d", "Show or hide the instructions of the function", toggle_pane},
    {'F', "F", "Show or hide the functions that were called", toggle_pane},
    {'R', "R", "Show or hide registers as the trace names them: general, of the system, vectors",
     toggle_pane},
    {'X', "X", "Show or hide the stack as it is unwound", toggle_pane},
    {'B', "B", "Show or hide the whole trace: depth of calls, exceptions, hits, marks",
     toggle_pane},
    {'v', "v", "Watch REGISTER, ADDR:SIZE, u32(ADDR), s64(..), f64(..), str(ADDR) or an expression",
     ask},
    {0, "", "", NULL},
    {'f', "f", "Go to the next call of a function; Tab completes its name", ask},
    {':', ":", "Go to a position: line:N, time:N, event:N, pc:ADDR#K, start, end", ask},
    {'y', "y", "Show the position as text that every command accepts", say_position},
    {'"', "\", '", "Set a mark (a to z, and a note if you like), go to one", ask},
    {'\'', "", NULL, ask},
    {'!', "!", "Store marks and notes next to the trace, in TRACE.marks", write_marks},
    {KEY_CTRL_O, "^O, ^R", "Go back to the previous position, and forward again", go_back},
    {KEY_CTRL_R, "", NULL, go_back},
    {0, "", "", NULL},
    {KEY_LEFT_ARROW, "Left, Right", "Move sideways", move_sideways},
    {KEY_RIGHT_ARROW, "", NULL, move_sideways},
    {'L', "L", "Show one lane alone, or all", change_lane},
    {0, "|",
     "Show positions side by side, in two lanes if there are several; one lane more; one again",
     NULL},
    {0, "Shift-Tab", "Side by side: go to the next", NULL},
    {0, "F8", "Side by side: move all together, or each alone", NULL},
    {0, "~", "Side by side: go to the first difference in what is executed", NULL},
    {'(', "(", "Fold a loop: all but its first iteration; + unfolds it", fold_loop},
    {')', ")", "Fold all loops of the function here, but not of what it calls", fold_loops},
    {'&', "&",
     "Show only matches of the search; without a search, only reads and writes of the selected "
     "line's register or memory, or only calls; or all again",
     browser_change_filter},
    {'H', "H", "Hide the calls of the function here; outside of calls: show all again",
     browser_hide_function},
    {'z', "z", "Write what is visible to a file", ask},
    {KEY_FUNCTION + 9, "F9", "Cancel the index that is still built, or build it again",
     cancel_index},
    {KEY_FUNCTION + 5, "F5", "Indentation by calls on or off", toggle_indentation},
    {'j', "j, k, g, G, ^F, ^B", "As Down, Up, Home, End, PgDn, PgUp", vi_move},
    {'k', "", NULL, vi_move},
    {'g', "", NULL, vi_move},
    {'G', "", NULL, vi_move},
    {6, "", NULL, vi_move},
    {2, "", NULL, vi_move},
    {' ', "", NULL, vi_move},
    {'b', "", NULL, vi_move},
    {0},
};
