// The durations of the calls of each function: minimum, percentiles and maximum, or a histogram.
//
// All durations are kept, 8 bytes a call, and sorted at the end: percentiles are those of real
// calls (the nearest rank), so that each can be found in the table of calls.
#include "cmd/calls.h"

#include "names/names.h"
#include "report/look.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// --- Durations -----------------------------------------------------------------------------------

static bool add(struct calls *calls, struct durations *durations, const struct call_row *row,
                uint64_t ticks)
{
    if (ticks == TICKS_UNKNOWN)
        return true;
    if (!VEC_ROOM(&durations->ticks, 1))
        return calls_fail(calls, STATUS_MEMORY, "no memory");
    if (!durations->ticks.count || ticks > durations->most ||
        (ticks == durations->most && is_earlier(row, &durations->longest))) {
        durations->most = ticks;
        durations->longest = *row;
    }
    durations->ticks.items[durations->ticks.count++] = ticks;
    return true;
}

bool calls_take_latency(struct calls *calls, const struct call_row *row)
{
    struct latency *function = &calls->functions.items[row->path];
    return add(calls, &function->elapsed, row, elapsed_of(row)) &&
           (!calls->tells_tasks || add(calls, &function->busy, row, row->busy)) &&
           add(calls, &function->to_task, row, row->to_task) &&
           add(calls, &function->pending, row, row->pending);
}

// --- Latencies -----------------------------------------------------------------------------------

// A group of columns; NULL: unknown.
struct time_cells {
    const uint64_t *minimum, *median, *p90, *p99, *maximum, *at, *line;
    uint64_t values[6];
};

struct latency_cells {
    uint64_t calls, minimum, median, p90, p99, maximum, address, at;
    struct time_cells busy, to_task, pending;
    const uint64_t *line;
    const char *function, *lane, *path;
};

#define VALUE(name) FIELD_VALUE(struct latency_cells, name)

#define TIMES(heading, key, group, bit)                                                            \
    {heading " min", key "_minimum", COLUMN_TICKS, VALUE(group.minimum), .when = bit},             \
        {heading " median", key "_median", COLUMN_TICKS, VALUE(group.median), .when = bit},        \
        {heading " 90%", key "_p90", COLUMN_TICKS, VALUE(group.p90), .when = bit},                 \
        {heading " 99%", key "_p99", COLUMN_TICKS, VALUE(group.p99), .when = bit},                 \
        {heading " max", key "_maximum", COLUMN_TICKS, VALUE(group.maximum), .when = bit},         \
        {heading " max at", key "_maximum_time", COLUMN_TICKS, VALUE(group.at), .when = bit},      \
    {                                                                                              \
        heading " line", key "_maximum_line", COLUMN_LINE, VALUE(group.line),                      \
            .when = WITH_LINES | bit                                                               \
    }

// Elapsed times; where the trace has tasks also those on the core, as the column Time has them; of
// handlers also the columns To task and Pending.
static const struct field latency_fields[] = {
    {"Calls", "calls", COLUMN_U64, VALUE(calls)},
    {"Min", "minimum", COLUMN_TICKS, VALUE(minimum)},
    {"Median", "median", COLUMN_TICKS, VALUE(median)},
    {"90%", "p90", COLUMN_TICKS, VALUE(p90)},
    {"99%", "p99", COLUMN_TICKS, VALUE(p99)},
    {"Max", "maximum", COLUMN_TICKS, VALUE(maximum)},
    {"Max at", "maximum_time", COLUMN_TICKS, VALUE(at)},
    {"Line", "maximum_line", COLUMN_LINE, VALUE(line), .when = WITH_LINES},
    {"Core", "maximum_lane", COLUMN_TEXT, VALUE(lane)},
    TIMES("Time", "time", busy, WITH_WAITS),
    TIMES("To task", "to_task", to_task, WITH_TO_TASK),
    TIMES("Pending", "pending", pending, WITH_PENDING),
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"Path", "path", COLUMN_TEXT, VALUE(path), .when = WITH_PATH},
};
#undef TIMES
#undef VALUE

// The smallest value that is not below `percent` of them, which are sorted: the nearest rank.
static uint64_t percentile(const uint64_t *sorted, size_t count, uint64_t percent)
{
    uint64_t rank = (count * percent + 99) / 100;
    return count ? sorted[rank ? rank - 1 : 0] : 0;
}

static int compare_longest(const void *a, const void *b, void *self)
{
    const struct calls *calls = self;
    const struct call_row *left = &calls->functions.items[*(const uint32_t *)a].elapsed.longest;
    const struct call_row *right = &calls->functions.items[*(const uint32_t *)b].elapsed.longest;
    uint64_t x = elapsed_of(left), y = elapsed_of(right);
    if (x != y)
        return x < y ? 1 : -1;
    return is_earlier(left, right) ? -1 : is_earlier(right, left);
}

// The functions that have calls, at most --top, that with the longest call first, with their times
// sorted. To be freed; NULL: no memory, reported.
static uint32_t *order_functions(struct calls *calls, size_t *count)
{
    uint32_t *order = malloc((calls->functions.count + 1) * sizeof *order);
    *count = 0;
    if (!order) {
        calls_fail(calls, STATUS_MEMORY, "no memory");
        return NULL;
    }
    for (uint32_t i = 0; i < calls->functions.count; i++) {
        struct latency *function = &calls->functions.items[i];
        struct durations *all[] = {&function->elapsed, &function->busy, &function->to_task,
                                   &function->pending};
        if (!function->elapsed.ticks.count)
            continue;
        order[(*count)++] = i;
        for (size_t k = 0; k < ARRAY_COUNT(all); k++) {
            if (all[k]->ticks.count)
                qsort(all[k]->ticks.items, all[k]->ticks.count, sizeof(uint64_t), u64_compare);
        }
    }
    qsort_r(order, *count, sizeof *order, compare_longest, calls);
    if (calls->top && *count > calls->top)
        *count = (size_t)calls->top;
    return order;
}

// The cells of durations, which are sorted; none are known if there are none.
static void fill_times(struct time_cells *cells, const struct durations *durations)
{
    const uint64_t *ticks = durations->ticks.items;
    const size_t count = durations->ticks.count;
    if (!count)
        return;
    const uint64_t values[] = {ticks[0],
                               percentile(ticks, count, 50),
                               percentile(ticks, count, 90),
                               percentile(ticks, count, 99),
                               durations->most,
                               durations->longest.entry};
    const uint64_t **places[] = {&cells->minimum, &cells->median,  &cells->p90,
                                 &cells->p99,     &cells->maximum, &cells->at};
    for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
        cells->values[i] = values[i];
        *places[i] = &cells->values[i];
    }
    cells->line = durations->longest.has_place ? &durations->longest.line : NULL;
}

// The names of the path to a function and of itself, the outermost first, separated by ';'.
static const char *path_text(struct calls *calls, const struct latency *function, struct out *out)
{
    VEC(, uint32_t) path = {0};
    out_clear(out);
    for (const struct latency *at = function;; at = &calls->functions.items[at->parent]) {
        if (!VEC_ROOM(&path, 1)) {
            calls_fail(calls, STATUS_MEMORY, "no memory");
            break;
        }
        path.items[path.count++] = (uint32_t)(at - calls->functions.items);
        if (at->parent == UINT32_MAX)
            break;
    }
    while (path.count) {
        const uint64_t pc = calls->functions.items[path.items[--path.count]].pc;
        char address[NAMES_ADDRESS_BYTES];
        out_text(out, names_or_address(&calls->common.session.names, pc, address));
        out_text(out, path.count ? ";" : "");
    }
    free(path.items);
    return out_memory_text(out);
}

bool calls_show_latencies(struct calls *calls)
{
    struct command *command = &calls->common;
    const struct trace *trace = command->session.trace;
    unsigned when = (trace && trace_can(trace, TRACE_LINES) ? WITH_LINES : 0) |
                    (calls->tells_tasks ? WITH_WAITS : 0) | (calls->by_path ? WITH_PATH : 0) |
                    (calls->wants_handlers ? WITH_TO_TASK : 0) |
                    (calls->wants_pending ? WITH_PENDING : 0);
    size_t count;
    struct out path;
    uint32_t *order = order_functions(calls, &count);
    if (!order || out_open_memory(&path, &calls->err) != STATUS_OK) {
        free(order);
        return command_fail(command, &calls->err);
    }
    bool is_shown = command_fields(command, latency_fields, ARRAY_COUNT(latency_fields), when);
    for (size_t i = 0; i < count && is_shown; i++) {
        const struct latency *function = &calls->functions.items[order[i]];
        const struct call_row *longest = &function->elapsed.longest;
        const uint64_t *times = function->elapsed.ticks.items;
        const size_t times_count = function->elapsed.ticks.count;
        const char *lane = calls->lane_names.items[longest->lane];
        struct latency_cells cells = {
            .calls = times_count,
            .minimum = times[0],
            .median = percentile(times, times_count, 50),
            .p90 = percentile(times, times_count, 90),
            .p99 = percentile(times, times_count, 99),
            .maximum = function->elapsed.most,
            .at = longest->entry,
            .line = longest->has_place ? &longest->line : NULL,
            .lane = *lane ? lane : NULL,
            .address = function->pc & ~UINT64_C(1),
            .function = calls_name(calls, function->pc),
            .path = calls->by_path ? path_text(calls, function, &path) : NULL,
        };
        fill_times(&cells.busy, &function->busy);
        fill_times(&cells.to_task, &function->to_task);
        fill_times(&cells.pending, &function->pending);
        command_row(command, &cells,
                    longest->has_place ? &(struct line_place){longest->line, 0} : NULL);
    }
    free(order);
    out_abandon(&path);
    return !calls->has_failed ? command_require_shown(command, count > 0)
                              : command_fail(command, &calls->err);
}

// --- Histograms ----------------------------------------------------------------------------------

// Durations are counted in steps of 1, 2 and 5 times a power of ten, which people read easily and
// of which even a day in nanoseconds has only 42. Empty steps between others are shown, so that
// gaps are seen.

enum { BAR_COLUMNS = 50 };

struct histogram_cells {
    uint64_t from, to, calls, address;
    const char *function, *path, *bar;
};

#define VALUE(name) FIELD_VALUE(struct histogram_cells, name)

static const struct field histogram_fields[] = {
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"From", "from", COLUMN_TICKS, VALUE(from)},
    {"Below", "below", COLUMN_TICKS, VALUE(to)},
    {"Calls", "calls", COLUMN_U64, VALUE(calls)},
    {"Share", "bar", COLUMN_TEXT, VALUE(bar)},
    {"Path", "path", COLUMN_TEXT, VALUE(path), .when = WITH_PATH},
};
#undef VALUE

// The next step above one: 1, 2, 5, 10, 20, ... The first is 1; the last, all numbers are below.
static uint64_t step_above(uint64_t step)
{
    uint64_t first = step, next;
    while (first >= 10)
        first /= 10;
    bool is_past = first == 2 ? __builtin_mul_overflow(step / 2, UINT64_C(5), &next)
                              : __builtin_mul_overflow(step, UINT64_C(2), &next);
    return step == 0 ? 1 : is_past ? UINT64_MAX : next;
}

// The steps of one function, whose durations are sorted. Returns the most calls of one.
static size_t count_steps(struct calls *calls, const struct latency *function)
{
    const uint64_t *items = function->elapsed.ticks.items;
    const size_t count = function->elapsed.ticks.count;
    size_t most = 0, at = 0;
    uint64_t from = 0, to = 1;
    calls->steps.count = 0;
    while (to <= items[0] && to < UINT64_MAX) {
        from = to;
        to = step_above(to);
    }
    for (; at < count; from = to, to = step_above(to)) {
        size_t start = at;
        while (at < count && (items[at] < to || to == UINT64_MAX))
            at++;
        most = at - start > most ? at - start : most;
        if (!VEC_ROOM(&calls->steps, 1)) {
            calls_fail(calls, STATUS_MEMORY, "no memory");
            return most;
        }
        calls->steps.items[calls->steps.count++] = (struct step){from, to, at - start};
    }
    return most;
}

static size_t bar_of(const struct step *step, size_t most, size_t width)
{
    return (size_t)(((__uint128_t)step->count * width + most - 1) / most);
}

static void put_steps(struct calls *calls, const struct latency *function, const char *path)
{
    const size_t most = count_steps(calls, function);
    for (size_t i = 0; i < calls->steps.count; i++) {
        const struct step *step = &calls->steps.items[i];
        char bar[BAR_COLUMNS + 1];
        const size_t length = bar_of(step, most, BAR_COLUMNS);
        memset(bar, '#', length);
        bar[length] = '\0';
        command_row(&calls->common,
                    &(struct histogram_cells){.from = step->from,
                                              .to = step->to,
                                              .calls = step->count,
                                              .address = function->pc & ~UINT64_C(1),
                                              .function = calls_name(calls, function->pc),
                                              .path = path,
                                              .bar = bar},
                    NULL);
    }
}

// --- The same as a picture -----------------------------------------------------------------------

// A row of text for each function, and one with a bar for each of its steps. Without scripts, so
// that it can be a part of a document.

enum { SVG_WIDTH = 900, SVG_ROW = 18, SVG_LEFT = 230, SVG_BAR = 560 };

// Returns the place of the row below.
static uint64_t put_svg_function(struct calls *calls, const struct latency *function,
                                 const char *name, uint64_t y)
{
    const size_t most = count_steps(calls, function);
    const char *unit = trace_tick_unit(calls->common.session.trace);
    out_format(&calls->common.out, "<text x=\"8\" y=\"%" PRIu64 "\" class=\"name\">", y + 13);
    for (const char *at = name; *at; at++)
        out_markup(&calls->common.out, *at);
    out_format(&calls->common.out, " \u2013 %zu call%s</text>\n", function->elapsed.ticks.count,
               plural(function->elapsed.ticks.count));
    for (size_t i = 0; i < calls->steps.count; i++) {
        const struct step *step = &calls->steps.items[i];
        const size_t width = bar_of(step, most, SVG_BAR);
        y += SVG_ROW;
        out_format(&calls->common.out,
                   "<text x=\"%d\" y=\"%" PRIu64 "\" text-anchor=\"end\">%" PRIu64 " to %" PRIu64
                   " %s</text>",
                   SVG_LEFT - 8, y + 13, step->from, step->to, unit);
        out_format(&calls->common.out,
                   "<rect x=\"%d\" y=\"%" PRIu64 "\" width=\"%zu\" height=\"%d\"/>", SVG_LEFT,
                   y + 2, width, SVG_ROW - 4);
        out_format(&calls->common.out, "<text x=\"%zu\" y=\"%" PRIu64 "\">%zu</text>\n",
                   SVG_LEFT + 6 + width, y + 13, step->count);
    }
    return y + 2 * SVG_ROW;
}

// --- Which functions -----------------------------------------------------------------------------

bool calls_show_histograms(struct calls *calls)
{
    struct command *command = &calls->common;
    size_t count;
    struct out path;
    uint32_t *order = order_functions(calls, &count);
    if (!order || out_open_memory(&path, &calls->err) != STATUS_OK) {
        free(order);
        return command_fail(command, &calls->err);
    }
    bool is_shown = calls->wants_svg
                        ? command_output(command)
                        : command_fields(command, histogram_fields, ARRAY_COUNT(histogram_fields),
                                         calls->by_path ? WITH_PATH : 0);
    uint64_t y = SVG_ROW / 2;
    for (size_t i = 0; i < count && is_shown && calls->wants_svg; i++) {
        count_steps(calls, &calls->functions.items[order[i]]);
        y += (calls->steps.count + 2) * SVG_ROW;
    }
    if (is_shown && calls->wants_svg) {
        out_format(&command->out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %" PRIu64 "\">\n",
                   SVG_WIDTH, y);
        out_text(&command->out,
                 "<style>" LOOK_CSS "text { fill: var(--front); font: 12px var(--sans) } .name { "
                 "font-weight: 600 } rect { fill: var(--accent) }</style>\n");
    }
    y = SVG_ROW / 2;
    for (size_t i = 0; i < count && is_shown && !out_failed(&command->out); i++) {
        const struct latency *function = &calls->functions.items[order[i]];
        const char *text = path_text(calls, function, &path);
        if (calls->wants_svg)
            y = put_svg_function(calls, function, text, y);
        else
            put_steps(calls, function, calls->by_path ? text : NULL);
    }
    if (is_shown && calls->wants_svg)
        out_text(&command->out, "</svg>\n");
    free(order);
    free(calls->steps.items);
    out_abandon(&path);
    return !calls->has_failed ? command_require_shown(command, count > 0)
                              : command_fail(command, &calls->err);
}
