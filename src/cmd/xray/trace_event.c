// The trace events of Chrome, which Perfetto and speedscope read too: a beginning and an end for
// each call, in the order of time.
//
// Nearly all of a line is the same for all calls of a function, or all of a thread, and is made
// once. Numbers are numbers (llvm-xray quotes them, and speedscope then sorts them as texts), times
// have all their digits, and each thread's calls nest: an exit of a function further down ends all
// calls above it, one of a function that is not open is left out, and what is open at the end stays
// open.
#include "cmd/xray/convert.h"

#include "analysis/xray_stacks.h"
#include "pipeline/xray_match.h"
#include "report/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Frequencies from here on need wider arithmetic.
#define FREQUENCY_SHORT_HZ (UINT64_C(1) << 34)

enum { THREAD_TEXT_BYTES = 64 };

// `    { "name" : "..", "ph" : "` of a function, escaped.
struct name_text {
    size_t start, length; // in the text of all
};

struct thread_state {
    struct xray_match match;
    char text[THREAD_TEXT_BYTES]; // `", "tid" : 1, "pid" : 2, "ts" : `
    size_t text_length;
};

// A call begins or ends. Its place, and that of the call around it, are a stack, or that of an
// event of the same batch.
struct event {
    uint64_t tsc, path;
    uint32_t thread, function, place;
    uint32_t outer; // of a beginning
    char phase;     // 'B' or 'E'
    size_t depth;   // of a beginning
};

struct writer {
    struct xray_input *input;
    struct out *out;
    struct thread_state *threads;
    struct xray_stack_tree tree;
    struct event events[XRAY_BATCH];
    uint32_t stacks[XRAY_BATCH]; // of events
    size_t event_count;
    VEC(, struct name_text) names;
    struct out text;              // of all names
    struct latency_table numbers; // of functions: the row is the number of the name
    uint64_t unmatched_exits;
    bool has_events;
};

// --- Names ---------------------------------------------------------------------------------------

static bool make_name(struct writer *writer, uint32_t function)
{
    struct json json;
    if (!VEC_ROOM(&writer->names, 1))
        return false;
    size_t start = (size_t)out_position(&writer->text);
    out_text(&writer->text, "    { \"name\" : ");
    json_begin(&json, &writer->text, 0);
    json_text(&json, xray_convert_name(writer->input, function));
    out_text(&writer->text, ", \"ph\" : \"");
    writer->names.items[writer->names.count++] =
        (struct name_text){start, (size_t)out_position(&writer->text) - start};
    return !out_failed(&writer->text);
}

// The number of a function's name, UINT32_MAX without memory.
static uint32_t name_of(struct writer *writer, uint32_t function)
{
    const struct latency *row = latency_find(&writer->numbers, function);
    if (!row) {
        row = latency_row(&writer->numbers, function);
        if (!row || !make_name(writer, function))
            return UINT32_MAX;
    }
    return (uint32_t)(row - writer->numbers.rows.items);
}

// --- Events --------------------------------------------------------------------------------------

// Microseconds with three decimals, cut; ticks as they are where the log does not tell the
// frequency.
static void put_time(struct out *out, uint64_t ticks, uint64_t frequency_hz)
{
    uint64_t micros = ticks, nanos = 0;
    if (frequency_hz == 1000000000) {
        micros = ticks / 1000;
        nanos = ticks % 1000;
    } else if (frequency_hz) {
        uint64_t rest = ticks % frequency_hz;
        uint64_t all_nanos = frequency_hz < FREQUENCY_SHORT_HZ
                                 ? rest * 1000000000 / frequency_hz
                                 : (uint64_t)((unsigned __int128)rest * 1000000000 / frequency_hz);
        micros = ticks / frequency_hz * 1000000 + all_nanos / 1000;
        nanos = all_nanos % 1000;
    }
    out_u64(out, micros);
    char *room = out_room(out, 4);
    room[0] = '.';
    room[1] = (char)('0' + nanos / 100);
    room[2] = (char)('0' + nanos / 10 % 10);
    room[3] = (char)('0' + nanos % 10);
    out_commit(out, 4);
}

// False: no memory.
static bool put_event(struct writer *writer, const struct event *event, uint32_t stack)
{
    struct out *out = writer->out;
    const struct thread_state *thread = &writer->threads[event->thread];
    uint32_t number = name_of(writer, event->function);
    if (number == UINT32_MAX)
        return false;
    const struct name_text *name = &writer->names.items[number];
    if (writer->has_events)
        out_bytes(out, ",\n", 2);
    writer->has_events = true;
    out_bytes(out, writer->text.buffer + name->start, name->length);
    out_byte(out, event->phase);
    out_bytes(out, thread->text, thread->text_length);
    put_time(out, event->tsc, writer->input->log.header.frequency_hz);
    out_bytes(out, ", \"sf\" : ", 9);
    out_u64(out, stack - 1);
    out_bytes(out, " }", 2);
    return true;
}

// --- Batches of events ---------------------------------------------------------------------------

static uint32_t stack_of(const struct writer *writer, uint32_t place)
{
    return place & XRAY_PLACE_NEW ? writer->stacks[place % XRAY_PLACE_NEW] : place;
}

// A call that goes on behind the batch has to know its stack.
static void keep_stack(struct writer *writer, const struct event *event, uint32_t stack)
{
    struct xray_match *match = &writer->threads[event->thread].match;
    struct xray_call *call = &match->calls.items[event->depth];
    if (event->depth < match->calls.count && xray_place(call->who) == event->place)
        call->who = xray_who_of(event->function, stack);
}

// Writes the events of the batch. False: no memory.
static bool flush(struct writer *writer)
{
    for (size_t i = 0; i < writer->event_count; i++)
        xray_stacks_fetch_slot(&writer->tree, writer->events[i].path);
    for (size_t i = 0; i < writer->event_count; i++)
        xray_stacks_fetch(&writer->tree, writer->events[i].path);
    for (size_t i = 0; i < writer->event_count; i++) {
        const struct event *event = &writer->events[i];
        uint32_t stack = event->place;
        if (event->phase == 'B')
            stack = xray_stack_by_path(&writer->tree, stack_of(writer, event->outer),
                                       event->function, event->path);
        else
            stack = stack_of(writer, event->place);
        writer->stacks[i] = stack;
        if (stack == XRAY_NO_STACK || !put_event(writer, event, stack))
            return false;
        if (event->phase == 'B')
            keep_stack(writer, event, stack);
    }
    writer->event_count = 0;
    return true;
}

static struct event *add_event(struct writer *writer)
{
    if (writer->event_count == XRAY_BATCH && !flush(writer))
        return NULL;
    return &writer->events[writer->event_count++];
}

static bool enter(struct writer *writer, uint32_t thread, const struct xray_record *record)
{
    struct event *event = add_event(writer);
    if (!event)
        return false;
    struct xray_match *match = &writer->threads[thread].match;
    const struct xray_call *outer = xray_match_top(match);
    *event = (struct event){.tsc = record->tsc,
                            .path = xray_path(outer->path, record->function),
                            .thread = thread,
                            .function = record->function,
                            .place = XRAY_PLACE_NEW | (uint32_t)(event - writer->events),
                            .outer = xray_place(outer->who),
                            .phase = 'B',
                            .depth = match->calls.count};
    const struct xray_call call = {event->tsc, xray_who_of(event->function, event->place),
                                   event->path};
    return xray_match_enter(match, &call);
}

static bool leave(struct writer *writer, uint32_t thread, const struct xray_record *record)
{
    struct xray_match *match = &writer->threads[thread].match;
    uint64_t left = xray_match_exit(match, record->function, true);
    writer->unmatched_exits += left == UINT64_MAX;
    while (xray_match_depth(match) > left) {
        struct event *event = add_event(writer);
        if (!event)
            return false;
        const struct xray_call call = xray_match_leave(match);
        *event = (struct event){.tsc = record->tsc,
                                .path = call.path,
                                .thread = thread,
                                .function = xray_function(call.who),
                                .place = xray_place(call.who),
                                .phase = 'E'};
    }
    return !match->open.lacks_memory;
}

static bool put_events(struct writer *writer, struct xray_merge *merge)
{
    const struct xray_item *item;
    while (!out_failed(writer->out) && (item = xray_merge_next(merge))) {
        if (!xray_is_function(item->record.kind))
            continue;
        if (!(xray_is_enter(item->record.kind) ? enter : leave)(writer, item->thread,
                                                                &item->record))
            return false;
    }
    return flush(writer);
}

// --- Stack frames --------------------------------------------------------------------------------

static void put_stacks(struct writer *writer)
{
    struct out *out = writer->out;
    out_text(out, "\n  ],\n  \"displayTimeUnit\": \"ns\",\n  \"stackFrames\": {");
    for (size_t i = 1; i < writer->tree.stacks.count && !out_failed(out); i++) {
        const struct xray_stack *stack = &writer->tree.stacks.items[i];
        struct json json;
        out_text(out, i > 1 ? ",\n    \"" : "\n    \"");
        out_u64(out, i - 1);
        out_text(out, "\" : { \"name\" : ");
        json_begin(&json, out, 0);
        json_text(&json, xray_convert_name(writer->input, stack->function));
        if (stack->parent) {
            out_text(out, ", \"parent\": ");
            out_u64(out, stack->parent - 1);
        }
        out_text(out, " }");
    }
    out_text(out, "\n  }\n}\n");
}

// -------------------------------------------------------------------------------------------------

static bool begin(struct writer *writer)
{
    const struct xray_log *log = &writer->input->log;
    struct error err;
    writer->threads = calloc(log->threads.count + 1, sizeof *writer->threads);
    if (out_open_memory(&writer->text, &err) != STATUS_OK || !writer->threads ||
        !xray_stacks_begin(&writer->tree))
        return false;
    for (size_t i = 0; i < log->threads.count; i++) {
        struct thread_state *thread = &writer->threads[i];
        thread->text_length =
            (size_t)snprintf(thread->text, sizeof thread->text,
                             "\", \"tid\" : %" PRIu32 ", \"pid\" : %" PRIu32 ", \"ts\" : ",
                             log->threads.items[i].tid, log->threads.items[i].pid);
        if (!xray_match_begin(&thread->match, writer->tree.stacks.items[0].path, 0))
            return false;
    }
    return true;
}

static void end(struct writer *writer)
{
    for (size_t i = 0; i < writer->input->log.threads.count && writer->threads; i++)
        xray_match_free(&writer->threads[i].match);
    free(writer->threads);
    free(writer->names.items);
    latency_table_free(&writer->numbers);
    xray_stacks_free(&writer->tree);
    out_abandon(&writer->text);
}

bool xray_write_trace_event(struct xray_input *input, struct xray_merge *merge, struct out *out,
                            uint64_t *unmatched_exits)
{
    struct writer writer = {.input = input, .out = out};
    out_text(out, "{\n  \"traceEvents\": [\n");
    bool is_whole = begin(&writer) && put_events(&writer, merge);
    if (is_whole)
        put_stacks(&writer);
    *unmatched_exits = writer.unmatched_exits;
    end(&writer);
    return is_whole;
}
