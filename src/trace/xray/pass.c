#include "trace/xray/pass.h"

#include "base/large_pages.h"
#include "base/thread.h"
#include "idx/caller.h"

#include <pthread.h>
#include <stdlib.h>

// --- Lanes ---------------------------------------------------------------------------------------

struct crew {
    struct xray_pass *pass;
    void *self;
    xray_walk *walk;
    pthread_mutex_t lock;  // for the results of lanes in the pass
    struct xray_rows rows; // with pass->index, for the only worker
    struct error rows_error;
};

void xray_pass_end_lane(struct xray_pass *pass, const struct xray_lane *lane, size_t number)
{
    // Calls and visits are set by the walk.
    struct lane_result *result = &pass->result->lanes[number];
    result->events = result->nodes = result->instructions = lane->events;
    result->has_root = lane->events > 0;
    result->root = (struct node_ref){0, lane->first_time, lane->first_offset, lane->first_offset,
                                     FUNCTION_PC_OUTSIDE};
    result->last = (struct node_ref){lane->events - 1, lane->time, lane->last_offset,
                                     lane->last_offset, FUNCTION_PC_OUTSIDE};
    if (!result->clip.has_last) { // a pass that feeds calls has passed all events to it
        result->clip.first_event_time = lane->wanted_times[0];
        result->clip.last_event_time = lane->wanted_times[1];
    }
    result->counts.returned = lane->counts.calls;
    result->counts.dropped = lane->counts.exits.unmatched;
    result->counts.unreturned = lane->counts.unmatched_entries;
    pass->counts[number] = lane->counts;
    trace_damage_merge(&pass->damage, &lane->damage);
}

static bool walk_lane(void *context, unsigned worker, uint64_t number)
{
    struct crew *crew = context;
    struct xray_pass *pass = crew->pass;
    struct xray_lane lane;
    // Begins the rows of a lane, which follow those of the previous lanes.
    if (pass->index) {
        struct trawl_lane about;
        struct trawl_error from;
        struct error *err = &crew->rows_error;
        enum trawl_status status = trawl_lane(crew->pass->index, number, &about, &from);
        if (index_status(status, &from, err) != STATUS_OK ||
            !xray_rows_begin(&crew->rows, crew->pass->index, about.events, err))
            return false;
    }
    bool has_memory = xray_lane_begin(&lane, pass->log, (uint32_t)number);
    xray_lane_want_times(&lane, pass->range.first_event, pass->range.last_event);
    if (pass->index) {
        lane.rows = &crew->rows;
        lane.counts = pass->known[number];
    }
    has_memory = has_memory && crew->walk(crew->self, worker, &lane, (size_t)number);
    pthread_mutex_lock(&crew->lock);
    xray_pass_end_lane(pass, &lane, (size_t)number);
    pthread_mutex_unlock(&crew->lock);
    xray_lane_free(&lane);
    return has_memory;
}

bool xray_pass_begin_lanes(struct xray_pass *pass, struct pass_result *result)
{
    const struct xray_log *log = pass->log;
    result->lanes = calloc(log->threads.count + 1, sizeof *result->lanes);
    pass->counts = calloc(log->threads.count + 1, sizeof *pass->counts);
    if (!result->lanes || !pass->counts)
        return false;
    result->lane_count = log->threads.count;
    for (size_t i = 0; i < result->lane_count; i++) {
        _Static_assert(XRAY_THREAD_NAME_BYTES <= LIMIT_LANE_NAME_BYTES + 1, "names fit");
        xray_thread_name(log, &log->threads.items[i], result->lanes[i].name);
        clip_init(&result->lanes[i].clip, &pass->range, &call_consumer_none);
    }
    return true;
}

void xray_pass_sum_up(struct xray_pass *pass, struct pass_result *result)
{
    struct xray_lane_counts *sum = &pass->counts[result->lane_count];
    for (const struct xray_lane_counts *counts = pass->counts; counts < sum; counts++) {
        sum->calls += counts->calls;
        xray_exits_merge(&sum->exits, &counts->exits);
        sum->unmatched_entries += counts->unmatched_entries;
        sum->tail_exits += counts->tail_exits;
        sum->arguments += counts->arguments;
        sum->custom_events += counts->custom_events;
        sum->typed_events += counts->typed_events;
        sum->falling_times += counts->falling_times;
    }
    result->bytes = pass->log->size_bytes;
    result->chunks = pass->log->buffers.count;
    result->damaged_lines = pass->damage.count;
    result->damaged_bytes = pass->damage.size_bytes;
}

enum status xray_pass_run(struct xray_pass *pass, struct pass_result *result, void *self,
                          xray_walk *walk, struct error *err)
{
    struct crew crew = {.pass = pass, .self = self, .walk = walk};
    uint64_t start_ns = monotonic_ns();
    *result = (struct pass_result){0};
    pass->result = result;
    if (!pass->index)
        pass->damage = pass->log->damage;
    pthread_mutex_init(&crew.lock, NULL);
    large_pages_begin();
    bool has_memory =
        xray_pass_begin_lanes(pass, result) &&
        parallel_run(pass->index ? 1 : pass->threads, result->lane_count, &crew, walk_lane);
    pthread_mutex_destroy(&crew.lock);
    free(crew.rows.block);
    if (has_memory)
        xray_pass_sum_up(pass, result);
    result->wall_ns = monotonic_ns() - start_ns;
    if (crew.rows_error.status != STATUS_OK) {
        *err = crew.rows_error;
        return err->status;
    }
    return has_memory ? STATUS_OK : error_set(err, STATUS_MEMORY, "no memory for the calls");
}

// The number of calls of the lane that were unwound: those that did not return, except for those
// that contain its last event. False: the index is damaged.
static bool recall_unwound(struct trawl_index *index, uint64_t number,
                           const struct trawl_lane *about, uint64_t *unwound, struct error *err)
{
    struct trawl_call call = {0};
    *unwound = 0;
    if (!about->calls_unreturned || !about->events)
        return true;
    struct trawl_error from;
    enum trawl_status status = trawl_call_at(index, number, about->events - 1, &call, &from);
    uint64_t open = status == TRAWL_OK ? call.depth : 0;
    *unwound = about->calls_unreturned - u64_min(open, about->calls_unreturned);
    return status == TRAWL_NOT_FOUND || index_status(status, &from, err) == STATUS_OK;
}

enum status xray_pass_recall(struct xray_pass *pass, struct pass_result *result, struct error *err)
{
    *result = (struct pass_result){0};
    pass->result = result;
    if (!xray_pass_begin_lanes(pass, result))
        return error_set(err, STATUS_MEMORY, "no memory for the threads of the log");
    for (size_t i = 0; i < result->lane_count; i++) {
        struct trawl_lane about;
        struct trawl_error from;
        struct lane_result *lane = &result->lanes[i];
        enum status status = index_status(trawl_lane(pass->index, i, &about, &from), &from, err);
        if (status != STATUS_OK)
            return status;
        lane->events = lane->nodes = lane->instructions = about.events;
        pass->counts[i] = pass->known[i];
        pass->counts[i].calls = about.calls_returned;
        pass->counts[i].exits.unmatched = about.calls_dropped;
        pass->counts[i].unmatched_entries = about.calls_unreturned;
        if (!recall_unwound(pass->index, i, &about, &pass->counts[i].exits.unwound, err))
            return err->status;
    }
    xray_pass_sum_up(pass, result);
    return STATUS_OK;
}

void xray_pass_free(struct xray_pass *pass)
{
    free(pass->counts);
    free(pass->buffer_events);
    pass->counts = NULL;
    pass->buffer_events = NULL;
}

// --- Calls ---------------------------------------------------------------------------------------

// Passes the calls of one thread to the consumer: `contents` has what happened in each open call,
// in the form of the consumer.
struct feed {
    const struct xray_pass *pass;
    struct lane_result *result;
    struct call_consumer consumer;
    VEC(, struct call_content) contents;
};

static struct node_ref node_of(uint64_t event, uint64_t time, uint64_t offset, uint32_t function)
{
    return (struct node_ref){event, time, offset, offset, function_pc(function)};
}

// The content to which current events belong.
static struct call_content *around(struct feed *feed)
{
    return feed->contents.count ? &feed->contents.items[feed->contents.count - 1]
                                : &feed->result->calls;
}

// When a call that straddles an end of the range ends, passes that end to the clip.
static void pass_clip(struct feed *feed, const struct xray_lane *lane,
                      const struct xray_record *record)
{
    struct clip *clip = &feed->result->clip;
    const struct node_ref here =
        node_of(lane->events - 1, lane->time, record->offset, record->function);
    if (!call_range_is_all(&clip->range))
        clip_pass(clip, &here);
}

// Folds the innermost open call, which ends at the lane's current record; `how` is enum call_how.
static bool fold(struct feed *feed, const struct xray_lane *lane, const struct xray_call *frame,
                 uint64_t exit_offset, uint8_t how, bool is_open)
{
    uint32_t function = xray_function(frame->who);
    const struct node_ref exit = node_of(lane->events - 1, lane->time, exit_offset, function);
    const struct node_ref entry =
        node_of(frame->path, frame->tsc, xray_lane_offset(lane, frame), function);
    const struct call call = {.site = entry,
                              .entry = entry,
                              .exit = exit,
                              .resume = exit,
                              .how = how,
                              .is_open = is_open};
    const struct call_content inner = feed->contents.items[--feed->contents.count];
    return feed->consumer.fold(feed->consumer.self, around(feed), &call, &inner);
}

// Merges the content of the innermost open call into the one around it.
static bool melt(struct feed *feed)
{
    const struct call_content inner = feed->contents.items[--feed->contents.count];
    return feed->consumer.merge(feed->consumer.self, around(feed), &inner);
}

static bool add_visit(struct feed *feed, const struct xray_call *frame, uint64_t offset)
{
    const struct watch_list *watch = &feed->pass->watch;
    uint64_t pc = function_pc(xray_function(frame->who));
    const uint64_t *found = bsearch(&pc, watch->addresses, watch->count, sizeof pc, u64_compare);
    if (!found)
        return true;
    const struct visit visit = {(uint32_t)(found - watch->addresses), frame->path, frame->tsc,
                                offset, offset};
    return visit_log_add(&feed->result->visits, &visit, 1, watch->count, 0);
}

static bool on_enter(void *self, struct xray_lane *lane, struct xray_call *frame,
                     const struct xray_record *record)
{
    struct feed *feed = self;
    if (feed->pass->watch.count && !add_visit(feed, frame, record->offset))
        return false;
    if (!feed->consumer.fold)
        return true;
    pass_clip(feed, lane, record);
    if (!VEC_ROOM(&feed->contents, 1))
        return false;
    feed->contents.items[feed->contents.count++] = (struct call_content){0};
    return true;
}

static bool on_leave(void *self, struct xray_lane *lane, const struct xray_call *frame,
                     const struct xray_record *record, bool is_unwound)
{
    struct feed *feed = self;
    pass_clip(feed, lane, record);
    if (!feed->consumer.fold)
        return true;
    if (is_unwound && feed->pass->returned_only)
        return melt(feed);
    uint8_t how = xray_how_ended(record->kind, is_unwound);
    return fold(feed, lane, frame, record->offset, how, false);
}

// An exit that closes nothing is recorded as a call without duration.
static bool on_unmatched(void *self, struct xray_lane *lane, const struct xray_record *record)
{
    struct feed *feed = self;
    const struct node_ref exit =
        node_of(lane->events - 1, lane->time, record->offset, record->function);
    const struct call call = {
        .site = exit, .entry = exit, .exit = exit, .resume = exit, .has_no_entry = true};
    const struct call_content nothing = {0};
    pass_clip(feed, lane, record);
    return !feed->consumer.fold ||
           feed->consumer.fold(feed->consumer.self, around(feed), &call, &nothing);
}

static bool fold_open(struct feed *feed, const struct xray_lane *lane)
{
    for (size_t i = xray_match_depth(&lane->match); i > 0; i--) {
        if (!(feed->pass->returned_only
                  ? melt(feed)
                  : fold(feed, lane, xray_lane_call(lane, i - 1), lane->last_offset, 0, true)))
            return false;
    }
    return true;
}

struct calls {
    struct xray_pass *pass;
    struct call_consumer consumer;
};

static bool walk_calls(void *self, unsigned worker, struct xray_lane *lane, size_t number)
{
    static const struct xray_visitor visitor = {on_enter, on_leave, on_unmatched, NULL};
    const struct calls *calls = self;
    struct lane_result *result = &calls->pass->result->lanes[number];
    struct feed feed = {.pass = calls->pass, .result = result};
    (void)worker;
    result->clip.consumer = calls->consumer;
    if (calls->consumer.fold)
        feed.consumer = clip_consumer(&result->clip);
    bool has_memory = xray_lane_walk(lane, &feed, &visitor);
    if (has_memory && feed.consumer.fold)
        has_memory = fold_open(&feed, lane);
    free(feed.contents.items);
    return has_memory;
}

enum status xray_pass_run_calls(struct xray_pass *pass, const struct call_consumer *consumer,
                                struct pass_result *result, struct error *err)
{
    struct calls calls = {pass, consumer ? *consumer : (struct call_consumer){0}};
    unsigned threads = pass->threads;
    if (calls.consumer.fold)
        pass->threads = 1;
    enum status status = xray_pass_run(pass, result, &calls, walk_calls, err);
    pass->threads = threads;
    return status;
}
