// The trace: its text, its status, and the keys that move.
#include "base/limits.h"
#include "browse/event_text.h"
#include "browse/pane.h"
#include "browse/search.h"
#include "browse/shown_line.h"
#include "query/file_place.h"
#include "query/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// How many lines before a line are examined to see whether it continues another.
enum { CONTINUATION_LINES = 16 };

// --- Text ----------------------------------------------------------------------------------------

// The context that the lines of an event before `line` give to it.
static struct line_look_context context_of(struct browser *browser, uint64_t event, uint64_t line)
{
    struct browse_source *source = browser->source;
    struct line_look_context context = LINE_LOOK_START;
    uint64_t first = line > CONTINUATION_LINES ? line - CONTINUATION_LINES : 0;
    if (source->rows != ROWS_LINES)
        return context;
    for (uint64_t i = first; i < line && source->trace->kind->text; i++) {
        struct line_look look;
        struct text_span text = browse_line(source, event, i);
        source->trace->kind->text->look(text.start, text.end, &source->how, false, &context, &look);
    }
    return context;
}

// Examines a line of an event. False: not possible for such a trace.
static bool look_at(struct browser *browser, uint64_t event, uint64_t line,
                    struct line_look_context *context, struct line_look *look,
                    struct text_span *text)
{
    struct browse_source *source = browser->source;
    *text = browse_row_text(source, event, line);
    if (source->rows != ROWS_LINES) {
        const struct event_text *row = browse_event_text(source, event);
        *look = (struct line_look){.part_count = row->part_count};
        memcpy(look->parts, row->parts, row->part_count * sizeof row->parts[0]);
        return true;
    }
    if (!source->trace->kind->text)
        return false;
    source->trace->kind->text->look(text->start, text->end, &source->how, browse_isa(source, event),
                                    context, look);
    return true;
}

void trace_pane_put_text(struct browser *browser, struct row *row, const struct text_part *part)
{
    row_text(row, browser->has_syntax ? line_role(part->text_class) : ROLE_TEXT, part->start,
             (size_t)(part->end - part->start));
}

enum { INDENTATION_MAX = 40 };

// Writes what is folded after an event.
static void put_fold_mark(struct browser *browser, struct row *row, uint64_t event)
{
    struct view_call call;
    struct trawl_event first, last;
    struct lane_call handler;
    char name[BROWSE_NAME_BYTES], duration[DURATION_BYTES];
    if (!view_folded_after(&browser->view, event, &call))
        return;
    const struct timeline_lane *lane = &browser->timeline->lanes[call.lane];
    const struct lane_calls *calls = &lane->calls;
    // In traces of calls, the row before the mark has name and time.
    if (browser->source->rows == ROWS_CALLS) {
        uint64_t inside =
            calls->entered(calls->self, call.last + 1) - calls->entered(calls->self, call.first);
        row_format(row, ROLE_FOLD, "  + %" PRIu64 " call%s", inside, plural(inside));
        return;
    }
    browse_event(browser->source, timeline_event_of(browser->timeline, call.lane, call.first),
                 &first);
    browse_event(browser->source, timeline_event_of(browser->timeline, call.lane, call.last),
                 &last);
    uint64_t repeats = folds_repeats(&lane->folds, call.first, call.last + 1);
    browse_address_name(browser->source, first.pc & ~UINT64_C(1), name);
    // Whether the first folded call is the handler of an exception.
    calls->around(calls->self, call.first, calls->level(calls->self, call.first), &handler);
    bool is_exception = handler.entry == call.first && handler.how & TRAWL_CALL_EXCEPTION;
    row_string(row, ROLE_FOLD, repeats ? "  + loop " : is_exception ? "  + exception " : "  + ");
    row_string(row, ROLE_FOLD, name);
    if (repeats)
        row_format(row, ROLE_FOLD, "  %" PRIu64 " time%s more,", repeats, plural(repeats));
    // How many lines and instructions are folded. Lanes share lines; if an event of the lane after
    // its first instruction is not an instruction, only events are counted.
    const struct trawl_lane *about = &browser->source->indexed->lanes[call.lane];
    uint64_t events = call.last - call.first + 1;
    bool has_only_instructions =
        call.first >= about->root && about->events - about->root == about->instructions;
    row_string(row, ROLE_FOLD, " ");
    if (browser->timeline->lane_count == 1) {
        uint64_t lines = timeline_lines_before(browser->timeline, call.last + 1) -
                         timeline_lines_before(browser->timeline, call.first);
        row_format(row, ROLE_FOLD, " %" PRIu64 " line%s,", lines, plural(lines));
    }
    row_format(row, ROLE_FOLD, " %" PRIu64 " %s%s", events,
               has_only_instructions ? "instruction" : "event", plural(events));
    duration_text(last.time > first.time ? last.time - first.time : 0,
                  browser->source->indexed->info.ticks_per_second, "ticks", duration);
    row_format(row, ROLE_FOLD, ", %s", duration);
}

static void draw_line(struct browser *browser, struct row *row, struct line_at at,
                      struct line_look_context *context)
{
    const struct view *view = &browser->view;
    struct line_look look;
    struct text_span text;
    char room[SHOWN_LINE_BYTES];
    struct pattern_match found[LIMIT_LINE_MATCHES];
    struct row_match matches[LIMIT_LINE_MATCHES];
    bool is_shown = at.event == view->shown;
    if (is_shown && at.line == browser->selected)
        row->flags |= CELL_HIGHLIGHTED;
    if (is_shown && at.line + 1 == timeline_lines_of(browser->timeline, at.event))
        row->flags |= CELL_UNDERLINED;
    if (browser->has_indentation && browser->source->rows == ROWS_LINES) {
        uint64_t level = u64_min(timeline_level(browser->timeline, at.event), INDENTATION_MAX);
        row->skip = browser->sideways;
        while (level--)
            row_text(row, ROLE_TEXT, " ", 1);
    }
    row->skip = browser->sideways > row->at ? row->skip : 0;
    if (!look_at(browser, at.event, at.line, context, &look, &text))
        look = (struct line_look){0};
    if (browser->has_targets)
        shown_line_name(browser->source, &look, &text, room);
    struct search *search = browser->search.search;
    if (search) {
        size_t length = (size_t)(text.end - text.start);
        row->matches = matches;
        row->match_count =
            name_search_is(search)
                ? name_search_matches(search, text.start, length, found, LIMIT_LINE_MATCHES)
                : text_search_matches(search, text.start, length, found, LIMIT_LINE_MATCHES);
        for (size_t i = 0; i < row->match_count; i++)
            matches[i] = (struct row_match){text.start + found[i].start, text.start + found[i].end};
    }
    const char *done = text.start;
    for (size_t i = 0; i < look.part_count; i++) {
        const struct text_part *part = &look.parts[i];
        row_text(row, ROLE_TEXT, done, (size_t)(part->start - done));
        trace_pane_put_text(browser, row, part);
        done = part->end;
    }
    row_text(row, ROLE_TEXT, done, (size_t)(text.end - done));
    row->match_count = 0;
    if (!browser->is_plain && at.line + 1 == timeline_lines_of(browser->timeline, at.event))
        put_fold_mark(browser, row, at.event);
    row_fill(row, ROLE_TEXT);
}

void trace_pane_draw(struct browser *browser, struct screen *screen, unsigned rows)
{
    struct line_at at = browser->view.top;
    struct line_look_context context = context_of(browser, at.event, at.line);
    for (unsigned y = 0; y < rows && y < screen->height; y++) {
        struct row row = screen_row(screen, y);
        if (at.line == 0)
            context = LINE_LOOK_START;
        draw_line(browser, &row, at, &context);
        if (!view_lines_below(&browser->view, &at, 1))
            return;
    }
}

void trace_pane_status(struct browser *browser, struct row *row)
{
    struct view *view = &browser->view;
    struct browse_source *source = browser->source;
    char name[BROWSE_NAME_BYTES];
    struct trawl_event about;
    uint64_t pc, line = source->indexed->info.header_lines + 1;
    row_string(row, ROLE_STATUS, trace_can(source->trace, TRACE_TTU) ? "Tarmac file: " : "");
    row_string(row, ROLE_STATUS, source->file);
    browse_event(source, view->state, &about);
    if (source->rows == ROWS_LINES) { // like the reference
        if (view->shown != TRAWL_START)
            line = timeline_lines_before(browser->timeline, view->shown + 1) + 1;
        row_format(row, ROLE_STATUS, "   Time:%" PRIu64 "   Line:%" PRIu64 "   PC:", about.time,
                   line);
        bool has_pc = browse_next_pc(source, view->state, &pc);
        if (has_pc)
            browse_address_name(source, pc, name);
        row_string(row, ROLE_STATUS, has_pc ? name : "[none]");
        const char *task =
            source->how.reading == READING_TRUE ? browse_task(source, view->state) : NULL;
        if (task) {
            row_string(row, ROLE_STATUS, "   Task:");
            row_string(row, ROLE_STATUS, task);
        }
    } else if (view->state == TRAWL_START) {
        row_string(row, ROLE_STATUS, "   before the first event");
    } else {
        row_format(row, ROLE_STATUS, "   %s:%s", source->trace->kind->words.heading,
                   source->indexed->lanes[about.lane].name);
        if (trace_can(source->trace, TRACE_TIMES))
            row_format(row, ROLE_STATUS, "   Time:%" PRIu64, about.time);
        row_format(row, ROLE_STATUS, "   Event:%" PRIu64, view->state);
    }
    if (view_is_hidden(view))
        row_string(row, ROLE_STATUS, "   [HIDDEN]");
    browser_put_filter(browser, row);
    if (source->growth)
        growth_put_status(source->growth, row);
}

// --- Movements -----------------------------------------------------------------------------------

static void move(struct browser *browser, struct pane *pane, uint32_t key)
{
    static const struct {
        uint32_t key;
        bool (*move)(struct view *view);
    } moves[] = {
        {KEY_DOWN_ARROW, view_down}, {KEY_UP_ARROW, view_up},   {KEY_PAGE_DOWN, view_page_down},
        {KEY_PAGE_UP, view_page_up}, {KEY_HOME_KEY, view_home}, {KEY_END_KEY, view_end},
    };
    struct growth *growth = browser->source->growth;
    bool is_at_end = browser->view.state + 1 >= browser->timeline->event_count; // not of the start
    bool is_onward = key == KEY_DOWN_ARROW || key == KEY_PAGE_DOWN || key == KEY_END_KEY;
    (void)pane;
    if (growth && is_at_end && is_onward) {
        growth->wants_text = true;
        growth->goes_to_end = key == KEY_END_KEY;
    }
    for (size_t i = 0; i < ARRAY_COUNT(moves); i++) {
        if (moves[i].key == key && moves[i].move(&browser->view))
            browser_moved(browser);
    }
}

static void recentre(struct browser *browser, struct pane *pane, uint32_t key)
{
    static const enum view_place places[] = {VIEW_MIDDLE, VIEW_TOP, VIEW_BOTTOM};
    (void)pane, (void)key;
    view_scroll(&browser->view, places[browser->recentred++ % ARRAY_COUNT(places)]);
}

static void change_folds(struct browser *browser, struct pane *pane, uint32_t key)
{
    static const struct {
        uint32_t key;
        enum view_fold how;
    } folds[] = {
        {'-', VIEW_FOLD},     {'_', VIEW_FOLD},         {'[', VIEW_FOLD_CALLEES},
        {']', VIEW_UNFOLD},   {'+', VIEW_UNFOLD_LEVEL}, {'=', VIEW_UNFOLD_LEVEL},
        {'{', VIEW_FOLD_ALL}, {'}', VIEW_UNFOLD_ALL},
    };
    struct error err;
    (void)pane;
    for (size_t i = 0; i < ARRAY_COUNT(folds); i++) {
        if (folds[i].key != key)
            continue;
        if (view_change_folds(&browser->view, folds[i].how, &err) == STATUS_OK)
            browser_moved(browser);
        else
            browser_complain(browser, "%s", err.text);
    }
}

// --- Jumps ---------------------------------------------------------------------------------------

static void go_to_time(struct browser *browser, struct pane *pane, const char *typed)
{
    const struct browse_source *source = browser->source;
    const struct expression_names none = {0};
    struct position position;
    struct error err;
    uint64_t time, event;
    char text[80];
    (void)pane;
    if (strchr(typed, '.')) {
        snprintf(text, sizeof text, "time:%s", typed);
        if (file_position_parse(&position, text, &none, source->trace, &err) != STATUS_OK) {
            browser_complain(browser, "%s", err.text);
            return;
        }
        time = point_time(source->indexed, &position);
    } else if (!browser_number(browser, typed, false, &time)) {
        return;
    }
    if (browser_time_event(browser, time, &event))
        browser_go(browser, event);
}

static void go_to_line(struct browser *browser, struct pane *pane, const char *typed)
{
    uint64_t line, event;
    (void)pane;
    if (browser_number(browser, typed, false, &line) && browser_line_event(browser, line, &event))
        browser_go(browser, event);
}

void browser_go_to_visit(struct browser *browser, uint64_t pc, bool is_next)
{
    struct trawl_index *index = browser->source->indexed->index;
    struct trawl_error err;
    uint64_t state = browser->view.state, visit;
    bool is_last = state + 1 >= browser->timeline->event_count;
    enum trawl_status status = TRAWL_NOT_FOUND;
    // If events are rows: to the row itself, and in traces of calls to entries.
    if (browser->source->rows != ROWS_LINES) {
        visit = state;
        if (browse_next_row_of(browser->source, TRAWL_ANY_LANE, pc, is_next, &visit))
            browser_go(browser, visit);
        else
            browser_complain(browser, is_next ? "Nothing of the kind after this"
                                              : "Nothing of the kind before this");
        return;
    }
    if (!is_next)
        status = trawl_visit(index, TRAWL_ANY_LANE, pc, state, TRAWL_BACKWARD, &visit, &err);
    else if (!is_last)
        status = trawl_visit(index, TRAWL_ANY_LANE, pc, state + 1, TRAWL_FORWARD, &visit, &err);
    if (status == TRAWL_OK)
        browser_go(browser, visit - 1); // of the first event: TRAWL_START
    else if (pc == TRAWL_EXCEPTIONS)
        browser_complain(browser, is_next ? "No further exception" : "No exception before this");
    else
        browser_complain(browser,
                         is_next ? "0x%" PRIx64 " is not reached again"
                                 : "0x%" PRIx64 " was not reached before",
                         pc);
}

static void go_to_next_typed(struct browser *browser, struct pane *pane, const char *typed)
{
    uint64_t pc;
    (void)pane;
    if (browser_number(browser, typed, true, &pc))
        browser_go_to_visit(browser, pc & ~UINT64_C(1), true);
}

static void go_to_previous_typed(struct browser *browser, struct pane *pane, const char *typed)
{
    uint64_t pc;
    (void)pane;
    if (browser_number(browser, typed, true, &pc))
        browser_go_to_visit(browser, pc & ~UINT64_C(1), false);
}

static void repeat_visit(struct browser *browser, struct pane *pane, uint32_t key)
{
    uint64_t pc;
    (void)pane;
    if (browser_search_again(browser, key == 'n'))
        return;
    if (browse_next_pc(browser->source, browser->view.state, &pc))
        browser_go_to_visit(browser, pc & ~UINT64_C(1), key == 'n');
    else
        browser_complain(browser, "The trace ends here");
}

static void find_exception(struct browser *browser, struct pane *pane, uint32_t key)
{
    (void)pane;
    browser_go_to_visit(browser, TRAWL_EXCEPTIONS, key == 'e');
}

// --- A line of the shown event -------------------------------------------------------------------

static void select_line(struct browser *browser, struct pane *pane, uint32_t key)
{
    uint64_t shown = browser->view.shown;
    (void)pane, (void)key;
    if (shown == TRAWL_START)
        return;
    browser->selected++; // from none to the first
    if (browser->selected >= timeline_lines_of(browser->timeline, shown))
        browser->selected = UINT64_MAX;
}

bool trace_pane_subject(struct browser *browser, struct thing *thing)
{
    uint64_t shown = browser->view.shown;
    struct line_look look;
    struct text_span text;
    if (browser->selected == UINT64_MAX || shown == TRAWL_START)
        return false;
    struct line_look_context context = context_of(browser, shown, browser->selected);
    if (!look_at(browser, shown, browser->selected, &context, &look, &text))
        return false;
    *thing = (struct thing){look.subject == LINE_ABOUT_REGISTER, look.place, look.size_bytes};
    return look.subject == LINE_ABOUT_REGISTER || look.subject == LINE_ABOUT_MEMORY;
}

static void go_to_write(struct browser *browser, struct pane *pane, uint32_t key)
{
    struct thing thing;
    (void)pane, (void)key;
    if (trace_pane_subject(browser, &thing))
        browser_go_to_write(browser, &thing, browser->view.shown, WRITE_BEFORE);
}

// --- Panes and switches --------------------------------------------------------------------------

static void toggle_registers(struct browser *browser, struct pane *pane, uint32_t key)
{
    static const char keys[ARCH_GROUPS + 1] = "rSDVM";
    enum arch_group_number which = (enum arch_group_number)(strchr(keys, (int)key) - keys);
    (void)pane;
    if (!browser_can(browser, TRACE_REGISTERS))
        return;
    if (!register_pane_has(browser, which)) {
        browser_complain(browser, "The cores have no such set: R shows their registers");
        return;
    }
    for (size_t i = 0; i < browser->pane_count; i++) {
        if (register_pane_of(browser->panes[i]) == which) {
            browser_close_pane(browser, browser->panes[i]);
            return;
        }
    }
    browser_add_pane(browser, register_pane_new(browser, which));
}

static void open_memory(struct browser *browser, struct pane *pane, const char *typed)
{
    struct error err;
    (void)pane;
    if (!browser_can(browser, TRACE_MEMORY))
        return;
    struct pane *memory = memory_pane_new(browser, typed, &err);
    if (memory)
        browser_add_pane(browser, memory);
    else if (strstr(err.text, "64 bits"))
        browser_complain(browser, "Invalid format for parameter");
    else
        browser_complain(browser, "Error parsing expression: %s", err.text);
}

static void ask(struct browser *browser, struct pane *pane, uint32_t key)
{
    static const struct key_prompt prompts[] = {
        {'t', {"Go to time: ", go_to_time, false, NULL, NULL}},
        {'l', {"Go to line: ", go_to_line, false, NULL, NULL}},
        {'p', {"Go to next visit to PC: ", go_to_next_typed, false, NULL, NULL}},
        {'P', {"Go to previous visit to PC: ", go_to_previous_typed, false, NULL, NULL}},
        {'m', {"Show memory at address: ", open_memory, true, NULL, NULL}},
    };
    browser_ask_by_key(browser, pane, prompts, ARRAY_COUNT(prompts), key);
}

static void toggle_syntax(struct browser *browser, struct pane *pane, uint32_t key)
{
    (void)pane, (void)key;
    browser->has_syntax = !browser->has_syntax;
    browser_say(browser, "Syntax highlighting %s", browser->has_syntax ? "on" : "off");
}

static void toggle_targets(struct browser *browser, struct pane *pane, uint32_t key)
{
    (void)pane, (void)key;
    if (!browse_has_image(browser->source)) {
        browser_complain(browser, "No image to look up symbolic branch targets");
        return;
    }
    browser->has_targets = !browser->has_targets;
    browser_say(browser, "Symbolic branch-target display %s", browser->has_targets ? "on" : "off");
}

const struct key_action trace_pane_keys[] = {
    {KEY_UP_ARROW, "Up, Down", "Go to the event before or after", move},
    {KEY_DOWN_ARROW, "", NULL, move},
    {KEY_PAGE_UP, "PgUp, PgDn", "Go a page up or down", move},
    {KEY_PAGE_DOWN, "", NULL, move},
    {KEY_HOME_KEY, "Home, End", "Go to the start or the end of the trace", move},
    {KEY_END_KEY, "", NULL, move},
    {KEY_CTRL_L, "^L", "Put the position in the middle, at the top, at the bottom", recentre},
    {0, "", "", NULL},
    {'t', "t", "Go to a time", ask},
    {'l', "l", "Go to a line of the file", ask},
    {'p', "p, P", "Go to the next or previous visit of an address", ask},
    {'P', "", NULL, ask},
    {'n', "n, N", "Go to the next or previous visit of the current PC", repeat_visit},
    {'N', "", NULL, repeat_visit},
    {'e', "e, E", "Go to the next or previous exception", find_exception},
    {'E', "", NULL, find_exception},
    {'a', "a", "Select a line above the position, one after the other", select_line},
    {KEY_RETURN, "Return",
     "Go to the last write of the register or memory of the selected line before it", go_to_write},
    {0, "", "", NULL},
    {'-', "-", "Fold the call that the position lies in", change_folds},
    {'_', "", NULL, change_folds},
    {'+', "+", "Unfold the call after the position by one level", change_folds},
    {'=', "", NULL, change_folds},
    {'[', "[", "Fold all that the function at the position calls", change_folds},
    {']', "]", "Unfold all that the function at the position calls", change_folds},
    {'{', "{", "Fold all calls of the trace", change_folds},
    {'}', "}", "Unfold all calls of the trace", change_folds},
    {0, "", "", NULL},
    {'r', "r", "Show or hide the core registers", toggle_registers},
    {'S', "S, D", "Show or hide the registers of single or double precision", toggle_registers},
    {'D', "", NULL, toggle_registers},
    {'V', "V, M", "Show or hide the vector registers, Neon or MVE", toggle_registers},
    {'M', "", NULL, toggle_registers},
    {'m', "m", "Show memory at an address; one with registers is followed", ask},
    {0, "", "", NULL},
    {KEY_FUNCTION + 6, "F6", "Syntax colors on or off", toggle_syntax},
    {KEY_FUNCTION + 7, "F7", "Names of branch targets on or off", toggle_targets},
    {0},
};
