#include "export/call_writers.h"

#include "report/json.h"

#include <stdlib.h>

struct trace_event_name {
    uint64_t pc;
    struct trace_event_text name; // with its quotes; NULL: free
};

// --- The file ------------------------------------------------------------------------------------

void trace_events_init(struct trace_events *events, struct out *out, struct names *names)
{
    *events = (struct trace_events){.out = out, .names = names};
}

static bool on_begin(void *self, uint64_t start, uint64_t hz)
{
    struct trace_events *events = self;
    struct out *out = events->out;
    events->start = start;
    events->hz = hz;
    events->is_begun = true;
    out_text(out, "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"start_ticks\": \"");
    out_u64(out, start); // as text: more digits than readers keep
    out_text(out, "\", \"ticks_per_second\": ");
    out_u64(out, events->hz);
    out_text(out, "}, \"traceEvents\": [");
    return !out_failed(out);
}

// --- Events --------------------------------------------------------------------------------------

static void close_event(struct trace_events *events)
{
    if (events->is_open)
        out_text(events->out, events->argument_count ? "}}" : "}");
    events->is_open = false;
    events->argument_count = 0;
}

static void put_u64(struct trace_events *events, uint64_t value)
{
    out_u64(events->out, value);
}

// --- Times ---------------------------------------------------------------------------------------

static struct event_time time_of(const struct trace_events *events, uint64_t time)
{
    return event_time_of(time > events->start ? time - events->start : 0, events->hz);
}

// The fraction is left out only if it is 0 and the frequency is unknown.
static void put_time(struct trace_events *events, struct event_time time)
{
    events->time = time;
    put_u64(events, time.micros);
    if (!events->hz && !time.millionths)
        return;
    char *fraction = out_room(events->out, EVENT_TIME_FRACTION_BYTES);
    out_commit(events->out, (size_t)(event_time_put_fraction(fraction, time) - fraction));
}

// The time of a beginning or end: after that of the previous one.
static void put_call_time(struct trace_events *events, uint64_t ticks)
{
    struct event_time time = time_of(events, ticks);
    if (events->has_calls)
        time = event_time_behind(events->time, time);
    events->has_calls = true;
    put_time(events, time);
}

// --- Parts of an event ---------------------------------------------------------------------------

static void begin_event(struct trace_events *events, const char *kind)
{
    close_event(events);
    out_text(events->out, events->has_events ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    out_text(events->out, kind);
    out_text(events->out, "\",\"pid\":");
    put_u64(events, events->pid);
    out_text(events->out, ",\"tid\":");
    put_u64(events, events->tid);
    events->has_events = events->is_open = true;
}

static void begin_argument(struct trace_events *events, const char *key)
{
    out_text(events->out, events->argument_count++ ? ",\"" : ",\"args\":{\"");
    out_text(events->out, key);
}

static void put_string(struct trace_events *events, const char *text)
{
    struct json json;
    json_begin(&json, events->out, 0);
    json_text(&json, text);
}

static bool on_lane(void *self, const struct call_lane *lane)
{
    struct trace_events *events = self;
    events->pid = lane->process;
    events->tid = lane->thread;
    events->time = (struct event_time){0};
    events->has_calls = false;
    events->open.count = 0;
    begin_event(events, "M");
    out_text(events->out, ",\"name\":\"thread_name\"");
    begin_argument(events, "name\":");
    put_string(events, lane->name);
    return !out_failed(events->out);
}

// --- Names ---------------------------------------------------------------------------------------

// Formats the name of `pc` as JSON once; later it is copied. False: no memory.
static bool make_name(struct trace_events *events, uint64_t pc, struct trace_event_text *made)
{
    struct out text;
    struct json json;
    struct error err;
    if (out_open_memory(&text, &err) != STATUS_OK)
        return false;
    const char *name = names_of(events->names, pc);
    json_begin(&json, &text, 0);
    if (*name)
        json_text(&json, name);
    else
        json_address(&json, names_address(events->names, pc) & ~UINT64_C(1));
    made->length = (size_t)out_position(&text);
    made->text = arena_copy_string(&events->arena, out_memory_text(&text), made->length);
    out_abandon(&text);
    return made->text != NULL;
}

static const struct trace_event_text *name_of(struct trace_events *events, uint64_t pc)
{
    uint64_t hash = hash_key(hash_index_seed(&events->by_pc), pc);
    struct trace_event_name made = {.pc = pc};
    uint32_t number;
    HASH_INDEX_FIND(number, &events->by_pc, hash, events->written.items[candidate].pc == pc);
    if (number != HASH_INDEX_NONE)
        return &events->written.items[number].name;
    number = (uint32_t)events->written.count;
    if (events->written.count >= HASH_INDEX_NONE || !make_name(events, pc, &made.name) ||
        !VEC_ROOM(&events->written, 1) || !hash_index_add(&events->by_pc, hash, number))
        return NULL;
    events->written.items[events->written.count++] = made;
    return &events->written.items[number].name;
}

// --- Calls ---------------------------------------------------------------------------------------

static void put_call(struct trace_events *events, const char *kind, uint64_t time,
                     const struct trace_event_text *name)
{
    begin_event(events, kind);
    out_text(events->out, ",\"ts\":");
    put_call_time(events, time);
    out_text(events->out, ",\"name\":");
    out_bytes(events->out, name->text, name->length);
}

static bool on_enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    struct trace_events *events = self;
    (void)how;
    const struct trace_event_text *name = name_of(events, pc);
    if (!name || !VEC_ROOM(&events->open, 1)) {
        events->lacks_memory = true;
        return false;
    }
    events->open.items[events->open.count++] = *name;
    put_call(events, "B", time, name);
    return true;
}

static bool on_leave(void *self, uint64_t time)
{
    struct trace_events *events = self;
    ASSERT(events->open.count);
    put_call(events, "E", time, &events->open.items[--events->open.count]);
    return !out_failed(events->out);
}

static void on_argument(void *self, uint64_t value)
{
    struct trace_events *events = self;
    uint32_t number = events->argument_count;
    if (!events->is_open)
        return;
    begin_argument(events, "argument");
    put_u64(events, number);
    out_text(events->out, "\":\""); // as text: more digits than readers keep
    put_u64(events, value);
    out_byte(events->out, '"');
}

static void on_mark(void *self, const char *what)
{
    struct trace_events *events = self;
    begin_argument(events, what);
    out_text(events->out, "\":true");
}

// --- Instants ------------------------------------------------------------------------------------

// Bytes above 0x7f are written as Latin-1, so that every payload can be restored.
static void put_payload(struct trace_events *events, const uint8_t *payload, size_t payload_bytes)
{
    static const char hex[] = "0123456789abcdef";
    struct out *out = events->out;
    out_byte(out, '"');
    for (size_t i = 0; i < payload_bytes; i++) {
        uint8_t byte = payload[i];
        if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\') {
            out_byte(out, (char)byte);
            continue;
        }
        out_text(out, "\\u00");
        out_byte(out, hex[byte >> 4]);
        out_byte(out, hex[byte & 15]);
    }
    out_byte(out, '"');
}

static bool on_instant(void *self, const struct call_instant *instant)
{
    struct trace_events *events = self;
    begin_event(events, "i");
    out_text(events->out, ",\"s\":\"t\",\"ts\":");
    // The time of any other event: not before the previous event.
    struct event_time time = time_of(events, instant->time);
    put_time(events, event_time_is_before(time, events->time) ? events->time : time);
    out_text(events->out, ",\"name\":");
    put_string(events, instant->name);
    if (instant->has_function) {
        begin_argument(events, "function\":");
        put_string(events, names_of(events->names, instant->pc));
    }
    if (instant->payload) {
        begin_argument(events, "data\":");
        put_payload(events, instant->payload, instant->payload_bytes);
    }
    if (instant->has_type) {
        begin_argument(events, "type\":");
        put_u64(events, instant->type);
    }
    return !out_failed(events->out);
}

bool trace_events_span(struct trace_events *events, uint64_t from, uint64_t until, const char *name)
{
    begin_event(events, "B");
    out_text(events->out, ",\"ts\":");
    put_call_time(events, from);
    out_text(events->out, ",\"name\":");
    put_string(events, name);
    begin_event(events, "E");
    out_text(events->out, ",\"ts\":");
    put_call_time(events, until);
    return !out_failed(events->out);
}

struct call_sink trace_events_sink(struct trace_events *events)
{
    return (struct call_sink){events,     on_begin, on_lane,     on_enter, on_leave,
                              on_instant, on_mark,  on_argument, NULL};
}

void trace_events_end(struct trace_events *events)
{
    if (events->is_begun) {
        close_event(events);
        out_text(events->out, "\n]}\n");
    }
    free(events->written.items);
    hash_index_free(&events->by_pc);
    free(events->open.items);
    arena_free(&events->arena);
}
