#include "export/call_writers.h"

#include "base/utf8.h"
#include "export/event_time.h"
#include "report/protobuf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// --- The format ----------------------------------------------------------------------------------

enum { TRACE_PACKET = 1 };

// TracePacket
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,
};

// TracePacket.SequenceFlags
enum { STARTS_INTERNED = 1, NEEDS_INTERNED = 2 };

// TrackDescriptor, ThreadDescriptor
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_THREAD = 4, TRACK_COUNTER = 8 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

// TrackEvent and its Type
enum {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_ID = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_VALUE = 30,
    EVENT_DOUBLE = 44,
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };

// InternedData, EventName and DebugAnnotationName
enum { INTERNED_EVENT_NAME = 2, INTERNED_ANNOTATION_NAME = 3 };
enum { NAME_ID = 1, NAME_TEXT = 2 };

// DebugAnnotation
enum {
    ANNOTATION_NAME_ID = 1,
    ANNOTATION_BOOL = 2,
    ANNOTATION_UINT = 3,
    ANNOTATION_STRING = 6,
    ANNOTATION_POINTER = 7,
    ANNOTATION_NAME = 10,
};

// Interned names of annotations that nearly every slice has.
enum { NAME_OF_LINE = 1, NAME_OF_PC = 2 };

// All packets belong to one writer.
enum { SEQUENCE = 1 };

// The fixed-size parts of a packet: at most this many numbers and headers.
enum { FIXED_BYTES = 12 * PROTOBUF_NUMBER_BYTES };

void perfetto_init(struct perfetto *perfetto, struct out *out, struct names *names)
{
    *perfetto = (struct perfetto){.out = out, .names = names};
}

static bool on_begin(void *self, uint64_t start, uint64_t hz)
{
    struct perfetto *perfetto = self;
    perfetto->start = start;
    perfetto->hz = hz;
    return true;
}

static uint64_t nanoseconds(const struct perfetto *perfetto, uint64_t time)
{
    return event_time_nanos(time > perfetto->start ? time - perfetto->start : 0, perfetto->hz);
}

// Makes valid UTF-8, because readers refuse other strings. False: no memory.
static bool keep_text(struct perfetto *perfetto, const char *text)
{
    size_t length = strlen(text);
    perfetto->text.count = 0;
    if (!VEC_ROOM(&perfetto->text, length + 1)) {
        perfetto->lacks_memory = true;
        return false;
    }
    memcpy(perfetto->text.items, text, length + 1);
    utf8_make_inert(perfetto->text.items, length);
    perfetto->text.count = length;
    return true;
}

static void put(struct perfetto *perfetto, const uint8_t *bytes, const uint8_t *end)
{
    out_bytes(perfetto->out, bytes, (size_t)(end - bytes));
}

static void put_text(struct perfetto *perfetto)
{
    if (perfetto->text.count)
        out_bytes(perfetto->out, perfetto->text.items, perfetto->text.count);
}

// --- Events --------------------------------------------------------------------------------------

// The bytes of EventName.
static uint64_t new_name_size(const struct perfetto *perfetto)
{
    return protobuf_varint_size(NAME_ID << 3) +
           protobuf_varint_size(perfetto->event.function + UINT64_C(1)) +
           protobuf_size(NAME_TEXT, perfetto->text.count);
}

// Writes the name of a function, to which later packets refer.
static void put_new_name(struct perfetto *perfetto)
{
    uint8_t bytes[FIXED_BYTES], *at = bytes;
    uint64_t size = new_name_size(perfetto);
    at = protobuf_head(at, PACKET_INTERNED, protobuf_size(INTERNED_EVENT_NAME, size));
    at = protobuf_head(at, INTERNED_EVENT_NAME, size);
    at = protobuf_number(at, NAME_ID, perfetto->event.function + UINT64_C(1));
    at = protobuf_head(at, NAME_TEXT, perfetto->text.count);
    put(perfetto, bytes, at);
    put_text(perfetto);
}

// Writes the current event, if there is one.
static void put_event(struct perfetto *perfetto)
{
    struct perfetto_event *event = &perfetto->event;
    uint8_t head[FIXED_BYTES], packet[FIXED_BYTES], inner[FIXED_BYTES];
    uint8_t *head_end, *packet_end = packet, *inner_end = inner;
    if (!event->type)
        return;
    bool has_text = event->type == INSTANT || event->has_name;
    inner_end = protobuf_number(inner_end, EVENT_TYPE, event->type);
    inner_end = protobuf_number(inner_end, EVENT_TRACK, perfetto->track);
    if (event->has_function)
        inner_end = protobuf_number(inner_end, EVENT_NAME_ID, event->function + UINT64_C(1));
    if (has_text)
        inner_end = protobuf_head(inner_end, EVENT_NAME, perfetto->text.count);
    uint64_t inner_size = (uint64_t)(inner_end - inner) + (has_text ? perfetto->text.count : 0) +
                          perfetto->annotations.count;
    packet_end = protobuf_number(packet_end, PACKET_TIMESTAMP, event->time);
    packet_end = protobuf_number(packet_end, PACKET_SEQUENCE, SEQUENCE);
    packet_end = protobuf_number(packet_end, PACKET_FLAGS, NEEDS_INTERNED);
    packet_end = protobuf_head(packet_end, PACKET_TRACK_EVENT, inner_size);
    uint64_t size = (uint64_t)(packet_end - packet) + inner_size;
    if (event->is_new)
        size += protobuf_size(PACKET_INTERNED,
                              protobuf_size(INTERNED_EVENT_NAME, new_name_size(perfetto)));
    head_end = protobuf_head(head, TRACE_PACKET, size);
    put(perfetto, head, head_end);
    put(perfetto, packet, packet_end);
    put(perfetto, inner, inner_end);
    if (has_text)
        put_text(perfetto);
    if (perfetto->annotations.count)
        out_bytes(perfetto->out, perfetto->annotations.items, perfetto->annotations.count);
    if (event->is_new)
        put_new_name(perfetto);
    perfetto->annotations.count = 0;
    event->type = 0;
}

// --- Lanes ---------------------------------------------------------------------------------------

// Writes the interned names of annotations, once, at the beginning.
static uint8_t *put_annotation_names(uint8_t *at)
{
    uint8_t bytes[FIXED_BYTES], *end = bytes;
    static const struct {
        uint64_t number;
        const char *text;
    } names[] = {{NAME_OF_LINE, "line"}, {NAME_OF_PC, "pc"}};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        size_t length = strlen(names[i].text);
        end = protobuf_head(end, INTERNED_ANNOTATION_NAME, 2 + protobuf_size(NAME_TEXT, length));
        end = protobuf_number(end, NAME_ID, names[i].number);
        end = protobuf_bytes(end, NAME_TEXT, names[i].text, length);
    }
    return protobuf_bytes(at, PACKET_INTERNED, bytes, (size_t)(end - bytes));
}

static bool on_lane(void *self, const struct call_lane *lane)
{
    struct perfetto *perfetto = self;
    uint8_t bytes[FIXED_BYTES], inner[FIXED_BYTES], *at = bytes, *inner_end = inner;
    put_event(perfetto);
    if (!keep_text(perfetto, lane->name))
        return true; // its first call ends it
    perfetto->track++;
    // Thread numbers are signed, with 32 bits: any distinct ones will do.
    inner_end = protobuf_number(inner_end, THREAD_PID, lane->process & INT32_MAX);
    inner_end = protobuf_number(inner_end, THREAD_TID, lane->thread & INT32_MAX);
    inner_end = protobuf_head(inner_end, THREAD_NAME, perfetto->text.count);
    uint64_t thread_size = (uint64_t)(inner_end - inner) + perfetto->text.count;
    uint64_t track_size = protobuf_varint_size(TRACK_UUID << 3) +
                          protobuf_varint_size(perfetto->track) +
                          protobuf_size(TRACK_THREAD, thread_size);
    bool is_first = perfetto->track == 1;
    uint64_t flags = is_first ? STARTS_INTERNED : NEEDS_INTERNED;
    uint8_t interned[FIXED_BYTES],
        *interned_end = is_first ? put_annotation_names(interned) : interned;
    uint64_t size = protobuf_varint_size(PACKET_SEQUENCE << 3) + protobuf_varint_size(SEQUENCE) +
                    protobuf_varint_size(PACKET_FLAGS << 3) + protobuf_varint_size(flags) +
                    (uint64_t)(interned_end - interned) + protobuf_size(PACKET_TRACK, track_size);
    at = protobuf_head(at, TRACE_PACKET, size);
    at = protobuf_number(at, PACKET_SEQUENCE, SEQUENCE);
    at = protobuf_number(at, PACKET_FLAGS, flags);
    put(perfetto, bytes, at);
    put(perfetto, interned, interned_end);
    at = protobuf_head(bytes, PACKET_TRACK, track_size);
    at = protobuf_number(at, TRACK_UUID, perfetto->track);
    at = protobuf_head(at, TRACK_THREAD, thread_size);
    put(perfetto, bytes, at);
    put(perfetto, inner, inner_end);
    put_text(perfetto);
    return !out_failed(perfetto->out);
}

// --- Calls ---------------------------------------------------------------------------------------

static bool on_enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    (void)how;
    struct perfetto *perfetto = self;
    struct perfetto_event *event = &perfetto->event;
    size_t known = perfetto->ids.pcs.count;
    put_event(perfetto);
    if (perfetto->lacks_memory)
        return false;
    *event = (struct perfetto_event){
        .time = nanoseconds(perfetto, time), .type = SLICE_BEGIN, .has_function = true};
    if (!name_ids_of(&perfetto->ids, pc, &event->function)) {
        perfetto->lacks_memory = true;
        return false;
    }
    event->is_new = event->function == known;
    char address[NAMES_ADDRESS_BYTES];
    return !event->is_new || keep_text(perfetto, names_or_address(perfetto->names, pc, address));
}

static bool on_leave(void *self, uint64_t time)
{
    struct perfetto *perfetto = self;
    put_event(perfetto);
    perfetto->event =
        (struct perfetto_event){.time = nanoseconds(perfetto, time), .type = SLICE_END};
    return !out_failed(perfetto->out);
}

// --- Annotations ---------------------------------------------------------------------------------

// Writes the header of an annotation whose value has `value_bytes`, and reserves room for it.
static uint8_t *begin_annotation(struct perfetto *perfetto, const char *name, size_t value_bytes)
{
    size_t length = strlen(name);
    uint64_t size = protobuf_size(ANNOTATION_NAME, length) + value_bytes;
    if (!VEC_ROOM(&perfetto->annotations, (size_t)size + FIXED_BYTES)) {
        perfetto->lacks_memory = true;
        return NULL;
    }
    uint8_t *at = perfetto->annotations.items + perfetto->annotations.count;
    at = protobuf_head(at, EVENT_ANNOTATION, size);
    return protobuf_bytes(at, ANNOTATION_NAME, name, length);
}

static void end_annotation(struct perfetto *perfetto, const uint8_t *end)
{
    perfetto->annotations.count = (size_t)(end - perfetto->annotations.items);
}

static void annotate_number(struct perfetto *perfetto, const char *name, uint32_t field,
                            uint64_t value)
{
    uint8_t *at = begin_annotation(perfetto, name,
                                   protobuf_varint_size(field << 3) + protobuf_varint_size(value));
    if (at)
        end_annotation(perfetto, protobuf_number(at, field, value));
}

static void annotate_text(struct perfetto *perfetto, const char *name, const void *text,
                          size_t length)
{
    uint8_t *at =
        begin_annotation(perfetto, name, (size_t)protobuf_size(ANNOTATION_STRING, length));
    if (!at)
        return;
    uint8_t *end = protobuf_bytes(at, ANNOTATION_STRING, text, length);
    utf8_make_inert((char *)end - length, length);
    end_annotation(perfetto, end);
}

static void on_argument(void *self, uint64_t value)
{
    struct perfetto *perfetto = self;
    char name[32];
    if (!perfetto->event.type)
        return;
    snprintf(name, sizeof name, "argument%" PRIu32, perfetto->event.argument_count++);
    annotate_number(perfetto, name, ANNOTATION_UINT, value);
}

// Writes an annotation with an interned name, which most slices have, in few instructions.
static uint8_t *put_place(uint8_t *at, uint64_t name, uint32_t field, uint64_t value)
{
    at = protobuf_head(at, EVENT_ANNOTATION, 2 + 1 + protobuf_varint_size(value));
    at = protobuf_number(at, ANNOTATION_NAME_ID, name);
    return protobuf_number(at, field, value);
}

static void on_place(void *self, uint64_t line, uint64_t pc)
{
    struct perfetto *perfetto = self;
    if (!VEC_ROOM(&perfetto->annotations, FIXED_BYTES)) {
        perfetto->lacks_memory = true;
        return;
    }
    uint8_t *at = perfetto->annotations.items + perfetto->annotations.count;
    at = put_place(at, NAME_OF_LINE, ANNOTATION_UINT, line);
    end_annotation(perfetto, put_place(at, NAME_OF_PC, ANNOTATION_POINTER, pc & ~UINT64_C(1)));
}

static void on_mark(void *self, const char *what)
{
    struct perfetto *perfetto = self;
    if (perfetto->event.type)
        annotate_number(perfetto, what, ANNOTATION_BOOL, 1);
}

static bool on_instant(void *self, const struct call_instant *instant)
{
    struct perfetto *perfetto = self;
    put_event(perfetto);
    perfetto->event =
        (struct perfetto_event){.time = nanoseconds(perfetto, instant->time), .type = INSTANT};
    if (instant->has_function) {
        const char *name = names_of(perfetto->names, instant->pc);
        annotate_text(perfetto, "function", name, strlen(name));
    }
    if (instant->payload)
        annotate_text(perfetto, "data", instant->payload, instant->payload_bytes);
    if (instant->has_type)
        annotate_number(perfetto, "type", ANNOTATION_UINT, instant->type);
    return keep_text(perfetto, instant->name) && !perfetto->lacks_memory &&
           !out_failed(perfetto->out);
}

struct call_sink perfetto_sink(struct perfetto *perfetto)
{
    return (struct call_sink){perfetto,   on_begin, on_lane,     on_enter, on_leave,
                              on_instant, on_mark,  on_argument, on_place};
}

bool perfetto_span(struct perfetto *perfetto, uint64_t from, uint64_t until, const char *name)
{
    put_event(perfetto);
    perfetto->event = (struct perfetto_event){
        .time = nanoseconds(perfetto, from), .type = SLICE_BEGIN, .has_name = true};
    return keep_text(perfetto, name) && on_leave(perfetto, until);
}

// --- Counters ------------------------------------------------------------------------------------

bool perfetto_counter(struct perfetto *perfetto, const char *name)
{
    uint8_t bytes[FIXED_BYTES], inner[FIXED_BYTES], *at = bytes, *inner_end = inner;
    put_event(perfetto);
    if (!keep_text(perfetto, name))
        return false;
    inner_end = protobuf_number(inner_end, TRACK_UUID, ++perfetto->track);
    inner_end = protobuf_head(inner_end, TRACK_COUNTER, 0);
    inner_end = protobuf_head(inner_end, TRACK_NAME, perfetto->text.count);
    uint64_t track_size = (uint64_t)(inner_end - inner) + perfetto->text.count;
    uint64_t size = protobuf_varint_size(PACKET_SEQUENCE << 3) + protobuf_varint_size(SEQUENCE) +
                    protobuf_varint_size(PACKET_FLAGS << 3) + protobuf_varint_size(NEEDS_INTERNED) +
                    protobuf_size(PACKET_TRACK, track_size);
    at = protobuf_head(at, TRACE_PACKET, size);
    at = protobuf_number(at, PACKET_SEQUENCE, SEQUENCE);
    at = protobuf_number(at, PACKET_FLAGS, NEEDS_INTERNED);
    at = protobuf_head(at, PACKET_TRACK, track_size);
    put(perfetto, bytes, at);
    put(perfetto, inner, inner_end);
    put_text(perfetto);
    return !out_failed(perfetto->out);
}

bool perfetto_value(struct perfetto *perfetto, uint64_t time, uint64_t value, bool is_signed)
{
    uint8_t bytes[FIXED_BYTES], inner[FIXED_BYTES], packet[FIXED_BYTES];
    uint8_t *at = bytes, *inner_end = inner, *packet_end = packet;
    bool is_wide = !is_signed && value > INT64_MAX;
    inner_end = protobuf_number(inner_end, EVENT_TYPE, COUNTER);
    inner_end = protobuf_number(inner_end, EVENT_TRACK, perfetto->track);
    if (is_wide) {
        double number = (double)value;
        inner_end = protobuf_varint(inner_end, EVENT_DOUBLE << 3 | 1);
        memcpy(inner_end, &number, sizeof number);
        inner_end += sizeof number;
    } else {
        inner_end = protobuf_number(inner_end, EVENT_VALUE, value);
    }
    packet_end = protobuf_number(packet_end, PACKET_TIMESTAMP, nanoseconds(perfetto, time));
    packet_end = protobuf_number(packet_end, PACKET_SEQUENCE, SEQUENCE);
    packet_end = protobuf_number(packet_end, PACKET_FLAGS, NEEDS_INTERNED);
    packet_end = protobuf_head(packet_end, PACKET_TRACK_EVENT, (uint64_t)(inner_end - inner));
    at = protobuf_head(at, TRACE_PACKET,
                       (uint64_t)(packet_end - packet) + (uint64_t)(inner_end - inner));
    put(perfetto, bytes, at);
    put(perfetto, packet, packet_end);
    put(perfetto, inner, inner_end);
    return !out_failed(perfetto->out);
}

void perfetto_end(struct perfetto *perfetto)
{
    put_event(perfetto);
    name_ids_free(&perfetto->ids);
    free(perfetto->text.items);
    free(perfetto->annotations.items);
}
