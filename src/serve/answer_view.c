// view, fold, step, opening, find: rows of the trace, folds, and movements.
#include "base/limits.h"
#include "browse/opening.h"
#include "browse/pane.h"
#include "browse/steps.h"
#include "idx/index.h"
#include "names/source_lines.h"
#include "serve/answer.h"
#include "serve/fold_text.h"
#include "serve/row_numbers.h"

#include <stdio.h>
#include <stdlib.h>

// Sets folds, and the lane to show: its name; or of clients from before 2.0, 1 is the first, 0 all.
static enum status set_up(struct asking *asking, struct error *err)
{
    struct request_context *context = asking->context;
    uint64_t lane = context->lane;
    enum status status =
        fold_text_read(&context->timeline, request_text(asking->request, "folds"), err);
    if (status == STATUS_OK)
        status = request_lane(asking->request, "lane", &context->session.view, 1, &lane, err);
    if (status == STATUS_OK)
        browser_show_lane(&context->browser, (size_t)lane);
    return status;
}

// --- Rows ----------------------------------------------------------------------------------------

// The first row of the answer: number `row`, or `above` rows above line `line` of an event.
static enum status find_top(struct asking *asking, const struct row_numbers *numbers,
                            struct line_at *top, struct error *err)
{
    struct timeline *timeline = &asking->context->timeline;
    struct view *view = &asking->context->browser.view;
    uint64_t row = UINT64_MAX, above = 0, event;
    enum status status = request_u64(asking->request, "row", UINT64_MAX - 1, &row, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "above", LIMIT_SCREEN_ROWS, &above, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "line", UINT64_MAX, &top->line, err);
    if (status == STATUS_OK)
        status = asking_point(asking, &event, err);
    if (status != STATUS_OK)
        return status;
    if (row != UINT64_MAX)
        return row_number_find(numbers, row, top)
                   ? STATUS_OK
                   : error_set(err, STATUS_NOT_FOUND, "nothing is visible");
    browser_begin_at(&asking->context->browser, event); // if lanes are one after the other, in the
                                                        // event's lane
    top->event = event == TRAWL_START ? TIMELINE_NONE : timeline_previous(timeline, event);
    if (top->event == TIMELINE_NONE)
        top->event = timeline_next(timeline, 0);
    if (top->event == TIMELINE_NONE)
        return error_set(err, STATUS_NOT_FOUND, "nothing is visible");
    top->line = u64_min(top->line, timeline_lines_of(timeline, top->event) - 1);
    view_lines_above(view, top, above);
    return STATUS_OK;
}

enum { ROWS_DEFAULT = 50, COLUMNS_DEFAULT = 300 };

enum status answer_view(struct asking *asking, struct error *err)
{
    struct request_context *context = asking->context;
    struct json *json = asking->json;
    struct row_numbers numbers;
    struct line_at top = {0};
    uint64_t rows = ROWS_DEFAULT, columns = COLUMNS_DEFAULT;
    enum status status = set_up(asking, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "rows", LIMIT_SERVE_ROWS, &rows, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "columns", LIMIT_SCREEN_COLUMNS, &columns, err);
    if (status != STATUS_OK)
        return status;
    row_numbers_begin(&numbers, context, asking->sums);
    status = find_top(asking, &numbers, &top, err);
    if (status != STATUS_OK)
        return status;
    // The place of each row: its event, the line in it, its depth.
    struct line_at at = top;
    unsigned count = 0;
    bool goes_on = rows > 0;
    json_key(json, "places");
    json_begin_array(json);
    while (goes_on) {
        json_begin_array(json);
        json_u64(json, at.event);
        json_u64(json, at.line);
        json_u64(json, timeline_level(&context->timeline, at.event));
        json_end_array(json);
        goes_on = ++count < rows && view_lines_below(&context->browser.view, &at, 1);
    }
    json_end_array(json);
    json_member_u64(json, "row", row_number_of(&numbers, top.event) + top.line);
    json_member_u64(json, "row_count", numbers.count);
    json_member_bool(json, "is_exact", numbers.is_exact);
    context->browser.view.top = top;
    context->browser.view.shown = TRAWL_NONE; // the page shows the selection
    if (!screen_clear(&context->screen, (unsigned)columns, count))
        return error_set(err, STATUS_MEMORY, "no memory for rows");
    trace_pane_draw(&context->browser, &context->screen, count);
    json_key(json, "text");
    answer_rows(asking, 0, count);
    return STATUS_OK;
}

// --- Folds ---------------------------------------------------------------------------------------

// The PC of an event without an instruction (trawl_event.pc).
enum { PC_NONE = 2 };

// Writes the position: the shown event, and the state there.
static void put_position(struct asking *asking)
{
    struct view *view = &asking->context->browser.view;
    struct json *json = asking->json;
    struct trawl_event about;
    uint64_t pc;
    answer_event(json, "shown", view->shown);
    answer_event(json, "at", view->state);
    answer_line(asking, "line", view->shown);
    json_member_u64(json, "shown_lane", asking->context->browser.lane);
    json_member_bool(json, "is_hidden", view_is_hidden(view));
    browse_event(&asking->context->source, view->state, &about);
    answer_text_u64(json, "time", about.time);
    json_member_u64(json, "lane", about.lane);
    json_member_text(json, "lane_name", asking->context->session.view.lanes[about.lane].name);
    json_member_u64(json, "in_lane", view->state == TRAWL_START ? 0 : about.in_lane);
    json_key(json, "pc");
    if (browse_next_pc(&asking->context->source, view->state, &pc) && pc != PC_NONE) {
        json_address(json,
                     index_pc_address(asking->context->session.view.index, pc) & ~UINT64_C(1));
        answer_name(asking, "name", pc);
    } else {
        json_text(json, NULL);
    }
}

static enum status begin_at(struct asking *asking, struct error *err)
{
    uint64_t event;
    enum status status = set_up(asking, err);
    if (status == STATUS_OK)
        status = asking_point(asking, &event, err);
    if (status == STATUS_OK)
        browser_begin_at(&asking->context->browser, event);
    return status;
}

enum status answer_fold(struct asking *asking, struct error *err)
{
    static const char *const words[] = {
        [VIEW_FOLD] = "call",          [VIEW_FOLD_CALLEES] = "callees", [VIEW_UNFOLD] = "unfold",
        [VIEW_UNFOLD_LEVEL] = "level", [VIEW_FOLD_ALL] = "all",         [VIEW_UNFOLD_ALL] = "none",
    };
    struct out text;
    size_t how = VIEW_FOLD;
    enum status status = begin_at(asking, err);
    if (status == STATUS_OK)
        status = request_word(asking->request, "how", words, ARRAY_COUNT(words), &how, err);
    if (status == STATUS_OK)
        status = view_change_folds(&asking->context->browser.view, (enum view_fold)how, err);
    if (status != STATUS_OK)
        return status;
    status = out_open_memory(&text, err);
    if (status == STATUS_OK) {
        fold_text_write(&asking->context->timeline, &text);
        json_member_text(asking->json, "folds", out_memory_text(&text));
        if (out_failed(&text))
            status = error_set(err, STATUS_MEMORY, "no memory for folds");
        out_abandon(&text);
    }
    put_position(asking);
    return status;
}

// --- Steps ---------------------------------------------------------------------------------------

enum status answer_step(struct asking *asking, struct error *err)
{
    enum { MOVES = 5 };
    static const char *const words[] = {
        "down",
        "up",
        "home",
        "end",
        "stay",
        [MOVES + STEP_INTO] = "into",
        [MOVES + STEP_OVER] = "over",
        [MOVES + STEP_OUT] = "out",
        [MOVES + STEP_BACK_INTO] = "back-into",
        [MOVES + STEP_BACK_OVER] = "back-over",
        [MOVES + STEP_BACK_OUT] = "back-out",
        [MOVES + STEP_MATCH] = "match",
    };
    static bool (*const moves[])(struct view *) = {view_down, view_up, view_home, view_end};
    struct view *view = &asking->context->browser.view;
    uint64_t target;
    size_t how = MOVES - 1;
    enum status status = begin_at(asking, err);
    if (status == STATUS_OK)
        status = request_word(asking->request, "how", words, ARRAY_COUNT(words), &how, err);
    if (status == STATUS_OK && how < MOVES - 1 && !moves[how](view)) // by visible rows
        status = error_set(err, STATUS_NOT_FOUND, "nothing further there");
    if (status == STATUS_OK && how >= MOVES) { // by calls, independent of folds
        status = step_from(&asking->context->timeline, view->state, (enum step)(how - MOVES),
                           &target, err);
        if (status == STATUS_OK)
            view_go(view, target);
    }
    if (status == STATUS_OK)
        put_position(asking);
    return status;
}

// --- The interesting place -----------------------------------------------------------------------

enum status answer_opening(struct asking *asking, struct error *err)
{
    struct request_context *context = asking->context;
    struct opening opening;
    enum status status = set_up(asking, err);
    if (status != STATUS_OK)
        return status;
    opening_find(&context->source, &context->timeline, &opening);
    browser_begin_at(&context->browser, opening.event);
    json_member_text(asking->json, "reason", opening.reason);
    put_position(asking);
    return STATUS_OK;
}

// --- Places by name ------------------------------------------------------------------------------

enum { FIND_FORWARD, FIND_BACKWARD, FIND_FIRST };

// The next or previous visit of an address in a lane (TRAWL_ANY_LANE: in any), which the user named
// by a text. The next instruction is the current place, which only FIND_FIRST finds.
static enum status find_visit(struct asking *asking, const char *text, uint64_t pc, uint64_t lane,
                              size_t way, uint64_t *event, struct error *err)
{
    bool is_back = way == FIND_BACKWARD;
    struct trawl_event about;
    struct request_context *context = asking->context;
    struct trawl_error why;
    uint64_t visit, from = context->browser.view.state;
    if (context->source.rows != ROWS_LINES) {
        *event = from;
        return browse_next_row_of(&context->source, lane, pc, !is_back, event)
                   ? STATUS_OK
                   : error_set(err, STATUS_NOT_FOUND, "%s: not there", text);
    }
    from += way == FIND_FORWARD; // from TRAWL_START to the first event
    if (way == FIND_FORWARD && from >= context->timeline.event_count)
        return error_set(err, STATUS_NOT_FOUND, "%s: is not reached again", text);
    enum trawl_status found = trawl_visit(context->session.view.index, lane, pc, from,
                                          is_back ? TRAWL_BACKWARD : TRAWL_FORWARD, &visit, &why);
    if (found == TRAWL_NOT_FOUND)
        return error_set(err, STATUS_NOT_FOUND, "%s: is not reached %s this", text,
                         is_back ? "before" : "after");
    *event = visit - 1; // of the first event: TRAWL_START
    if (found == TRAWL_OK && lane != TRAWL_ANY_LANE && *event != TRAWL_START) {
        browse_event(&context->source, *event, &about);
        *event = about.lane == lane ? *event : visit;
    }
    return index_status(found, &why, err);
}

// The same of an address or a symbol.
static enum status find_address(struct asking *asking, const char *text, uint64_t lane, size_t way,
                                uint64_t *event, struct error *err)
{
    struct browse_source *source = &asking->context->source;
    uint64_t pc, from = asking->context->browser.view.state;
    struct expression expression;
    enum status status = browse_parse(source, from, true, text, &expression, err);
    if (status != STATUS_OK)
        return status;
    if (!browse_evaluate(source, &expression, from, &pc))
        return error_set(err, STATUS_NOT_FOUND, "%s: has no value here", text);
    return find_visit(asking, text, pc & ~UINT64_C(1), lane, way, event, err);
}

// The same of FILE:LINE of the source: the nearest visit of any place where its code begins.
static enum status find_line(struct asking *asking, const char *text, uint64_t lane, size_t way,
                             uint64_t *event, struct error *err)
{
    const char *colon = strrchr(text, ':');
    char path[PATH_MAX];
    struct source_lines lines = {0};
    struct address_vec starts = {0};
    struct error why;
    uint64_t found;
    bool is_there = false;
    snprintf(path, sizeof path, "%.*s", (int)u64_min((uint64_t)(colon - text), PATH_MAX - 1), text);
    enum status status = source_lines_starts(&lines, asking->context->source.names, path,
                                             (uint32_t)strtoul(colon + 1, NULL, 10), &starts, err);
    if (status == STATUS_OK && !starts.count)
        status = error_set(err, STATUS_NOT_FOUND, "%s: no code of that line is known", text);
    for (size_t i = 0; i < starts.count && status == STATUS_OK; i++) {
        enum status looked =
            find_visit(asking, text, starts.items[i] & ~UINT64_C(1), lane, way, &found, &why);
        if (looked != STATUS_OK && looked != STATUS_NOT_FOUND) {
            *err = why;
            status = looked;
        }
        // Numbers of points ascend from TRAWL_START, which is before the first event.
        if (looked == STATUS_OK &&
            (!is_there || (way == FIND_BACKWARD ? found + 1 > *event + 1 : found + 1 < *event + 1)))
            *event = found;
        is_there |= looked == STATUS_OK;
    }
    if (status == STATUS_OK && !is_there) {
        *err = why;
        status = why.status;
    }
    free(starts.items);
    source_lines_free(&lines);
    return status;
}

// Whether a text is FILE:LINE.
static bool is_source_line(const char *text)
{
    const char *colon = strrchr(text, ':');
    return colon && colon > text && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
}

enum status answer_find(struct asking *asking, struct error *err)
{
    static const char *const words[] = {
        [FIND_FORWARD] = "forward", [FIND_BACKWARD] = "backward", [FIND_FIRST] = "first"};
    const char *text = request_text(asking->request, "what");
    uint64_t event, lane = TRAWL_ANY_LANE;
    size_t way = FIND_FORWARD;
    struct error why_not;
    enum status status = begin_at(asking, err);
    if (status == STATUS_OK)
        status = request_word(asking->request, "way", words, ARRAY_COUNT(words), &way, err);
    if (status == STATUS_OK)
        status = request_lane(asking->request, "of", &asking->context->session.view, 0, &lane, err);
    if (status != STATUS_OK)
        return status;
    if (!text || !*text)
        return error_set(err, STATUS_INPUT, "what: expected a position or an address");
    status = asking_position(asking, text, &event, err);
    if (status == STATUS_INPUT && (!strchr(text, ':') || is_source_line(text))) {
        status = (is_source_line(text) ? find_line : find_address)(asking, text, lane, way, &event,
                                                                   &why_not);
        *err = status == STATUS_OK ? *err : why_not;
    }
    if (status != STATUS_OK)
        return status;
    browser_begin_at(&asking->context->browser, event);
    put_position(asking);
    return STATUS_OK;
}
