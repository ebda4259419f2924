// Passes the calls of a log to a sink as its records are read, with arguments, payloads and
// unmatched exits. Only the open calls are stored.
#include "trace/xray/pass.h"

// Stores the result of the sink.
static bool told(struct xray_call_stream *stream, bool goes_on)
{
    stream->is_stopped = !goes_on;
    return goes_on;
}

static bool enter(struct xray_call_stream *stream, uint64_t time, xray_who who)
{
    return told(stream,
                stream->sink->enter(stream->sink->self, time, function_pc(xray_function(who)), 0));
}

static bool leave(struct xray_call_stream *stream, uint64_t time)
{
    return told(stream, stream->sink->leave(stream->sink->self, time));
}

// The range begins: open calls begin there.
static bool enter_range(struct xray_call_stream *stream, const struct xray_lane *lane, size_t open)
{
    uint64_t time = u64_max(stream->range->first_time, lane->wanted_times[0]);
    for (size_t i = 0; i < open; i++) {
        if (!enter(stream, time, xray_lane_call(lane, i)->who))
            return false;
        call_sink_mark(stream->sink, "clipped");
    }
    return true;
}

// Ends open calls at `time`, with a mark.
static bool leave_all(struct xray_call_stream *stream, size_t open, uint64_t time, const char *mark)
{
    for (size_t i = open; i > 0; i--) {
        if (!leave(stream, time))
            return false;
        call_sink_mark(stream->sink, mark);
    }
    return true;
}

// Handles the current function record, before which `open` calls were open.
static bool advance(struct xray_call_stream *stream, const struct xray_lane *lane, size_t open)
{
    const struct call_range *range = stream->range;
    uint64_t event = lane->events - 1;
    if (stream->state == XRAY_RANGE_BEFORE && lane->time >= range->first_time &&
        event >= range->first_event) {
        stream->state = XRAY_RANGE_IN;
        if (!enter_range(stream, lane, open))
            return false;
    }
    if (stream->state == XRAY_RANGE_IN &&
        (lane->time > range->last_time || event > range->last_event)) {
        stream->state = XRAY_RANGE_AFTER;
        return leave_all(stream, open, u64_min(range->last_time, lane->wanted_times[1]), "clipped");
    }
    return true;
}

static bool on_enter(void *context, struct xray_lane *lane, struct xray_call *call,
                     const struct xray_record *record)
{
    struct xray_call_stream *stream = context;
    (void)record;
    if (!advance(stream, lane, xray_match_depth(&lane->match) - 1))
        return false;
    return stream->state != XRAY_RANGE_IN || enter(stream, call->tsc, call->who);
}

static bool on_leave(void *context, struct xray_lane *lane, const struct xray_call *call,
                     const struct xray_record *record, bool is_unwound)
{
    struct xray_call_stream *stream = context;
    (void)call;
    if (!advance(stream, lane, xray_match_depth(&lane->match)))
        return false;
    if (stream->state != XRAY_RANGE_IN)
        return true;
    if (!leave(stream, lane->time))
        return false;
    const char *word = call_end_word(xray_how_ended(record->kind, is_unwound));
    if (word)
        call_sink_mark(stream->sink, word);
    return true;
}

static bool on_unmatched(void *context, struct xray_lane *lane, const struct xray_record *record)
{
    struct xray_call_stream *stream = context;
    const struct call_instant instant = {
        .time = lane->time,
        .name = "exit without entry",
        .has_function = true,
        .pc = function_pc(record->function),
    };
    if (!advance(stream, lane, xray_match_depth(&lane->match)))
        return false;
    return stream->state != XRAY_RANGE_IN ||
           told(stream, call_sink_instant(stream->sink, &instant));
}

static bool on_other(void *context, struct xray_lane *lane, const struct xray_record *record)
{
    struct xray_call_stream *stream = context;
    const struct call_range *range = stream->range;
    bool is_typed = record->kind == XRAY_TYPED_EVENT;
    bool is_event = is_typed || record->kind == XRAY_CUSTOM_EVENT;
    size_t open = xray_match_depth(&lane->match);
    if (record->kind == XRAY_ARGUMENT && stream->state == XRAY_RANGE_IN && open &&
        xray_lane_call(lane, open - 1)->path + 1 == lane->events) // of the call just entered
        call_sink_argument(stream->sink, record->value);
    if (!is_event || record->tsc < range->first_time || record->tsc > range->last_time)
        return true;
    if (stream->state == XRAY_RANGE_BEFORE && range->first_event == 0) {
        stream->state = XRAY_RANGE_IN; // for what is in it before the first function record
        if (!enter_range(stream, lane, open))
            return false;
    }
    if (stream->state != XRAY_RANGE_IN)
        return true;
    const struct call_instant instant = {
        .time = record->tsc,
        .name = is_typed ? "typed event" : "custom event",
        .is_in_call = true,
        .payload = record->payload_bytes ? record->payload : (const void *)"",
        .payload_bytes = record->payload_bytes,
        .has_type = is_typed,
        .type = record->number,
    };
    return told(stream, call_sink_instant(stream->sink, &instant));
}

bool xray_stream_lane(void *context, unsigned worker, struct xray_lane *lane, size_t number)
{
    static const struct xray_visitor visitor = {on_enter, on_leave, on_unmatched, on_other};
    struct xray_call_stream *stream = context;
    const struct xray_thread *thread = &stream->log->threads.items[number];
    const struct call_lane about = {stream->result->lanes[number].name, thread->pid, thread->tid};
    (void)worker;
    if (stream->is_stopped)
        return true;
    if (stream->lane && strcmp(stream->lane, about.name) != 0)
        return xray_lane_read(lane);
    stream->state = XRAY_RANGE_BEFORE;
    if (!told(stream, stream->sink->lane(stream->sink->self, &about)))
        return true;
    if (!xray_lane_walk(lane, stream, &visitor))
        return stream->is_stopped;
    if (stream->state == XRAY_RANGE_IN)
        leave_all(stream, xray_match_depth(&lane->match), lane->time, "open");
    return true;
}
