#include "serve/selection.h"

#include "query/point.h"
#include "session/passes.h"
#include "session/session_index.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

// --- Ranges --------------------------------------------------------------------------------------

// `is_within`: times are those of the lane.
static enum status read_stretch(const struct request *request,
                                const struct request_context *context, bool is_within,
                                struct stretch *stretch, struct error *err)
{
    static const char *const axes[] = {
        [STRETCH_EVENTS] = "events", [STRETCH_ORDER] = "order", [STRETCH_TIME] = "time"};
    const struct index_view *view = &context->session.view;
    struct trawl_event first, last;
    size_t axis = STRETCH_EVENTS;
    *stretch = (struct stretch){0};
    enum status status = request_lane(request, "lane", view, 0, &stretch->lane, err);
    if (status == STATUS_OK)
        status = request_word(request, "by", axes, ARRAY_COUNT(axes), &axis, err);
    if (status != STATUS_OK)
        return status;
    stretch->axis = (enum stretch_axis)axis;
    stretch->to = view->lanes[stretch->lane].events;
    if (!stretch->to)
        return error_set(err, STATUS_NOT_FOUND, "nothing happened there");
    if (stretch->axis == STRETCH_ORDER)
        stretch->to = view->info.events;
    if (stretch->axis == STRETCH_TIME) {
        status = index_view_event_of_lane(view, stretch->lane, 0, &first, err);
        if (status == STATUS_OK)
            status = index_view_event_of_lane(view, stretch->lane, stretch->to - 1, &last, err);
        if (status != STATUS_OK)
            return status;
        stretch->from = first.time;
        stretch->to = last.time < UINT64_MAX ? last.time + 1 : last.time;
    }
    uint64_t end = is_within || stretch->axis != STRETCH_TIME ? stretch->to : UINT64_MAX;
    status = request_u64(request, "from", end, &stretch->from, err);
    if (status == STATUS_OK)
        status = request_u64(request, "to", end, &stretch->to, err);
    if (status == STATUS_OK && stretch->from >= stretch->to)
        return error_set(err, STATUS_INPUT, "from and to: expected a range that is not empty");
    return status;
}

enum status stretch_read(const struct request *request, const struct request_context *context,
                         struct stretch *stretch, struct error *err)
{
    return read_stretch(request, context, true, stretch, err);
}

enum status stretch_events_before(const struct stretch *stretch, struct request_context *context,
                                  uint64_t place, uint64_t *count, struct error *err)
{
    const struct index_view *view = &context->session.view;
    struct trawl_event about = {.event = TRAWL_START};
    struct trawl_error why;
    enum status status = STATUS_OK;
    uint64_t event = TRAWL_START;
    *count = place;
    if (stretch->axis == STRETCH_EVENTS)
        return STATUS_OK;
    if (place && stretch->axis == STRETCH_ORDER) {
        status = point_in_lane(view, stretch->lane, place - 1, &about, err);
    } else if (place) {
        enum trawl_status found =
            trawl_event_at_time(view->index, stretch->lane, place - 1, &event, &why);
        if (found != TRAWL_OK && found != TRAWL_NOT_FOUND)
            return index_status(found, &why, err);
        if (found == TRAWL_OK && event != TRAWL_START)
            browse_event(&context->source, event, &about);
    }
    *count = about.event == TRAWL_START ? 0 : about.in_lane + 1;
    return status;
}

enum status stretch_read_for_pass(const struct request *request, struct request_context *context,
                                  struct stretch *stretch, struct error *err)
{
    uint64_t from, to;
    enum status status = read_stretch(request, context, false, stretch, err);
    if (status != STATUS_OK || stretch->axis != STRETCH_ORDER)
        return status;
    status = stretch_events_before(stretch, context, stretch->from, &from, err);
    if (status == STATUS_OK)
        status = stretch_events_before(stretch, context, stretch->to, &to, err);
    if (status == STATUS_OK && from == to)
        status = error_set(err, STATUS_NOT_FOUND, "nothing happened there");
    if (status == STATUS_OK)
        *stretch = (struct stretch){stretch->lane, STRETCH_EVENTS, from, to};
    return status;
}

uint64_t stretch_end_of(const struct stretch *stretch, uint64_t column, uint64_t columns)
{
    unsigned __int128 width = stretch->to - stretch->from;
    return stretch->from + (uint64_t)(width * (column + 1) / columns);
}

// --- Calls ---------------------------------------------------------------------------------------

struct selection {
    struct request_contexts *request_contexts;
    size_t contexts_max;
    pthread_mutex_t lock;
    struct request_context *context; // its session runs passes over the index; NULL: not yet
    struct request_context
        *counting; // and this one over the trace itself, which has the instructions
    bool has_contexts;
    struct stretch stretch; // the one of `contexts`
    struct contexts contexts;
    bool has_counts;
    struct stretch counted; // the one of `counts`
    struct pc_count *counts;
    size_t count;
};

enum status selection_open(struct selection **out, struct request_contexts *request_contexts,
                           size_t contexts_max, struct error *err)
{
    struct selection *selection = calloc(1, sizeof *selection);
    if (!selection)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    selection->request_contexts = request_contexts;
    selection->contexts_max = contexts_max;
    pthread_mutex_init(&selection->lock, NULL);
    *out = selection;
    return STATUS_OK;
}

static void forget(struct selection *selection)
{
    contexts_free(&selection->contexts);
    selection->contexts = (struct contexts){0};
    selection->has_contexts = false;
}

static void forget_counts(struct selection *selection)
{
    free(selection->counts);
    selection->counts = NULL;
    selection->has_counts = false;
}

void selection_close(struct selection *selection)
{
    if (!selection)
        return;
    forget(selection);
    forget_counts(selection);
    if (selection->context)
        request_contexts_give_back(selection->request_contexts, selection->context);
    if (selection->counting)
        request_contexts_give_back(selection->request_contexts, selection->counting);
    pthread_mutex_destroy(&selection->lock);
    free(selection);
}

static enum status stopped(struct error *err)
{
    return error_set(err, STATUS_STOPPED, "the client has closed the connection");
}

// Waits for the work of another request, as long as somebody waits for this one.
static enum status take_lock(struct selection *selection, const struct request *request,
                             struct error *err)
{
    enum { PATIENCE_NS = 50000000, SECOND_NS = 1000000000 };
    struct timespec until;
    do {
        if (request_is_abandoned(request))
            return stopped(err);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PATIENCE_NS;
        until.tv_sec += until.tv_nsec / SECOND_NS;
        until.tv_nsec %= SECOND_NS;
    } while (pthread_mutex_timedlock(&selection->lock, &until) != 0);
    return STATUS_OK;
}

static enum status prepare(struct selection *selection, struct request_context **context,
                           bool reads_index, struct error *err)
{
    if (*context)
        return STATUS_OK;
    enum status status = request_contexts_take(selection->request_contexts, context, err);
    if (status != STATUS_OK)
        return status;
    (*context)->session.threads = 2;
    (*context)->session.pass_input = PASS_OVER_TRACE;
    if (reads_index)
        status = session_pass_over_view(&(*context)->session, err);
    if (status != STATUS_OK) {
        request_contexts_give_back(selection->request_contexts, *context);
        *context = NULL;
    }
    return status;
}

static struct call_range range_of(const struct stretch *stretch)
{
    struct call_range range = CALL_RANGE_ALL;
    uint64_t last = stretch->to - 1;
    if (stretch->axis == STRETCH_TIME)
        range.first_time = stretch->from, range.last_time = last;
    else
        range.first_event = stretch->from, range.last_event = last;
    return range;
}

static void begin_pass(struct session *session, const struct stretch *stretch)
{
    session_begin_pass(session);
    session->filter.range = range_of(stretch);
    session->filter.lane =
        session->view.info.lanes > 1 ? session->view.lanes[stretch->lane].name : NULL;
}

// Gathers calls into a tree of contexts, which is bounded and can be abandoned.
struct gathering {
    const struct request *request;
    struct context_tree *tree;
    struct call_consumer into;
    size_t contexts_max;
    unsigned calls;
    bool is_abandoned, is_full;
};

enum { CALLS_BETWEEN = 8192 }; // how often to check whether somebody waits

static bool goes_on(struct gathering *gathering)
{
    if (++gathering->calls % CALLS_BETWEEN == 0)
        gathering->is_abandoned |= request_is_abandoned(gathering->request);
    gathering->is_full |= gathering->tree->nodes.count > gathering->contexts_max;
    return !gathering->is_abandoned && !gathering->is_full;
}

static bool fold(void *self, struct call_content *into, const struct call *call,
                 const struct call_content *inner)
{
    struct gathering *gathering = self;
    return goes_on(gathering) && gathering->into.fold(gathering->into.self, into, call, inner);
}

static bool merge(void *self, struct call_content *into, const struct call_content *from)
{
    struct gathering *gathering = self;
    return goes_on(gathering) && gathering->into.merge(gathering->into.self, into, from);
}

static enum status gather(struct selection *selection, const struct stretch *stretch,
                          const struct request *request, struct error *err)
{
    struct session *session = &selection->context->session;
    struct contexts *contexts = &selection->contexts;
    begin_pass(session, stretch);
    if (!context_tree_init(&contexts->tree))
        return error_set(err, STATUS_MEMORY, "no memory for the calls");
    struct gathering gathering = {.request = request,
                                  .tree = &contexts->tree,
                                  .into = context_tree_consumer(&contexts->tree),
                                  .contexts_max = selection->contexts_max};
    const struct call_consumer consumer = {.self = &gathering, .fold = fold, .merge = merge};
    const struct pass_request pass = session_calls(session, &consumer, NULL);
    enum status status = session_pass(session, &pass, err);
    if (gathering.is_abandoned)
        return stopped(err);
    if (gathering.is_full)
        return error_set(err, STATUS_LIMIT,
                         "more than %zu contexts of calls: select a shorter range",
                         selection->contexts_max);
    if (status == STATUS_OK && !contexts_add_lanes(contexts, session))
        status = error_set(err, STATUS_MEMORY, "no memory for the calls");
    if (status == STATUS_OK && !contexts->roots.count)
        status = error_set(err, STATUS_NOT_FOUND, "nothing happened there");
    return status;
}

static bool is_same(const struct stretch *a, const struct stretch *b)
{
    return a->lane == b->lane && a->axis == b->axis && a->from == b->from && a->to == b->to;
}

enum status selection_take(struct selection *selection, const struct stretch *stretch,
                           const struct request *request, struct selected *selected,
                           struct error *err)
{
    enum status status = take_lock(selection, request, err);
    if (status != STATUS_OK)
        return status;
    if (!selection->has_contexts || !is_same(&selection->stretch, stretch)) {
        forget(selection);
        status = prepare(selection, &selection->context, true, err);
        if (status == STATUS_OK)
            status = gather(selection, stretch, request, err);
        if (status != STATUS_OK) {
            forget(selection);
            pthread_mutex_unlock(&selection->lock);
            return status;
        }
        selection->has_contexts = true;
        selection->stretch = *stretch;
    }
    *selected = (struct selected){
        .tree = &selection->contexts.tree,
        .roots = selection->contexts.roots.items,
        .root_count = selection->contexts.roots.count,
        .names = &selection->context->session.names,
    };
    return STATUS_OK;
}

enum status selection_give_back(struct selection *selection, struct names *names,
                                enum status status, struct error *err)
{
    if (status == STATUS_OK)
        status = names_check(names, err);
    pthread_mutex_unlock(&selection->lock);
    return status;
}

// --- Instructions --------------------------------------------------------------------------------

static bool is_pause_due(void *self)
{
    return request_is_abandoned(self);
}

static enum pass_pause give_up(void *self, struct error *err)
{
    (void)self;
    stopped(err);
    return PASS_FAIL;
}

static enum status count(struct selection *selection, const struct stretch *stretch,
                         const struct request *asking, struct error *err)
{
    static const struct pc_counts none;
    struct request abandoned = *asking;
    const struct pass_pauses pauses = {&abandoned, is_pause_due, give_up};
    struct session *session = &selection->counting->session;
    const struct call_range range = range_of(stretch);
    forget_counts(selection);
    begin_pass(session, stretch);
    struct pass_request request = session_calls(session, NULL, NULL);
    request.options.range = CALL_RANGE_ALL; // of calls
    request.options.counted = &range;
    request.options.pauses = &pauses;
    enum status status = session_pass(session, &request, err);
    if (status != STATUS_OK)
        return status;
    const struct pass_result *result = &session->result;
    bool has_any = stretch->lane < result->lane_count;
    const struct pc_counts *counts = has_any ? &result->lanes[stretch->lane].pcs : &none;
    selection->counts = pc_counts_sorted(counts);
    selection->count = counts->count;
    return selection->counts ? STATUS_OK : error_set(err, STATUS_MEMORY, "no memory for counts");
}

enum status selection_take_counts(struct selection *selection, const struct stretch *stretch,
                                  const struct request *request, struct counted *counted,
                                  struct error *err)
{
    enum status status = take_lock(selection, request, err);
    if (status != STATUS_OK)
        return status;
    if (!selection->has_counts || !is_same(&selection->counted, stretch)) {
        status = prepare(selection, &selection->counting, false, err);
        if (status == STATUS_OK)
            status = count(selection, stretch, request, err);
        selection->has_counts = status == STATUS_OK;
        selection->counted = *stretch;
    }
    if (status != STATUS_OK) {
        pthread_mutex_unlock(&selection->lock);
        return status;
    }
    *counted =
        (struct counted){selection->counts, selection->count, &selection->counting->session.names};
    return STATUS_OK;
}
