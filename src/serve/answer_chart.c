// chart, tasks, states: the calls active over a range of a lane, which task ran, and what each task
// of an operating system did, in the detail of a screen.
//
// Each column shows the calls around one event in its middle. Only the levels that are shown are
// looked up (serve/levels.h), and only calls that the previous column did not have. So the cost
// does not depend on the number and depth of calls in between; a call narrower than a column is
// only drawn if it contains the middle of one.
#include "base/limits.h"
#include "serve/answer.h"
#include "serve/levels.h"
#include "serve/selection.h"
#include "serve/task_list.h"
#include "session/os_tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS_DEFAULT = 1000 };

struct bar {
    struct trawl_call call;
    uint64_t first; // column
};

struct chart {
    struct asking *asking;
    struct trawl_index *index;
    struct stretch stretch;
    uint64_t columns;
    uint64_t above;   // outermost levels that are left out
    uint64_t levels;  // levels that are shown below them
    uint64_t entered; // calls up to the previous column
    bool is_cut;
    size_t depth;                                  // number of open bars
    struct bar bars[LIMIT_SERVE_CHART_LEVELS + 1]; // the last only shows that there are more
};

// --- Columns -------------------------------------------------------------------------------------

// The place in the middle of a column: width * (2 column + 1) / (2 columns), without overflow.
static uint64_t middle_of(const struct chart *chart, uint64_t column)
{
    uint64_t width = chart->stretch.to - chart->stretch.from, parts = 2 * chart->columns,
             part = 2 * column + 1;
    return chart->stretch.from + width / parts * part + width % parts * part / parts;
}

// A failure of the index fails the answer.
static bool is_known(struct chart *chart, enum trawl_status status, const struct trawl_error *err)
{
    return browse_note_trawl(&chart->asking->context->source, status, err);
}

// The number in the lane of the event at a place. False: there is none yet.
static bool event_at(struct chart *chart, uint64_t place, uint64_t *in_lane)
{
    struct request_context *context = chart->asking->context;
    struct error err;
    uint64_t count = 0;
    enum status status = stretch_events_before(&chart->stretch, context, place + 1, &count, &err);
    *in_lane = count - 1;
    return browse_note(&context->source, status, &err) && count;
}

static void find_place(struct chart *chart, uint64_t in_lane, struct trawl_event *about)
{
    struct trawl_error err;
    uint64_t event;
    *about = (struct trawl_event){0};
    if (is_known(chart,
                 trawl_event_of_lane(chart->index, chart->stretch.lane, in_lane, &event, &err),
                 &err))
        browse_event(&chart->asking->context->source, event, about);
}

static void put_time(struct json *json, uint64_t time)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, time);
    json_text(json, text);
}

// Closes bars of calls that do not contain the event.
static void close_ended(struct chart *chart, uint64_t in_lane, uint64_t column)
{
    size_t kept = 0;
    while (kept < chart->depth && chart->bars[kept].call.entry <= in_lane &&
           in_lane <= chart->bars[kept].call.exit)
        kept++;
    while (chart->depth > kept) {
        struct json *json = chart->asking->json;
        char name[BROWSE_NAME_BYTES];
        struct trawl_event first, last;
        const struct bar *bar = &chart->bars[--chart->depth];
        if (chart->depth != chart->levels) {
            browse_address_name(&chart->asking->context->source, bar->call.pc & ~UINT64_C(1), name);
            json_begin_array(json);
            json_u64(json, chart->above + chart->depth);
            json_u64(json, bar->first);
            json_u64(json, column);
            json_text(json, name);
            find_place(chart, bar->call.entry, &first);
            find_place(chart, bar->call.exit, &last);
            json_u64(json, first.event);
            json_u64(json, last.event);
            json_bool(json, bar->call.how & TRAWL_CALL_EXCEPTION);
            json_bool(json, bar->call.how & TRAWL_CALL_GUESSED);
            put_time(json, first.time);
            put_time(json, last.time);
            json_end_array(json);
        }
    }
}

// The innermost shown call around call `end - 1`, if it was entered since the previous column.
static bool find_innermost(struct chart *chart, uint64_t end, struct trawl_call *call)
{
    struct trawl_error err;
    uint64_t number, lane = chart->stretch.lane;
    return is_known(chart,
                    levels_find_last(chart->asking->levels, chart->index, lane, chart->entered, end,
                                     chart->above + chart->levels + 1, &number, &err),
                    &err) &&
           number != TRAWL_NONE &&
           is_known(chart, trawl_call(chart->index, lane, number, call, &err), &err);
}

// Opens bars for the calls around an event that were entered since the previous column; older ones
// are already open.
static void open_new(struct chart *chart, uint64_t in_lane, uint64_t column)
{
    struct trawl_call call;
    struct trawl_error err;
    uint64_t end, lane = chart->stretch.lane;
    size_t innermost = 0;
    if (!is_known(chart, trawl_calls_entered(chart->index, lane, in_lane, &end, &err), &err))
        return;
    bool is_there =
        end > chart->entered && chart->depth <= chart->levels && find_innermost(chart, end, &call);
    while (is_there && call.depth > chart->above + chart->depth &&
           call.depth <= chart->above + chart->levels + 1) {
        size_t level = (size_t)(call.depth - chart->above);
        if (call.exit >= in_lane) {
            chart->bars[level - 1] = (struct bar){call, column};
            innermost = innermost ? innermost : level;
        }
        if (level == chart->depth + 1) { // all levels in between are known
            chart->depth = innermost ? innermost : chart->depth;
            break;
        }
        uint64_t depth = call.depth;
        is_there =
            call.parent != TRAWL_NONE &&
            is_known(chart, trawl_call(chart->index, lane, call.parent, &call, &err), &err) &&
            call.depth == depth - 1;
    }
    chart->is_cut |= chart->depth > chart->levels;
    chart->entered = end;
}

// Reads which columns of which range are asked for.
static enum status chart_begin(struct chart *chart, struct asking *asking, struct error *err)
{
    chart->asking = asking;
    chart->index = asking->context->session.view.index;
    chart->columns = COLUMNS_DEFAULT;
    chart->levels = LIMIT_SERVE_CHART_LEVELS;
    enum status status = stretch_read(asking->request, asking->context, &chart->stretch, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "columns", LIMIT_SERVE_CHART_COLUMNS, &chart->columns,
                             err);
    if (status == STATUS_OK && !chart->columns)
        status = error_set(err, STATUS_INPUT, "columns: expected some");
    if (status != STATUS_OK)
        return status;
    answer_text_u64(asking->json, "from", chart->stretch.from);
    answer_text_u64(asking->json, "to", chart->stretch.to);
    json_member_u64(asking->json, "columns", chart->columns);
    return STATUS_OK;
}

enum status answer_chart(struct asking *asking, struct error *err)
{
    struct json *json = asking->json;
    struct chart *chart = calloc(1, sizeof *chart);
    if (!chart)
        return error_set(err, STATUS_MEMORY, "no memory for a chart");
    enum status status = chart_begin(chart, asking, err);
    if (status == STATUS_OK)
        status =
            request_u64(asking->request, "levels", LIMIT_SERVE_CHART_LEVELS, &chart->levels, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "above", UINT32_MAX, &chart->above, err);
    if (status == STATUS_OK) {
        json_key(json, "bars");
        json_begin_array(json);
        for (uint64_t column = 0; column < chart->columns; column++) {
            uint64_t in_lane;
            bool has_event = event_at(chart, middle_of(chart, column), &in_lane);
            close_ended(chart, has_event ? in_lane : UINT64_MAX, column);
            if (has_event)
                open_new(chart, in_lane, column);
        }
        close_ended(chart, UINT64_MAX, chart->columns);
        json_end_array(json);
        json_key(json, "is_cut"); // deeper calls are left out
        json_bool(json, chart->is_cut);
    }
    free(chart);
    return status;
}

// --- Tasks ---------------------------------------------------------------------------------------

// Which task ran in the middle of each column, as [first column, end column, task].
static enum status put_runs(struct chart *chart, struct error *err)
{
    struct json *json = chart->asking->json;
    struct trawl_task_run run = {.task = TRAWL_NONE};
    uint64_t first = 0, task = TRAWL_NONE; // of the open part
    json_key(json, "runs");
    json_begin_array(json);
    for (uint64_t column = 0; column <= chart->columns; column++) {
        struct trawl_error why;
        uint64_t in_lane, now = TRAWL_NONE;
        if (column < chart->columns && event_at(chart, middle_of(chart, column), &in_lane)) {
            bool is_same = run.task != TRAWL_NONE && run.first <= in_lane && in_lane <= run.last;
            enum trawl_status found =
                is_same ? TRAWL_OK
                        : trawl_task_run_at(chart->index, chart->stretch.lane, in_lane, &run, &why);
            if (found != TRAWL_OK && found != TRAWL_NOT_FOUND)
                return index_status(found, &why, err);
            now = found == TRAWL_OK ? run.task : TRAWL_NONE;
        }
        if (now == task)
            continue;
        if (task != TRAWL_NONE) {
            json_begin_array(json);
            json_u64(json, first);
            json_u64(json, column);
            json_u64(json, task);
            json_end_array(json);
        }
        first = column;
        task = now;
    }
    json_end_array(json);
    return STATUS_OK;
}

enum status answer_tasks(struct asking *asking, struct error *err)
{
    struct session *session = &asking->context->session;
    struct json *json = asking->json;
    struct chart chart = {0};
    enum status status = STATUS_OK;
    size_t left = LIMIT_SERVE_TASKS;
    if (!(session->view.info.options & TRAWL_TELLS_TASKS))
        return error_set(err, STATUS_NOT_FOUND, "this trace shows no tasks");
    if (!asking->context->source.has_tasks) // of this context, for the first time
        status = session_name_tasks_of_view(session, err);
    asking->context->source.has_tasks |= status == STATUS_OK;
    if (status == STATUS_OK)
        status = chart_begin(&chart, asking, err);
    if (status != STATUS_OK)
        return status;
    json_key(json, "tasks");
    json_begin_array(json);
    for (size_t i = 0; i < session->tasks.items.count && left; i++) {
        const struct task_name *task = &session->tasks.items.items[i];
        if (task->lane != chart.stretch.lane)
            continue;
        json_begin_object(json);
        json_member_u64(json, "task", task->number);
        json_member_text(json, "name", task->name);
        json_end_object(json);
        left--;
    }
    json_end_array(json);
    return put_runs(&chart, err);
}

// --- States --------------------------------------------------------------------------------------

// Words in the order in which they first occur, which are few.
struct words {
    const char *items[OS_MOST_STATES];
    size_t count;
};

static size_t word_number(struct words *words, const char *word)
{
    size_t i = 0;
    while (i < words->count && strcmp(words->items[i], word) != 0)
        i++;
    if (i == words->count && i < OS_MOST_STATES)
        words->items[words->count++] = word;
    return i;
}

// The state of a task in the middle of each column, as [first column, end column, state].
static enum status put_states(struct chart *chart, const uint64_t *events, uint64_t task,
                              struct words *words, struct error *err)
{
    struct json *json = chart->asking->json;
    struct os_states *states = os_states_open(&chart->asking->context->session, task, err);
    const char *word = NULL, *now = NULL;
    uint64_t first = 0, until = 0;
    enum status status = states ? STATUS_OK : err->status;
    for (uint64_t column = 0; column <= chart->columns && status == STATUS_OK; column++) {
        if (column == chart->columns)
            now = NULL;
        else if (events[column] != TRAWL_START && (events[column] >= until || !until))
            status = os_states_at(states, events[column], &now, &until, err);
        if (now == word)
            continue;
        if (word) {
            json_begin_array(json);
            json_u64(json, first);
            json_u64(json, column);
            json_u64(json, word_number(words, word));
            json_end_array(json);
        }
        first = column;
        word = now;
    }
    os_states_close(states);
    return status;
}

enum status answer_states(struct asking *asking, struct error *err)
{
    struct json *json = asking->json;
    struct chart chart = {0};
    struct words words = {0};
    const struct os_named_tasks *tasks;
    uint64_t *events = NULL;
    enum status status = task_list_get(asking->task_list, &asking->context->session, &tasks, err);
    if (status == STATUS_OK)
        status = chart_begin(&chart, asking, err);
    if (status == STATUS_OK && !(events = calloc((size_t)chart.columns, sizeof *events)))
        status = error_set(err, STATUS_MEMORY, "no memory for states");
    for (uint64_t column = 0; status == STATUS_OK && column < chart.columns; column++) {
        struct trawl_event about = {.event = TRAWL_START};
        uint64_t in_lane;
        if (event_at(&chart, middle_of(&chart, column), &in_lane))
            find_place(&chart, in_lane, &about);
        events[column] = about.event;
    }
    json_key(json, "tasks");
    json_begin_array(json);
    for (size_t i = 0; status == STATUS_OK && i < tasks->count && i < LIMIT_SERVE_TASKS; i++) {
        json_begin_object(json);
        json_member_text(json, "name", tasks->items[i].name);
        json_member_address(json, "address", tasks->items[i].address);
        json_key(json, "states");
        json_begin_array(json);
        status = put_states(&chart, events, tasks->items[i].address, &words, err);
        json_end_array(json);
        json_end_object(json);
    }
    json_end_array(json);
    json_key(json, "words");
    json_begin_array(json);
    for (size_t i = 0; i < words.count; i++)
        json_text(json, words.items[i]);
    json_end_array(json);
    free(events);
    return status;
}
