// Trace events of an XRay log, written as its records are read: nothing is kept but the open calls.
#include "cmd/xray/export.h"

#include "cmd/trace_pass.h"

#include "trace/xray/xray.h"

#include <stdlib.h>
#include <unistd.h>

// Where a lane stands to the range that is asked for. Neither times nor events of it fall.
enum range_state { RANGE_BEFORE, RANGE_IN, RANGE_BEHIND };

struct lane_export {
    struct exporter *exporter;
    const struct call_range *range;
    enum range_state state;
};

static bool is_shown(const struct exporter *exporter, size_t frame)
{
    return exporter->levels.items[frame].is_shown;
}

// The range begins: calls that are open already begin there.
static bool enter_range(const struct lane_export *self, const struct xray_lane *lane, size_t open)
{
    struct exporter *exporter = self->exporter;
    uint64_t time = u64_max(self->range->first_time, lane->wanted_times[0]);
    for (size_t i = 0; i < open; i++) {
        if (!is_shown(exporter, i))
            continue;
        exporter->has_shown = true;
        if (!trace_events_enter(&exporter->events, time,
                                function_pc(xray_function(xray_lane_call(lane, i)->who))))
            return false;
        trace_events_mark(&exporter->events, "clipped");
    }
    return true;
}

// Ends open calls at `time`, marked so.
static void leave_all(const struct lane_export *self, size_t open, uint64_t time, const char *mark)
{
    for (size_t i = open; i > 0; i--) {
        if (!is_shown(self->exporter, i - 1))
            continue;
        trace_events_leave(&self->exporter->events, time);
        trace_events_mark(&self->exporter->events, mark);
    }
}

// Takes note of the function record in hand, before which `open` calls were open.
static bool advance(struct lane_export *self, const struct xray_lane *lane, size_t open)
{
    const struct call_range *range = self->range;
    uint64_t event = lane->events - 1;
    if (self->state == RANGE_BEFORE && lane->time >= range->first_time &&
        event >= range->first_event) {
        self->state = RANGE_IN;
        if (!enter_range(self, lane, open))
            return false;
    }
    if (self->state == RANGE_IN && (lane->time > range->last_time || event > range->last_event)) {
        self->state = RANGE_BEHIND;
        leave_all(self, open, u64_min(range->last_time, lane->wanted_times[1]), "clipped");
    }
    return true;
}

static bool on_enter(void *context, struct xray_lane *lane, struct xray_call *call,
                     const struct xray_record *record)
{
    struct lane_export *self = context;
    struct exporter *exporter = self->exporter;
    uint64_t pc = function_pc(xray_function(call->who));
    (void)record;
    if (!advance(self, lane, xray_match_depth(&lane->match) - 1) || !export_enter(exporter, pc))
        return false;
    if (self->state != RANGE_IN || !is_shown(exporter, xray_match_depth(&lane->match) - 1))
        return true;
    exporter->has_shown = true;
    return trace_events_enter(&exporter->events, call->tsc, pc);
}

static bool on_leave(void *context, struct xray_lane *lane, const struct xray_call *call,
                     const struct xray_record *record, bool is_unwound)
{
    struct lane_export *self = context;
    (void)call, (void)record;
    if (!advance(self, lane, xray_match_depth(&lane->match)))
        return false;
    if (self->state == RANGE_IN && is_shown(self->exporter, xray_match_depth(&lane->match) - 1)) {
        trace_events_leave(&self->exporter->events, lane->time);
        if (is_unwound)
            trace_events_mark(&self->exporter->events, "deduced");
    }
    self->exporter->levels.count--;
    return !out_failed(self->exporter->out);
}

static bool on_unmatched(void *context, struct xray_lane *lane, const struct xray_record *record)
{
    struct lane_export *self = context;
    struct exporter *exporter = self->exporter;
    if (!advance(self, lane, xray_match_depth(&lane->match)))
        return false;
    if (self->state != RANGE_IN || exporter->command->session.filter.function)
        return true;
    exporter->has_shown = true;
    trace_events_instant(
        &exporter->events, lane->time, "exit without entry",
        names_of(&exporter->command->session.names, function_pc(record->function)));
    return true;
}

static bool on_other(void *context, struct xray_lane *lane, const struct xray_record *record)
{
    struct lane_export *self = context;
    struct exporter *exporter = self->exporter;
    size_t open = xray_match_depth(&lane->match);
    bool is_call_shown =
        open ? is_shown(exporter, open - 1) : !exporter->command->session.filter.function;
    bool is_in =
        self->state == RANGE_IN || (self->state == RANGE_BEFORE && self->range->first_event == 0);
    if (!is_in || !is_call_shown)
        return true;
    bool is_typed = record->kind == XRAY_TYPED_EVENT;
    bool is_event = is_typed || record->kind == XRAY_CUSTOM_EVENT;
    if (record->kind == XRAY_ARGUMENT && open &&
        xray_lane_call(lane, open - 1)->path + 1 == lane->events)
        trace_events_argument(&exporter->events, record->value);
    if (!is_event || record->tsc < self->range->first_time || record->tsc > self->range->last_time)
        return true;
    exporter->has_shown = true;
    trace_events_instant(&exporter->events, record->tsc, is_typed ? "typed event" : "custom event",
                         NULL);
    trace_events_payload(&exporter->events, record->payload, record->payload_bytes);
    if (is_typed)
        trace_events_type(&exporter->events, record->number);
    return true;
}

static bool walk_lane(void *context, unsigned worker, struct xray_lane *lane, size_t number)
{
    static const struct xray_visitor visitor = {on_enter, on_leave, on_unmatched, on_other};
    struct exporter *exporter = context;
    struct trace_command *command = exporter->command;
    const struct xray_thread *thread = &xray_of(command->session.trace)->log.threads.items[number];
    const char *name = command->session.result.lanes[number].name;
    struct lane_export self = {.exporter = exporter, .range = &command->session.filter.range};
    (void)worker;
    if (command->session.filter.lane && strcmp(command->session.filter.lane, name) != 0)
        return xray_lane_read(lane);
    trace_events_lane(&exporter->events, thread->pid, thread->tid, name);
    exporter->levels.count = 0;
    if (!xray_lane_walk(lane, &self, &visitor))
        return out_failed(exporter->out);
    if (self.state == RANGE_IN)
        leave_all(&self, xray_match_depth(&lane->match), lane->time, "open");
    return true;
}

static enum status walk_all(void *self, struct trace *trace, const struct pass_options *options,
                            const struct pass_observer *observer, struct pass_result *result,
                            struct error *err)
{
    (void)observer;
    return xray_walk_all(xray_of(trace), options, 1, self, walk_lane, result, err);
}

static bool walk_log(struct exporter *exporter, enum exit_status *status)
{
    struct trace_command *command = exporter->command;
    struct pass_request request = session_calls(&command->session, NULL, NULL);
    request.self = exporter;
    request.run = walk_all;
    command->session.needs_trace = true; // arguments and payloads are in the log alone
    if (isatty(STDOUT_FILENO))           // which the walk may write to
        command->session.trace->meter = METER_OFF;
    return trace_command_request(command, &request, status);
}

enum exit_status xray_export_events(struct exporter *exporter)
{
    struct trace_command *command = exporter->command;
    const struct xray_log *log = &xray_of(command->session.trace)->log;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    exporter->out = &out;
    if (!trace_command_output(command, &out, &status))
        return status;
    trace_events_begin(&exporter->events, &out, &command->session.names, log->header.frequency_hz,
                       xray_log_start(log));
    bool is_done = walk_log(exporter, &status);
    trace_events_end(&exporter->events);
    if (is_done && trace_command_has_shown(command, exporter->has_shown, &status))
        return trace_command_end(command, &out);
    out_abandon(&out);
    return status;
}
