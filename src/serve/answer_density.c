// density: how much happens in each part of a range, and where exceptions, host calls and hits of a
// search are.
#include "base/limits.h"
#include "idx/host_calls.h"
#include "serve/answer.h"
#include "serve/searches.h"
#include "serve/selection.h"

#include <stdlib.h>

enum { COLUMNS_DEFAULT = 1000 };

// A place between two columns: the first event of the lane from there on.
struct edge {
    uint64_t in_lane, event; // of the trace
    uint64_t time;
};

struct density {
    struct asking *asking;
    struct stretch stretch;
    uint64_t columns;
    struct edge *edges;      // columns + 1
    struct search_wish wish; // no text: no search
    bool is_searched;        // completely
};

static enum status find_edge(const struct density *density, uint64_t place, struct edge *edge,
                             struct error *err)
{
    struct request_context *context = density->asking->context;
    const struct index_view *view = &context->session.view;
    uint64_t events = view->lanes[density->stretch.lane].events;
    struct trawl_event about;
    enum status status =
        stretch_events_before(&density->stretch, context, place, &edge->in_lane, err);
    bool is_end = edge->in_lane >= events;
    if (status == STATUS_OK)
        status = index_view_event_of_lane(view, density->stretch.lane,
                                          is_end ? events - 1 : edge->in_lane, &about, err);
    if (status != STATUS_OK)
        return status;
    edge->event = about.event + is_end;
    edge->time = density->stretch.axis == STRETCH_TIME ? place : about.time;
    return STATUS_OK;
}

static void put_counts(const struct density *density, const char *key, bool is_time)
{
    struct json *json = density->asking->json;
    json_key(json, key);
    json_begin_array(json);
    for (uint64_t i = 0; i < density->columns; i++) {
        const struct edge *edge = &density->edges[i];
        uint64_t count = is_time ? edge[1].time - u64_min(edge->time, edge[1].time)
                                 : edge[1].in_lane - u64_min(edge->in_lane, edge[1].in_lane);
        json_u64(json, count);
    }
    json_end_array(json);
}

// The next exception, or host call, at an event or after it. STATUS_NOT_FOUND: there is none.
typedef enum status next_function(struct density *density, uint64_t from, uint64_t *event,
                                  struct error *err);

static enum status next_exception(struct density *density, uint64_t from, uint64_t *event,
                                  struct error *err)
{
    struct trawl_error why;
    enum trawl_status status =
        trawl_visit(density->asking->context->session.view.index, density->stretch.lane,
                    TRAWL_EXCEPTIONS, from - 1, TRAWL_FORWARD, event, &why); // 0: TRAWL_START
    return index_status(status, &why, err);
}

// Host calls of other lanes are skipped.
static enum status next_host_call(struct density *density, uint64_t from, uint64_t *event,
                                  struct error *err)
{
    struct request_context *context = density->asking->context;
    struct trawl_event about;
    for (unsigned i = 0; i < LIMIT_SERVE_OTHER_LANES; i++, from = *event + 1) {
        enum status status = host_calls_next(context->session.view.index, from, event, err);
        if (status != STATUS_OK)
            return status;
        browse_event(&context->source, *event, &about);
        if (about.lane == density->stretch.lane)
            return STATUS_OK;
    }
    *event = from; // among so many, the exact place is not visible
    return STATUS_OK;
}

// The next hit found so far by the search, which continues in the background.
static enum status next_hit(struct density *density, uint64_t from, uint64_t *event,
                            struct error *err)
{
    struct request_context *context = density->asking->context;
    bool are_events = density->wish.is_condition || context->source.rows != ROWS_LINES;
    struct search_answer answer = {0};
    struct trawl_event about = {.position = from};
    struct trawl_error why;
    if (!are_events && from < context->timeline.event_count)
        browse_event(&context->source, from, &about);
    else if (!are_events)
        about.position = browse_text_bytes(&context->source);
    uint64_t place = are_events ? from : about.position;
    enum status status = searches_ask(density->asking->searches, &density->wish,
                                      place ? place - 1 : SEARCH_START, true, 1, &answer, err);
    if (status != STATUS_OK)
        return status;
    bool is_found = answer.outcome == SEARCH_FOUND && !answer.has_wrapped && answer.count;
    uint64_t found = is_found ? answer.places[0] : 0;
    density->is_searched = answer.progress.is_done;
    free(answer.places);
    if (!is_found)
        return error_set(err, STATUS_NOT_FOUND, "there is none");
    *event = found;
    return are_events ? STATUS_OK
                      : index_status(trawl_event_at_position(context->session.view.index, found,
                                                             event, &why),
                                     &why, err);
}

// Writes the columns that have any.
static enum status put_columns(struct density *density, const char *key, next_function *next,
                               struct error *err)
{
    struct json *json = density->asking->json;
    const struct edge *edges = density->edges;
    uint64_t column = 0, event = 0;
    bool is_known = false;
    enum status status = STATUS_OK;
    json_key(json, key);
    json_begin_array(json);
    while (column < density->columns) {
        if (!is_known || event < edges[column].event)
            status = next(density, edges[column].event, &event, err);
        is_known = true;
        if (status != STATUS_OK)
            break;
        while (column < density->columns && edges[column + 1].event <= event)
            column++;
        if (column < density->columns)
            json_u64(json, column++);
    }
    json_end_array(json);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status put_all(struct density *density, struct error *err)
{
    struct json *json = density->asking->json;
    bool is_text = density->asking->context->source.rows == ROWS_LINES;
    enum status status = find_edge(density, density->stretch.from, &density->edges[0], err);
    for (uint64_t i = 0; i < density->columns && status == STATUS_OK; i++)
        status = find_edge(density, stretch_end_of(&density->stretch, i, density->columns),
                           &density->edges[i + 1], err);
    if (status != STATUS_OK)
        return status;
    answer_text_u64(json, "from", density->stretch.from);
    answer_text_u64(json, "to", density->stretch.to);
    json_member_u64(json, "columns", density->columns);
    put_counts(density, "events", false);
    put_counts(density, "ticks", true);
    if (is_text) // others have neither
        status = put_columns(density, "exceptions", next_exception, err);
    if (is_text && status == STATUS_OK)
        status = put_columns(density, "host_calls", next_host_call, err);
    if (density->wish.text && *density->wish.text && status == STATUS_OK) {
        status = put_columns(density, "hits", next_hit, err);
        json_member_bool(json, "is_searched", density->is_searched);
    }
    return status;
}

enum status answer_density(struct asking *asking, struct error *err)
{
    static const char *const kinds[] = {"text", "condition"};
    struct density density = {.asking = asking, .columns = COLUMNS_DEFAULT};
    size_t kind = 0;
    enum status status = stretch_read(asking->request, asking->context, &density.stretch, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "columns", LIMIT_SERVE_CHART_COLUMNS,
                             &density.columns, err);
    if (status != STATUS_OK)
        return status;
    if (!density.columns)
        return error_set(err, STATUS_INPUT, "columns: expected some");
    status = request_word(asking->request, "kind", kinds, ARRAY_COUNT(kinds), &kind, err);
    if (status != STATUS_OK)
        return status;
    density.wish = (struct search_wish){.text = request_text(asking->request, "what"),
                                        .is_condition = kind == 1,
                                        .lane = kind == 1 ? density.stretch.lane : 0};
    density.edges = calloc((size_t)density.columns + 1, sizeof *density.edges);
    if (!density.edges)
        return error_set(err, STATUS_MEMORY, "no memory for a chart");
    status = put_all(&density, err);
    free(density.edges);
    return status;
}
