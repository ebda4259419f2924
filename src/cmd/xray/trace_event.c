// The trace events of Chrome, which Perfetto and speedscope read too: a beginning and an end for
// each call, in the order of time.
//
// Nearly all of a line is the same for all calls of a function, or all of a thread, and is made
// once. Numbers are numbers (llvm-xray quotes them, so speedscope sorts them as texts), and times
// count from the first event, because a double would lose the nanoseconds of absolute times. Events
// are found in order, and formatted by several threads.
#include "cmd/xray/convert.h"

#include "base/ordered.h"
#include "cmd/xray/in_order.h"
#include "export/event_time.h"
#include "report/json.h"
#include "report/out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Texts are copied in steps of this many bytes, and have as many bytes after them.
enum { COPY_BYTES = 32 };

// Between events.
#define SEPARATOR ",\n"

enum { THREAD_TEXT_BYTES = 64, BLOCK_EVENTS = 16384 };

// The line without the name is shorter than this.
enum { LINE_BYTES_MAX = 256 };

// `    { "name" : "..", "ph" : "` of a function, escaped.
struct name {
    const char *text;
    size_t length;
};

struct thread_text {
    char text[THREAD_TEXT_BYTES + COPY_BYTES]; // `", "tid" : 1, "pid" : 2, "ts" : `
    size_t length;
    uint64_t tsc; // the highest so far
    // With has_moved, the time of its last event, which is after the time of this tick.
    struct event_time time;
    bool has_events, has_moved;
};

// The work of one thread.
struct block {
    size_t count;
    struct xray_event events[BLOCK_EVENTS];
    // For events whose time is not that of their ticks: 1 + its index here; otherwise 0.
    uint16_t moved[BLOCK_EVENTS];
    VEC(, struct event_time) moved_times;
    struct name names[BLOCK_EVENTS]; // of the functions of the events
    struct out text;
};

struct writer {
    struct xray_input *input;
    struct out *out;
    struct xray_events events;
    struct block *blocks; // of each thread that writes
    unsigned block_count;
    struct thread_text *threads;
    struct latency_table numbers; // of functions: the row is the place in `names`
    VEC(, struct name) names;
    struct arena arena;
    struct out scratch;
    uint64_t frequency_hz, start; // the tick that counts as 0
    bool tells_ticks;             // different ticks are different times
    bool has_events, lacks_memory;
    const struct xray_hider *hider;
    VEC(, bool) hidden; // of the stacks found so far
    uint64_t hidden_calls;
};

_Static_assert(BLOCK_EVENTS < UINT16_MAX, "places of moved times fit");

// --- Names ---------------------------------------------------------------------------------------

static bool make_name(struct writer *writer, uint32_t function)
{
    struct out *out = &writer->scratch;
    struct json json;
    out_clear(out);
    out_text(out, "    { \"name\" : ");
    json_begin(&json, out, 0);
    json_text(&json, xray_convert_name(writer->input, function));
    out_text(out, ", \"ph\" : \"");
    size_t length = (size_t)out_position(out);
    out_pad(out, COPY_BYTES);
    const char *text = arena_copy_string(&writer->arena, out_memory_text(out), length + COPY_BYTES);
    if (!text || !VEC_ROOM(&writer->names, 1))
        return false;
    writer->names.items[writer->names.count++] = (struct name){text, length};
    return !out_failed(out);
}

// NULL: no memory.
static ALWAYS_INLINE const struct name *name_of(struct writer *writer, uint32_t function)
{
    const struct latency *row = latency_find(&writer->numbers, function);
    if (UNLIKELY(!row)) {
        row = latency_row(&writer->numbers, function);
        if (!row || !make_name(writer, function))
            return NULL;
    }
    return &writer->names.items[row - writer->numbers.rows.items];
}

// --- Events --------------------------------------------------------------------------------------

// Copies up to COPY_BYTES - 1 bytes too many; returns the end of the copy.
static ALWAYS_INLINE char *put_text(char *at, const char *text, size_t length)
{
    for (size_t done = 0; done < length; done += COPY_BYTES)
        memcpy(at + done, text + done, COPY_BYTES);
    return at + length;
}

static ALWAYS_INLINE uint64_t ticks_of(const struct writer *writer, uint64_t tsc)
{
    return tsc > writer->start ? tsc - writer->start : 0;
}

static ALWAYS_INLINE void put_event(const struct writer *writer, struct out *out,
                                    const struct xray_event *event, struct name name,
                                    struct event_time time)
{
    const struct thread_text *thread = &writer->threads[event->thread];
    if (UNLIKELY(name.length > OUT_ROOM_BYTES_MAX - LINE_BYTES_MAX)) {
        out_bytes(out, name.text, name.length);
        name.length = 0;
    }
    char *room = out_room(out, name.length + LINE_BYTES_MAX);
    char *at = put_text(room, name.text, name.length);
    *at++ = event->is_end ? 'E' : 'B';
    at = put_text(at, thread->text, thread->length);
    at = event_time_put_fraction(decimal_put(at, time.micros), time);
    memcpy(at, ", \"sf\" : ", 9);
    at = decimal_put(at + 9, event->stack - 1);
    memcpy(at, " }" SEPARATOR, 4);
    out_commit(out, (size_t)(at + 4 - room));
}

// --- Blocks of events ----------------------------------------------------------------------------

// Moves the time of an event to after the previous one of its thread, if it is not.
static NEVER_INLINE bool move_time(const struct writer *writer, struct thread_text *thread,
                                   struct block *block, size_t at)
{
    uint64_t tsc = block->events[at].tsc;
    struct event_time time = event_time_of(ticks_of(writer, tsc), writer->frequency_hz);
    struct event_time last = thread->time;
    if (!thread->has_moved)
        last = event_time_of(ticks_of(writer, thread->tsc), writer->frequency_hz);
    thread->time = event_time_behind(last, time);
    thread->has_moved = event_time_is_before(time, thread->time);
    if (!thread->has_moved)
        return true;
    if (!VEC_ROOM(&block->moved_times, 1))
        return false;
    block->moved_times.items[block->moved_times.count++] = thread->time;
    block->moved[at] = (uint16_t)block->moved_times.count;
    return true;
}

static ALWAYS_INLINE bool take_time(const struct writer *writer, struct block *block, size_t at)
{
    const struct xray_event *event = &block->events[at];
    struct thread_text *thread = &writer->threads[event->thread];
    bool is_plain = event->tsc > thread->tsc && !thread->has_moved && writer->tells_ticks;
    bool is_taken = true;
    block->moved[at] = 0;
    if (UNLIKELY(!is_plain) && thread->has_events)
        is_taken = move_time(writer, thread, block, at);
    thread->has_events = true;
    thread->tsc = u64_max(thread->tsc, event->tsc);
    return is_taken;
}

// Reads the next events that are shown. False: no memory.
static bool read_block(struct writer *writer, struct block *block)
{
    do {
        block->count = xray_events_read(&writer->events, block->events, BLOCK_EVENTS);
        if (!writer->hider || !block->count)
            return true;
        // Finds which of the stacks are hidden: those of hidden functions, and what is below them.
        const struct xray_stack_tree *tree = &writer->events.stacks;
        size_t count = tree->stacks.count;
        if (!VEC_ROOM(&writer->hidden, count - writer->hidden.count))
            return false;
        for (size_t i = writer->hidden.count; i < count; i++) {
            const struct xray_stack *stack = &tree->stacks.items[i];
            writer->hidden.items[i] =
                i && (writer->hidden.items[stack->parent] ||
                      writer->hider->hides(writer->hider->self, stack->function));
        }
        writer->hidden.count = count;
        // Takes the events of hidden calls out of the block.
        size_t kept = 0;
        for (size_t i = 0; i < block->count; i++) {
            const struct xray_event event = block->events[i];
            uint32_t parent = writer->events.stacks.stacks.items[event.stack].parent;
            if (!writer->hidden.items[event.stack])
                block->events[kept++] = event;
            else
                writer->hidden_calls += !event.is_end && !writer->hidden.items[parent];
        }
        block->count = kept;
    } while (!block->count);
    return true;
}

static bool take_block(void *self, unsigned number)
{
    struct writer *writer = self;
    struct block *block = &writer->blocks[number];
    if (!read_block(writer, block)) {
        writer->lacks_memory = true;
        return false;
    }
    block->moved_times.count = 0;
    for (size_t i = 0; i < block->count; i++) {
        const struct name *name = name_of(writer, block->events[i].function);
        if (UNLIKELY(!name || !take_time(writer, block, i))) {
            writer->lacks_memory = true;
            return false;
        }
        block->names[i] = *name;
    }
    return block->count;
}

static void make_text(void *self, unsigned number)
{
    const struct writer *writer = self;
    struct block *block = &writer->blocks[number];
    out_clear(&block->text);
    for (size_t i = 0; i < block->count; i++) {
        const struct xray_event *event = &block->events[i];
        struct event_time time =
            LIKELY(!block->moved[i])
                ? event_time_of(ticks_of(writer, event->tsc), writer->frequency_hz)
                : block->moved_times.items[block->moved[i] - 1];
        put_event(writer, &block->text, event, block->names[i], time);
    }
}

// The last line of a block ends with the separator, which is written together with the next block.
static bool put_block(void *self, unsigned number)
{
    struct writer *writer = self;
    struct out *text = &writer->blocks[number].text;
    writer->lacks_memory |= out_failed(text);
    if (writer->lacks_memory)
        return false;
    if (writer->has_events)
        out_text(writer->out, SEPARATOR);
    writer->has_events = true;
    out_bytes(writer->out, out_memory_text(text), (size_t)out_position(text) - strlen(SEPARATOR));
    return !out_failed(writer->out);
}

// --- Stack frames --------------------------------------------------------------------------------

static void put_stacks(struct writer *writer)
{
    struct out *out = writer->out;
    out_text(out, "\n  ],\n  \"displayTimeUnit\": \"ns\",\n  \"otherData\": { \"start_ticks\": \"");
    out_u64(out, writer->start); // as text: readers keep fewer digits
    out_text(out, "\", \"ticks_per_second\": ");
    out_u64(out, writer->frequency_hz);
    out_text(out, " },\n  \"stackFrames\": {");
    bool has_stacks = false;
    for (size_t i = 1; i < writer->events.stacks.stacks.count && !out_failed(out); i++) {
        const struct xray_stack *stack = &writer->events.stacks.stacks.items[i];
        struct json json;
        if (i < writer->hidden.count && writer->hidden.items[i])
            continue;
        out_text(out, has_stacks ? ",\n    \"" : "\n    \"");
        has_stacks = true;
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

// --- Writing -------------------------------------------------------------------------------------

static bool begin_blocks(struct writer *writer, unsigned count)
{
    struct error err;
    writer->blocks = calloc(count, sizeof *writer->blocks);
    while (writer->blocks && writer->block_count < count) {
        if (out_open_memory(&writer->blocks[writer->block_count++].text, &err) != STATUS_OK)
            return false;
    }
    return writer->blocks != NULL;
}

static bool begin(struct writer *writer, const struct xray_trace_events *events)
{
    const struct xray_log *log = &events->input->log;
    struct error err;
    writer->threads = calloc(log->threads.count + 1, sizeof *writer->threads);
    if (out_open_memory(&writer->scratch, &err) != STATUS_OK ||
        !xray_events_begin(&writer->events, log, events->is_sorted) || !writer->threads ||
        !begin_blocks(writer, events->threads))
        return false;
    writer->start = xray_events_start(&writer->events);
    writer->tells_ticks = event_time_tells_ticks(writer->frequency_hz);
    for (size_t i = 0; i < log->threads.count; i++) {
        struct thread_text *thread = &writer->threads[i];
        thread->length =
            (size_t)snprintf(thread->text, THREAD_TEXT_BYTES,
                             "\", \"tid\" : %" PRIu32 ", \"pid\" : %" PRIu32 ", \"ts\" : ",
                             log->threads.items[i].tid, log->threads.items[i].pid);
    }
    return true;
}

bool xray_write_trace_events(struct xray_trace_events *events, struct out *out)
{
    static const struct ordered_work work = {take_block, make_text, put_block};
    struct writer writer = {.input = events->input,
                            .out = out,
                            .frequency_hz = events->input->log.header.frequency_hz,
                            .hider = events->hider};
    out_text(out, "{\n  \"traceEvents\": [\n");
    bool is_whole = begin(&writer, events);
    if (is_whole)
        ordered_run(events->threads, &writer, &work);
    is_whole = is_whole && !writer.lacks_memory && !writer.events.lacks_memory;
    if (is_whole)
        put_stacks(&writer);
    events->exits = writer.events.exits;
    events->damage = writer.events.damage;
    events->hidden_calls = writer.hidden_calls;
    for (unsigned i = 0; i < writer.block_count; i++) {
        out_abandon(&writer.blocks[i].text);
        free(writer.blocks[i].moved_times.items);
    }
    out_abandon(&writer.scratch);
    xray_events_free(&writer.events);
    free(writer.threads);
    free(writer.blocks);
    free(writer.names.items);
    free(writer.hidden.items);
    latency_table_free(&writer.numbers);
    arena_free(&writer.arena);
    return is_whole;
}
