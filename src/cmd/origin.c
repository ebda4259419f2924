// origin and reaches: where a value comes from, and what it reaches.
#include "cli/values.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "dataflow/chain.h"
#include "dataflow/place.h"
#include "dataflow/reach.h"
#include "dataflow/slice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    OPTION_ALL = OPTION_OWN,
    OPTION_ADDRESSES,
    OPTION_LIMIT,
    OPTION_UNFOLD,
    OPTION_ORIGIN_BY,
    OPTION_GRAPH
};

enum origin_by { BY_EVENT, BY_FUNCTION, BY_LINE };
enum origin_graph { GRAPH_NONE, GRAPH_DOT, GRAPH_JSON };

struct origin {
    struct command common;
    const char *what;
    bool is_all, unfolds, is_forward;
    enum origin_by by;
    enum origin_graph graph;
    struct dataflow flow;
    struct data_target target;
    struct chain chain;
    struct slice slice;
    struct reach reach;
    const struct slice_event *events; // of the slice, or reached
    size_t event_count;
    struct source_lines lines;
};

// Bits of field.when.
enum { OF_EVENTS = 1, OF_CHAIN = 2, OF_SLICE = 4, OF_COUNTS = 8, WITH_PLACES = 16 };

struct origin_cells {
    const uint64_t *number, *needed_by, *event, *time, *line, *pc;
    uint64_t events;
    const char *kind, *place, *value, *end, *function, *lane, *source, *text;
};

#define VALUE(name) FIELD_VALUE(struct origin_cells, name)

static const struct field fields[] = {
    {"Events", "events", COLUMN_U64, VALUE(events), .when = OF_COUNTS},
    {"Step", "step", COLUMN_U64, VALUE(number), .when = OF_CHAIN},
    {"For", "for", COLUMN_U64, VALUE(needed_by), .when = OF_CHAIN},
    {"Event", "event", COLUMN_U64, VALUE(event), .when = OF_EVENTS},
    {"Time", "time", COLUMN_TICKS, VALUE(time), .when = OF_EVENTS},
    {"Line", "line", COLUMN_LINE, VALUE(line), .when = OF_EVENTS},
    {"Core", "lane", COLUMN_TEXT, VALUE(lane), .when = OF_EVENTS},
    {"Kind", "kind", COLUMN_TEXT, VALUE(kind), .when = OF_EVENTS},
    {"Where", "where", COLUMN_TEXT, VALUE(place), .when = OF_CHAIN},
    {"Value", "value", COLUMN_WHOLE, VALUE(value), .when = OF_CHAIN},
    {"Begins", "begins", COLUMN_TEXT, VALUE(end), .when = OF_SLICE},
    {"PC", "pc", COLUMN_ADDRESS, VALUE(pc), .when = OF_EVENTS},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"Source", "source", COLUMN_TEXT, VALUE(source), .when = WITH_PLACES},
    {"Instruction", "instruction", COLUMN_WHOLE, VALUE(text), .when = OF_EVENTS},
};

// --- Rows ----------------------------------------------------------------------------------------

// What a row says of the place of an event.
struct event_cells {
    struct trawl_event about;
    uint64_t pc;
    char source[SOURCE_PLACE_BYTES], text[LIMIT_TRACE_TEXT_BYTES];
};

// Fills the cells of an event. An event without an instruction has the PC of the one that it
// belongs to.
static enum status describe(struct origin *origin, uint64_t event, struct event_cells *place,
                            struct origin_cells *cells, struct error *err)
{
    struct command *command = &origin->common;
    bool has_pc = false;
    enum status status = index_view_event(query_view(command), event, &place->about, err);
    if (status == STATUS_OK)
        status = index_view_origin(query_view(command), &place->about, &has_pc, err);
    if (status != STATUS_OK)
        return status;
    place->pc = place->about.pc & ~UINT64_C(1);
    cells->event = &place->about.event;
    cells->time = &place->about.time;
    cells->line = &place->about.line;
    cells->lane = query_lane_name(command, place->about.lane);
    if (has_pc) {
        cells->pc = &place->pc;
        cells->function = query_name(command, place->about.pc);
    }
    if (has_pc && command->split_by & SPLIT_LINES &&
        source_lines_text(&origin->lines, &command->session.names, place->about.pc, place->source))
        cells->source = place->source;
    if (dataflow_text(&origin->flow, event, place->text))
        cells->text = place->text;
    return STATUS_OK;
}

static void put(struct origin *origin, const struct origin_cells *cells,
                const struct event_cells *place)
{
    command_row(&origin->common, cells,
                cells->event ? &(struct line_place){place->about.line, place->about.position}
                             : &(struct line_place){0, UINT64_MAX}); // no line
}

// --- The chain -----------------------------------------------------------------------------------

static enum status put_step(struct origin *origin, uint32_t number, struct error *err)
{
    static const char *const kinds[] = {"move", "load", "store", "computed", ""};
    const struct chain_step *step = &origin->chain.steps.items[number];
    const struct index_view *view = query_view(&origin->common);
    const struct data_place place = {step->space, step->lane, step->offset, step->size_bytes,
                                     step->to_place};
    const uint64_t shown = number + UINT64_C(1), needed_by = step->needed_by + UINT64_C(1);
    char place_text[DATA_PLACE_BYTES], value[VALUE_TEXT_MAX], kind[128];
    struct event_cells about = {.about.flags = 0};
    struct origin_cells cells = {.number = &shown,
                                 .needed_by = step->needed_by == UINT32_MAX ? NULL : &needed_by,
                                 .kind = step->kind == CHAIN_END ? data_end_texts[step->end]
                                                                 : kinds[step->kind],
                                 .place = place_text};
    bool has_value = false;
    enum status status = STATUS_OK;
    if (step->event != TRAWL_NONE)
        status = describe(origin, step->event, &about, &cells, err);
    if (status == STATUS_OK && step->at != TRAWL_START)
        status = data_place_value(view, &place, step->at, value, &has_value, err);
    if (status != STATUS_OK)
        return status;
    if (step->kind == CHAIN_END && step->end == DATA_GAP && step->since == TRAWL_NONE) {
        snprintf(kind, sizeof kind, "%s, before %" PRIu64, data_end_texts[DATA_GAP], step->event);
        cells.kind = kind;
    } else if (step->kind == CHAIN_END && (step->end == DATA_OUTSIDE || step->end == DATA_GAP)) {
        snprintf(kind, sizeof kind, "%s, between %" PRIu64 " and %" PRIu64,
                 data_end_texts[step->end], step->since, step->event);
        cells.kind = kind;
    }
    data_place_text(view, &place, about.about.flags & TRAWL_ISA, place_text);
    cells.value = has_value ? value : NULL;
    put(origin, &cells, &about);
    return STATUS_OK;
}

// A run of copies of which only the first and the last are shown, for people.
enum { COPIES_SHOWN = 3 };

static bool is_copy(const struct origin *origin, size_t number)
{
    const struct chain_step *step = &origin->chain.steps.items[number];
    return step->kind < CHAIN_COMPUTED &&
           (step->needed_by == UINT32_MAX ? number == 0 : step->needed_by + UINT64_C(1) == number);
}

static void put_folded(struct origin *origin, size_t first, size_t end)
{
    char text[96];
    size_t through_memory = 0;
    for (size_t i = first; i < end; i++)
        through_memory += origin->chain.steps.items[i].kind == CHAIN_STORE;
    snprintf(text, sizeof text, "... %zu copies, %zu through memory", end - first, through_memory);
    put(origin, &(struct origin_cells){.kind = text}, NULL);
}

static enum status put_chain(struct origin *origin, struct error *err)
{
    size_t count = origin->chain.steps.count;
    bool folds = origin->common.table_format == TABLE_TEXT && !origin->unfolds;
    enum status status = STATUS_OK;
    for (size_t at = 0; at < count && status == STATUS_OK;) {
        size_t end = at;
        while (folds && end < count && is_copy(origin, end))
            end++;
        if (end - at <= 2 * COPIES_SHOWN + 1) {
            status = put_step(origin, (uint32_t)at++, err);
            continue;
        }
        for (size_t i = 0; i < COPIES_SHOWN && status == STATUS_OK; i++)
            status = put_step(origin, (uint32_t)(at + i), err);
        put_folded(origin, at + COPIES_SHOWN, end - COPIES_SHOWN);
        for (at = end - COPIES_SHOWN; at < end && status == STATUS_OK; at++)
            status = put_step(origin, (uint32_t)at, err);
    }
    return status;
}

// --- The slice -----------------------------------------------------------------------------------

static const char *work_of(const struct slice_event *event)
{
    return event->decides                  ? "decides"
           : event->work == SLICE_COMPUTES ? "computes"
           : event->loads_stores & 2       ? "store"
           : event->loads_stores & 1       ? "load"
                                           : "move";
}

// The beginnings of an event, separated by commas; "" without any.
static void ends_text(unsigned ends, const char *const *words, char *text, size_t size_bytes)
{
    size_t length = 0;
    *text = '\0';
    for (unsigned i = 1; i < DATA_ENDS; i++) {
        int added = ends >> i & 1 ? snprintf(text + length, size_bytes - length, "%s%s",
                                             length ? ", " : "", words[i])
                                  : 0;
        if (added < 0 || (size_t)added >= size_bytes - length)
            break;
        length += (size_t)added;
    }
}

static enum status put_events(struct origin *origin, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0;
         i < origin->event_count && status == STATUS_OK && !out_failed(&origin->common.out); i++) {
        const struct slice_event *event = &origin->events[i];
        struct event_cells about;
        char ends[512];
        ends_text(event->ends, data_end_texts, ends, sizeof ends);
        struct origin_cells cells = {.kind = work_of(event), .end = *ends ? ends : NULL};
        status = describe(origin, event->event, &about, &cells, err);
        if (status == STATUS_OK)
            put(origin, &cells, &about);
    }
    return status;
}

// Events by function or by source line.
struct place_count {
    const char *function;
    char *source;
    uint64_t events;
};

static int compare_places(const void *a_item, const void *b_item)
{
    const struct place_count *a = a_item, *b = b_item;
    int order = strcmp(a->function, b->function);
    return order ? order : strcmp(a->source, b->source);
}

static int compare_counts(const void *a_item, const void *b_item)
{
    const struct place_count *a = a_item, *b = b_item;
    if (a->events != b->events)
        return a->events < b->events ? 1 : -1;
    return compare_places(a_item, b_item);
}

// Counts events by PC first, because names and lines take longer to look up.
static enum status put_counts(struct origin *origin, struct error *err)
{
    struct command *command = &origin->common;
    struct arena arena = {0};
    VEC(, struct place_count) places = {0};
    size_t count = origin->event_count, kept = 0;
    uint64_t *pcs = malloc((count ? count : 1) * sizeof *pcs);
    enum status status = pcs ? STATUS_OK : STATUS_MEMORY;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct trawl_event about = {0};
        bool has_pc;
        status = dataflow_event(&origin->flow, origin->events[i].event, &about, err);
        if (status == STATUS_OK && !(about.flags & TRAWL_HAS_INSTRUCTION))
            status = index_view_origin(query_view(command), &about, &has_pc, err);
        pcs[i] = about.pc;
    }
    if (status == STATUS_OK)
        qsort(pcs, count, sizeof *pcs, u64_compare);
    for (size_t i = 0, end; i < count && status == STATUS_OK; i = end) {
        char source[SOURCE_PLACE_BYTES] = "";
        for (end = i + 1; end < count && pcs[end] == pcs[i];)
            end++;
        const char *name = query_name(command, pcs[i]);
        const char *plus = name ? strrchr(name, '+') : NULL;
        if (origin->by == BY_LINE)
            (void)source_lines_text(&origin->lines, &command->session.names, pcs[i], source);
        char *function = arena_copy_string(&arena, name ? name : "",
                                           plus   ? (size_t)(plus - name)
                                           : name ? strlen(name)
                                                  : 0);
        char *place = arena_copy_string(&arena, source, strlen(source));
        if (!function || !place || !VEC_ROOM(&places, 1)) {
            status = STATUS_MEMORY;
            break;
        }
        places.items[places.count++] = (struct place_count){function, place, end - i};
    }
    if (status == STATUS_OK) {
        qsort(places.items, places.count, sizeof *places.items, compare_places);
        for (size_t i = 0; i < places.count; i++) {
            if (kept && !compare_places(&places.items[kept - 1], &places.items[i]))
                places.items[kept - 1].events += places.items[i].events;
            else
                places.items[kept++] = places.items[i];
        }
        qsort(places.items, kept, sizeof *places.items, compare_counts);
    }
    for (size_t i = 0; i < kept && status == STATUS_OK; i++)
        put(origin,
            &(struct origin_cells){.events = places.items[i].events,
                                   .function = places.items[i].function,
                                   .source =
                                       *places.items[i].source ? places.items[i].source : NULL},
            NULL);
    free(places.items);
    free(pcs);
    arena_free(&arena);
    return status == STATUS_MEMORY ? error_set(err, STATUS_MEMORY, "no memory for the counts")
                                   : status;
}

// Text in a label of Graphviz.
static void put_label(struct out *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            out_byte(out, '\\');
        out_byte(out, (unsigned char)*text < 0x20 ? '.' : *text);
    }
}

static enum status put_dot(struct origin *origin, struct error *err)
{
    static const char *const styles[] = {"", "", " [style=dotted]", " [style=dashed]"};
    struct out *out = &origin->common.out;
    char line[512], ends[512];
    out_text(out, "digraph origin {\n  node [shape=box, fontname=monospace];\n");
    for (size_t i = 0; i < origin->event_count; i++) {
        const struct slice_event *event = &origin->events[i];
        struct event_cells about;
        struct origin_cells cells = {0};
        if (describe(origin, event->event, &about, &cells, err) != STATUS_OK)
            return err->status;
        ends_text(event->ends, data_end_texts, ends, sizeof ends);
        snprintf(line, sizeof line, "  e%" PRIu64 " [label=\"%" PRIu64 " ", event->event,
                 event->event);
        out_text(out, line);
        put_label(out, cells.function ? cells.function : "");
        out_text(out, "\\n");
        put_label(out, cells.text ? cells.text : "");
        out_text(out, *ends ? "\\n" : "");
        put_label(out, ends);
        out_text(out, "\"];\n");
    }
    for (size_t i = 0; i < origin->slice.edges.count; i++) {
        const struct slice_edge *edge = &origin->slice.edges.items[i];
        if (edge->to == TRAWL_NONE)
            continue;
        snprintf(line, sizeof line, "  e%" PRIu64 " -> e%" PRIu64 "%s;\n", edge->from, edge->to,
                 styles[edge->role]);
        out_text(out, line);
    }
    out_text(out, "}\n");
    return STATUS_OK;
}

static enum status put_json(struct origin *origin, struct error *err)
{
    static const char *const roles[] = {"value", "copy", "address", "condition"};
    static const char *const spaces[] = {"register", "flags", "memory"};
    struct json json;
    char ends[512];
    json_begin(&json, &origin->common.out, 2);
    json_begin_object(&json);
    json_key(&json, "nodes");
    json_begin_array(&json);
    for (size_t i = 0; i < origin->event_count; i++) {
        const struct slice_event *event = &origin->events[i];
        struct event_cells about;
        struct origin_cells cells = {0};
        if (describe(origin, event->event, &about, &cells, err) != STATUS_OK)
            return err->status;
        ends_text(event->ends, data_end_keys, ends, sizeof ends);
        json_begin_object(&json);
        json_member_u64(&json, "event", event->event);
        json_member_u64(&json, "line", about.about.line);
        json_member_text(&json, "kind", work_of(event));
        json_member_text(&json, "begins", *ends ? ends : NULL);
        json_member_text(&json, "function", cells.function);
        json_member_text(&json, "instruction", cells.text);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_key(&json, "edges");
    json_begin_array(&json);
    for (size_t i = 0; i < origin->slice.edges.count; i++) {
        const struct slice_edge *edge = &origin->slice.edges.items[i];
        if (edge->to == TRAWL_NONE)
            continue;
        json_begin_object(&json);
        json_member_u64(&json, "from", edge->from);
        json_member_u64(&json, "to", edge->to);
        json_member_text(&json, "role", roles[edge->role]);
        json_member_text(&json, "through", spaces[edge->space]);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_member_bool(&json, "complete", !origin->slice.is_cut);
    json_end_object(&json);
    json_end(&json);
    return STATUS_OK;
}

// --- The command ---------------------------------------------------------------------------------

static enum status find_events(struct origin *origin, struct error *err)
{
    struct slice *slice = &origin->slice;
    struct reach *reach = &origin->reach;
    enum status status;
    if (origin->is_forward) {
        reach->flow = &origin->flow;
        reach->limit = slice->limit;
        reach->with_addresses = slice->with_addresses;
        status = reach_find(reach, origin->common.event, origin->target.cells, origin->target.count,
                            err);
        origin->events = reach->events.items;
        origin->event_count = reach->events.count;
        return status;
    }
    slice->flow = &origin->flow;
    slice->with_edges = origin->graph;
    status = slice_find(slice, origin->common.event, true, origin->target.cells,
                        origin->target.count, err);
    origin->events = slice->events.items;
    origin->event_count = slice->events.count;
    return status;
}

// What has the value in the end.
static void sum_up_reached(struct origin *origin)
{
    const struct reach *reach = &origin->reach;
    struct diag *diag = &origin->common.diag;
    const struct index_view *view = query_view(&origin->common);
    char places[REACH_PLACES * (DATA_PLACE_BYTES + 2)] = "";
    size_t length = 0;
    for (size_t i = 0; i < u64_min(reach->left_count, REACH_PLACES); i++) {
        const struct dataflow_bytes *bytes = &reach->left[i];
        char place[DATA_PLACE_BYTES];
        uint64_t start = bytes->cell * 8 - bytes->to_place;
        uint64_t first = start + (unsigned)__builtin_ctz(bytes->mask);
        uint64_t last = start + 31 - (unsigned)__builtin_clz(bytes->mask);
        data_place_text(view,
                        &(struct data_place){bytes->space, bytes->lane, first, last - first + 1, 0},
                        view->info.options & TRAWL_USES_AARCH64 ? 2 : 0, place);
        length += (size_t)snprintf(places + length, sizeof places - length, "%s%s",
                                   length ? ", " : "", place);
    }
    if (reach->events.count)
        diag_note(diag, "%zu event%s, the last is %" PRIu64, reach->events.count,
                  plural(reach->events.count), reach->events.items[reach->events.count - 1].event);
    else
        diag_note(diag, "nothing uses it after that point");
    if (reach->is_cut)
        diag_warning(diag, "ends after %zu events (--limit)", reach->events.count);
    else if (reach->left_count)
        diag_note(diag, "in the end it is in %s%s", places,
                  reach->left_count > REACH_PLACES ? ", ..." : "");
    if (reach->unknown)
        diag_warning(diag,
                     "%" PRIu64 " instructions are not known: what they made of it is not shown",
                     reach->unknown);
}

// Where values of the slice begin, and whether it is whole.
static void sum_up(struct origin *origin)
{
    const struct slice *slice = &origin->slice;
    struct diag *diag = &origin->common.diag;
    char text[512];
    size_t length = 0;
    for (unsigned i = 1; i < DATA_ENDS && length < sizeof text; i++) {
        if (slice->end_counts[i])
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%" PRIu64 " %s",
                                       length ? "; " : "", slice->end_counts[i], data_end_texts[i]);
    }
    diag_note(diag, "%zu event%s%s%s", slice->events.count, plural(slice->events.count),
              length ? "; begins: " : "", length ? text : "");
    if (slice->is_cut)
        diag_warning(diag,
                     "ends after %" PRIu64 " events (--limit): %" PRIu64
                     " values were not followed further",
                     (uint64_t)slice->events.count, slice->waiting);
    if (origin->common.session.view.info.damaged_lines)
        diag_warning(diag, "lines of the trace could not be read: what they wrote is not followed");
}

// Opens the reader of steps, and finds what was typed, with the registers at the point.
static bool find_target(struct origin *origin)
{
    struct command *command = &origin->common;
    struct location location;
    struct trawl_event about;
    struct error err;
    uint64_t lane, address = 0;
    if (dataflow_open(&origin->flow, query_view(command), command->session.trace, &err) !=
            STATUS_OK ||
        query_lane(command, command->event, &lane, &about, &err) != STATUS_OK)
        return command_fail(command, &err);
    if (!query_location(command, origin->what, &about, &location) ||
        (location.kind == LOCATION_MEMORY &&
         !query_address(command, origin->what, &location, lane, command->event, &address)))
        return false;
    return data_target_of(&origin->target, &origin->flow, origin->what, &location, lane,
                          command->event, address, &err) == STATUS_OK
               ? true
               : command_fail(command, &err);
}

static bool report(void *self)
{
    struct origin *origin = self;
    struct command *command = &origin->common;
    struct error err;
    bool is_slice = origin->is_all || origin->is_forward;
    unsigned shown = !is_slice                ? OF_EVENTS | OF_CHAIN
                     : origin->by == BY_EVENT ? OF_EVENTS | (origin->is_forward ? 0u : OF_SLICE)
                                              : OF_COUNTS;
    if (command->split_by & SPLIT_LINES || origin->by == BY_LINE)
        shown |= WITH_PLACES;
    bool is_done = find_target(origin);
    if (is_done) {
        origin->chain.flow = &origin->flow;
        enum status status = is_slice
                                 ? find_events(origin, &err)
                                 : chain_find(&origin->chain, command->event, origin->target.cells,
                                              origin->target.count, &err);
        is_done = status == STATUS_OK ? true : command_fail(command, &err);
    }
    if (is_done)
        is_done = origin->graph ? command_output(command)
                                : command_fields(command, fields, ARRAY_COUNT(fields), shown);
    if (is_done) {
        enum status status = origin->graph == GRAPH_DOT    ? put_dot(origin, &err)
                             : origin->graph == GRAPH_JSON ? put_json(origin, &err)
                             : !is_slice                   ? put_chain(origin, &err)
                             : origin->by == BY_EVENT      ? put_events(origin, &err)
                                                           : put_counts(origin, &err);
        is_done = status == STATUS_OK ? true : command_fail(command, &err);
    }
    if (is_done && is_slice)
        (origin->is_forward ? sum_up_reached : sum_up)(origin);
    if (is_done && origin->chain.is_cut)
        diag_warning(&command->diag, "ends after %zu steps (--limit)", origin->chain.steps.count);
    slice_free(&origin->slice);
    reach_free(&origin->reach);
    origin->reach = (struct reach){0};
    chain_free(&origin->chain);
    dataflow_close(&origin->flow);
    origin->slice = (struct slice){.with_addresses = origin->slice.with_addresses,
                                   .limit = origin->slice.limit};
    origin->chain = (struct chain){.limit = origin->chain.limit};
    return source_places_end(command, &origin->lines) && is_done;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct origin *origin = self;
    switch (option) {
    case OPTION_POSITIONAL:
        origin->what = match->value;
        return OPTION_END;
    case OPTION_ALL:
        origin->is_all = true;
        return OPTION_END;
    case OPTION_ADDRESSES:
        origin->slice.with_addresses = origin->is_all = true;
        return OPTION_END;
    case OPTION_UNFOLD:
        origin->unfolds = true;
        return OPTION_END;
    case OPTION_LIMIT:
        if (!parse_u64_within(match->value, 1, LIMIT_SLICE_EVENTS_MAX, &origin->slice.limit))
            return options_bad_value(parser, match, "a number above 0");
        origin->chain.limit = origin->slice.limit;
        return OPTION_END;
    case OPTION_ORIGIN_BY:
        origin->is_all = true;
        origin->by = strcmp(match->value, "function") == 0 ? BY_FUNCTION : BY_LINE;
        return origin->by == BY_FUNCTION || strcmp(match->value, "line") == 0
                   ? OPTION_END
                   : options_bad_value(parser, match, "function or line");
    default:
        origin->is_all = true;
        origin->graph = strcmp(match->value, "dot") == 0 ? GRAPH_DOT : GRAPH_JSON;
        return origin->graph == GRAPH_DOT || strcmp(match->value, "json") == 0
                   ? OPTION_END
                   : options_bad_value(parser, match, "dot or json");
    }
}

// Of both commands.
static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct origin origin = {.slice.limit = LIMIT_SLICE_EVENTS,
                            .chain.limit = LIMIT_SLICE_EVENTS,
                            .is_forward = strcmp(self->name, reaches_command.name) == 0};
    command_begin(&origin.common, self);
    origin.common.asks_index = true;
    origin.common.session.asks_loads = origin.is_forward;
    origin.common.session.asks_text = true;
    return command_run(&origin.common, argc, argv,
                       &(struct command_steps){&origin, take, NULL, report});
}

static const struct option_spec own_options[] = {
    {ROW_AT},
    {OPTION_ALL, 0, "all", NULL,
     "every event that the value was computed from, the latest first, not only the copies up to "
     "the instruction that computed it"},
    {OPTION_ADDRESSES, 0, "addresses", NULL,
     "--all, and what computed the addresses of loads and stores"},
    {OPTION_ORIGIN_BY, 0, "by", "PLACE", "--all, counted by function or line (of the source)"},
    {OPTION_GRAPH, 0, "graph", "FORMAT", "--all as a graph: dot (for Graphviz) or json"},
    {OPTION_LIMIT, 0, "limit", "N", "at most N events (default: " TEXT_OF(LIMIT_SLICE_EVENTS) ")"},
    {OPTION_UNFOLD, 0, "unfold", NULL, "each of many copies in a row"},
    {OPTION_LINES, 0, "lines", NULL, "also show source lines"},
    {ROW_LANE},
    {ROW_PHYSICAL},
    {ROW_SPACE},
    TRACE_CONTEXT_OPTION,
    {ROW_FORMAT},
    {ROW_WIDE},
    {0},
};

const struct command_spec origin_command = {
    .name = "origin",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_REGISTERS | TRACE_MEMORY | TRACE_INSTRUCTIONS,
    .describe_input = trace_inputs_describe,
    .summary = "where a value comes from",
    .description =
        "Follows a value back from a point: through moves between registers, stores and loads, to "
        "the instruction that computed it, or to where it begins: a constant in the code, "
        "something that the debug host wrote, the state before the trace, a device or another "
        "master (a load shows a value that no store explains), a system register, an exception, "
        "or an instruction that trawl does not know. WHAT and POS are as for 'trawl writes'.\n"
        "If the bytes of the value come from several places, each part is followed; For is the "
        "step that needs it. In a table, only the first and last of more than seven copies are "
        "shown.\n"
        "With --all, everything that the value was computed from. Addresses do not count as part "
        "of it, unless --addresses is given, nor does what decided which way the program went; "
        "flags that decide what a conditional instruction does, do. The text of the trace is "
        "needed, because an index does not have the instructions.",
    .common = &trace_common_options,
    .groups = QUERY_OPTION_GROUPS(own_options),
    .positionals =
        (const struct positional_spec[]){{"TRACE", "{input}", NULL, false, false},
                                         {"WHAT", "register or memory", NULL, false, false},
                                         {0}},
    .examples = "trawl origin run.tarmac x0 --at line:51042\n"
                "trawl origin --image prog.elf run.tarmac first:8 --all --by function\n"
                "trawl origin run.tarmac sp+8:8 --at pc:0x8000#3 --graph dot | dot -Tsvg\n",
    .alternatives = (const int[]){TRACE_ALTERNATIVES, OPTION_ORIGIN_BY, OPTION_GRAPH, 0, 0},
    .run = run,
};

static const struct option_spec reaches_options[] = {
    {ROW_AT},
    {OPTION_ADDRESSES, 0, "addresses", NULL,
     "also what was loaded from or stored to an address that was computed from it"},
    {OPTION_ORIGIN_BY, 0, "by", "PLACE", "count events by function or line (of the source)"},
    {OPTION_LIMIT, 0, "limit", "N", "at most N events (default: " TEXT_OF(LIMIT_SLICE_EVENTS) ")"},
    {OPTION_LINES, 0, "lines", NULL, "also show source lines"},
    {ROW_LANE},
    {ROW_PHYSICAL},
    {ROW_SPACE},
    TRACE_CONTEXT_OPTION,
    {ROW_FORMAT},
    {ROW_WIDE},
    {0},
};

const struct command_spec reaches_command = {
    .name = "reaches",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_REGISTERS | TRACE_MEMORY | TRACE_INSTRUCTIONS,
    .describe_input = trace_inputs_describe,
    .summary = "what a value has influenced",
    .description =
        "Follows a value forwards from a point: lists every event that computed something from it, "
        "moved it, or decided by it where the program goes on, in the order of the trace, and says "
        "what still has it in the end. WHAT and POS are as for 'trawl writes'. It is the reverse "
        "of "
        "'trawl origin --all': an event is listed if what it wrote has the value in its slice.\n"
        "A value that was loaded or stored at an address computed from it does not count, unless "
        "--addresses is given, nor does what was done because of a branch that it decided. The "
        "text of the trace is needed, because an index does not have the instructions.",
    .common = &trace_common_options,
    .groups = QUERY_OPTION_GROUPS(reaches_options),
    .positionals =
        (const struct positional_spec[]){{"TRACE", "{input}", NULL, false, false},
                                         {"WHAT", "register or memory", NULL, false, false},
                                         {0}},
    .examples =
        "trawl reaches run.tarmac x0 --at line:51042\n"
        "trawl reaches --image prog.elf run.tarmac input:16 --at pc:parse#1 --by function\n",
    .alternatives = (const int[]){TRACE_ALTERNATIVES, 0},
    .run = run,
};
