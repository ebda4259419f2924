// The trace events of Chrome, which Perfetto and speedscope read too: a beginning and an end for
// each call, in the order of time.
//
// Nearly all of a line is the same for all calls of a function, or all of a thread, and is made
// once. Numbers are numbers (llvm-xray quotes them, and speedscope then sorts them as texts), times
// have all their digits, and each thread's calls nest: an exit of a function further down ends all
// calls above it, one of a function that is not open is left out, and what is open at the end stays
// open.
#include "cmd/xray/convert.h"

#include "analysis/open_functions.h"
#include "analysis/xray_stacks.h"
#include "report/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Frequencies from here on need wider arithmetic.
#define FREQUENCY_SHORT_HZ (UINT64_C(1) << 34)

enum { THREAD_TEXT_BYTES = 64 };

struct frame {
    uint32_t function, stack, name;
};

// `    { "name" : "..", "ph" : "` of a function, escaped.
struct name_text {
    size_t start, length; // in the text of all
};

struct thread_state {
    VEC(, struct frame) frames;
    struct open_functions open;   // in frames
    char text[THREAD_TEXT_BYTES]; // `", "tid" : 1, "pid" : 2, "ts" : `
    size_t text_length;
};

struct writer {
    struct xray_input *input;
    struct out *out;
    struct thread_state *threads;
    struct xray_stack_tree tree;
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

static void put_event(struct writer *writer, const struct thread_state *thread,
                      const struct frame *frame, char phase, uint64_t tsc)
{
    struct out *out = writer->out;
    const struct name_text *name = &writer->names.items[frame->name];
    if (writer->has_events)
        out_bytes(out, ",\n", 2);
    writer->has_events = true;
    out_bytes(out, writer->text.buffer + name->start, name->length);
    out_byte(out, phase);
    out_bytes(out, thread->text, thread->text_length);
    put_time(out, tsc, writer->input->log.header.frequency_hz);
    out_bytes(out, ", \"sf\" : ", 9);
    out_u64(out, frame->stack - 1);
    out_bytes(out, " }", 2);
}

static bool enter(struct writer *writer, struct thread_state *thread,
                  const struct xray_record *record)
{
    size_t depth = thread->frames.count;
    uint32_t parent = depth ? thread->frames.items[depth - 1].stack : 0;
    struct frame frame = {.function = record->function};
    frame.stack = xray_stack_child(&writer->tree, parent, record->function);
    frame.name = name_of(writer, record->function);
    if (frame.stack == XRAY_NO_STACK || frame.name == UINT32_MAX || !VEC_ROOM(&thread->frames, 1))
        return false;
    thread->frames.items[thread->frames.count++] = frame;
    put_event(writer, thread, &frame, 'B', record->tsc);
    return true;
}

// The number of calls that are left with the innermost of a function; 0: none.
static size_t find(struct thread_state *thread, uint32_t function)
{
    size_t depth = thread->frames.count;
    if (LIKELY(depth && thread->frames.items[depth - 1].function == function))
        return depth;
    return depth ? open_functions_find(&thread->open, &thread->frames.items->function,
                                       sizeof *thread->frames.items, depth, function)
                 : 0;
}

static void leave(struct writer *writer, struct thread_state *thread,
                  const struct xray_record *record)
{
    size_t found = find(thread, record->function);
    writer->unmatched_exits += !found;
    while (found && thread->frames.count >= found) {
        const struct frame *frame = &thread->frames.items[--thread->frames.count];
        open_functions_closed(&thread->open, thread->frames.count, frame->function);
        put_event(writer, thread, frame, 'E', record->tsc);
    }
}

static bool put_events(struct writer *writer, struct xray_merge *merge)
{
    const struct xray_item *item;
    while (!out_failed(writer->out) && (item = xray_merge_next(merge))) {
        struct thread_state *thread = &writer->threads[item->thread];
        if (!xray_is_function(item->record.kind))
            continue;
        if (!xray_is_enter(item->record.kind))
            leave(writer, thread, &item->record);
        else if (!enter(writer, thread, &item->record))
            return false;
    }
    return true;
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
    if (out_open_memory(&writer->text, &err) != STATUS_OK || !writer->threads)
        return false;
    for (size_t i = 0; i < log->threads.count; i++) {
        struct thread_state *thread = &writer->threads[i];
        thread->text_length =
            (size_t)snprintf(thread->text, sizeof thread->text,
                             "\", \"tid\" : %" PRIu32 ", \"pid\" : %" PRIu32 ", \"ts\" : ",
                             log->threads.items[i].tid, log->threads.items[i].pid);
    }
    return xray_stacks_begin(&writer->tree);
}

static void end(struct writer *writer)
{
    for (size_t i = 0; i < writer->input->log.threads.count && writer->threads; i++) {
        open_functions_free(&writer->threads[i].open);
        free(writer->threads[i].frames.items);
    }
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
