#include "export/call_writers.h"

#include "base/version.h"

#include <stdlib.h>

void speedscope_init(struct speedscope *speedscope, struct out *out, struct names *names,
                     struct source_lines *places, const char *title)
{
    *speedscope = (struct speedscope){.names = names, .places = places, .title = title};
    json_begin(&speedscope->json, out, 2);
}

static bool on_begin(void *self, uint64_t start, uint64_t hz)
{
    struct speedscope *speedscope = self;
    struct json *json = &speedscope->json;
    speedscope->start = start;
    speedscope->hz = hz;
    speedscope->is_begun = true;
    json_begin_object(json);
    json_member_text(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_member_text(json, "exporter", "trawl@" TRAWL_VERSION);
    json_member_text(json, "name", speedscope->title);
    json_key(json, "profiles");
    json_begin_array(json);
    return !out_failed(json->out);
}

// --- Lanes ---------------------------------------------------------------------------------------

static void put_time(struct speedscope *speedscope, uint64_t time)
{
    struct out *out = speedscope->json.out;
    uint64_t ticks = time > speedscope->start ? time - speedscope->start : 0;
    struct event_time at = event_time_of(ticks, speedscope->hz);
    out_u64(out, at.micros);
    if (!at.millionths)
        return;
    char *fraction = out_room(out, EVENT_TIME_FRACTION_BYTES);
    out_commit(out, (size_t)(event_time_put_fraction(fraction, at) - fraction));
}

static void put_value(struct speedscope *speedscope, const char *key, uint64_t time)
{
    json_key(&speedscope->json, key);
    put_time(speedscope, time);
    speedscope->json.has_members = true;
    speedscope->json.after_key = false;
}

static void end_lane(struct speedscope *speedscope)
{
    struct json *json = &speedscope->json;
    if (!speedscope->is_in_lane)
        return;
    out_text(json->out, "]");
    json->has_members = true;
    if (speedscope->is_of_sums) {
        json_key(json, "weights");
        out_text(json->out, "[");
        for (size_t i = 0; i < speedscope->weights.count; i++) {
            out_text(json->out, i ? ",\n" : "\n");
            put_time(speedscope, speedscope->weights.items[i]);
        }
        out_text(json->out, "]");
        json->has_members = true;
        json->after_key = false;
        speedscope->weights.count = 0;
    }
    put_value(speedscope, "startValue",
              speedscope->has_event ? speedscope->first : speedscope->start);
    put_value(speedscope, "endValue", speedscope->has_event ? speedscope->last : speedscope->start);
    json_end_object(json);
    speedscope->is_in_lane = false;
}

bool speedscope_begin_lane(struct speedscope *speedscope, const char *name)
{
    struct json *json = &speedscope->json;
    end_lane(speedscope);
    speedscope->stack.open.count = 0;
    speedscope->has_event = false;
    speedscope->is_in_lane = true;
    json_begin_object(json);
    json_member_text(json, "type", speedscope->is_of_sums ? "sampled" : "evented");
    json_member_text(json, "name", *name ? name : "all");
    json_member_text(json, "unit", speedscope->hz ? "microseconds" : "none");
    json_key(json, speedscope->is_of_sums ? "samples" : "events");
    out_text(json->out, "[");
    json->after_key = false;
    return !out_failed(json->out);
}

static bool on_lane(void *self, const struct call_lane *lane)
{
    return speedscope_begin_lane(self, lane->name);
}

// --- Calls ---------------------------------------------------------------------------------------

static bool put_event(struct speedscope *speedscope, const char *type, uint32_t function,
                      uint64_t time)
{
    struct out *out = speedscope->json.out;
    if (!speedscope->has_event)
        speedscope->first = time;
    speedscope->last = time;
    out_text(out, speedscope->has_event ? ",\n{\"type\":\"" : "\n{\"type\":\"");
    speedscope->has_event = true;
    out_text(out, type);
    out_text(out, "\",\"frame\":");
    out_u64(out, function);
    out_text(out, ",\"at\":");
    put_time(speedscope, time);
    out_byte(out, '}');
    return !out_failed(out);
}

static bool on_enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    struct speedscope *speedscope = self;
    uint32_t function;
    if (!name_ids_of_call(&speedscope->stack.ids, pc, how, &function) ||
        !VEC_ROOM(&speedscope->stack.open, 1)) {
        speedscope->lacks_memory = true;
        return false;
    }
    speedscope->stack.open.items[speedscope->stack.open.count++] = function;
    return put_event(speedscope, "O", function, time);
}

static bool on_leave(void *self, uint64_t time)
{
    struct speedscope *speedscope = self;
    ASSERT(speedscope->stack.open.count);
    return put_event(speedscope, "C", speedscope->stack.open.items[--speedscope->stack.open.count],
                     time);
}

// The format has neither instants nor arguments.
struct call_sink speedscope_sink(struct speedscope *speedscope)
{
    return (struct call_sink){.self = speedscope,
                              .begin = on_begin,
                              .lane = on_lane,
                              .enter = on_enter,
                              .leave = on_leave};
}

// --- Sums ----------------------------------------------------------------------------------------

bool speedscope_begin_sums(struct speedscope *speedscope, uint64_t hz)
{
    speedscope->is_of_sums = true;
    return on_begin(speedscope, 0, hz);
}

// Stacks without time of their own are not seen in any viewer.
static bool on_stack(void *self, enum stack_event event, const struct stack_visit *visit)
{
    struct speedscope *speedscope = self;
    struct out *out = speedscope->json.out;
    const struct stack_ids *stack = &speedscope->stack;
    uint32_t function;
    if (!stack_ids_take(&speedscope->stack, event, visit, &function) ||
        !VEC_ROOM(&speedscope->weights, 1))
        return false;
    if (event != STACK_OWN || !visit->self_ticks)
        return true;
    out_text(out, speedscope->has_event ? ",\n[" : "\n[");
    for (size_t i = 0; i < stack->open.count; i++) {
        out_u64(out, stack->open.items[i]);
        out_byte(out, ',');
    }
    out_u64(out, function);
    out_byte(out, ']');
    speedscope->weights.items[speedscope->weights.count++] = visit->self_ticks;
    speedscope->first = 0;
    speedscope->last = (speedscope->has_event ? speedscope->last : 0) + visit->self_ticks;
    speedscope->has_event = true;
    return !out_failed(out);
}

struct stack_walk speedscope_walk(struct speedscope *speedscope)
{
    return (struct stack_walk){speedscope, on_stack};
}

// --- The end -------------------------------------------------------------------------------------

void speedscope_end(struct speedscope *speedscope)
{
    if (speedscope->is_begun) {
        end_lane(speedscope);
        json_end_array(&speedscope->json);
        struct json *json = &speedscope->json;
        json_key(json, "shared");
        json_begin_object(json);
        json_key(json, "frames");
        json_begin_array(json);
        for (size_t i = 0; i < speedscope->stack.ids.pcs.count; i++) {
            uint64_t pc = speedscope->stack.ids.pcs.items[i];
            char name[NAME_ID_BYTES];
            json_begin_object(json);
            json_member_text(json, "name",
                             name_ids_text(&speedscope->stack.ids, i, speedscope->names, name));
            struct source_location place;
            if (source_lines_find(speedscope->places, speedscope->names, pc, &place)) {
                json_member_text(json, "file", place.path);
                json_member_u64(json, "line", place.line);
            }
            json_end_object(json);
        }
        json_end_array(json);
        json_end_object(json);
        json_end_object(&speedscope->json);
        json_end(&speedscope->json);
    }
    stack_ids_free(&speedscope->stack);
    free(speedscope->weights.items);
}
