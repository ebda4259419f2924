#include "export/profile_writers.h"

#include "base/utf8.h"
#include "export/event_time.h"
#include "report/protobuf.h"

#include <stdlib.h>

// --- The format ----------------------------------------------------------------------------------

// Profile
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_DURATION = 10,
    PROFILE_DEFAULT_TYPE = 14,
};

enum { TYPE_NAME = 1, TYPE_UNIT = 2 };                             // ValueType
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };  // Sample
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };                            // Label
enum { LOCATION_ID = 1, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 }; // Location
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };                       // Line
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILE = 4, FUNCTION_LINE = 5 };

// Strings, in the order of their numbers: these, two for each lane, functions, the paths of their
// files. In place of "unit" stands the unit of times.
static const char *const fixed_strings[] = {"",     "calls",  "count", "time", "nanoseconds",
                                            "unit", "thread", "task"};
enum {
    TEXT_CALLS = 1,
    TEXT_COUNT,
    TEXT_TIME,
    TEXT_NANOSECONDS,
    TEXT_UNIT,
    TEXT_THREAD,
    TEXT_TASK,
};
enum { FIXED_STRINGS = sizeof fixed_strings / sizeof *fixed_strings };

// The fixed-size parts of a message.
enum { FIXED_BYTES = 12 * PROTOBUF_NUMBER_BYTES };

void pprof_init(struct pprof *pprof, struct out *out, uint64_t hz, const char *unit,
                size_t lane_count)
{
    *pprof =
        (struct pprof){.out = out, .hz = hz, .unit = hz ? "ticks" : unit, .lane_count = lane_count};
}

static void put_message(struct pprof *pprof, uint32_t field, const uint8_t *bytes,
                        const uint8_t *end)
{
    uint8_t head[PROTOBUF_NUMBER_BYTES];
    uint8_t *head_end = protobuf_head(head, field, (uint64_t)(end - bytes));
    out_bytes(pprof->out, head, (size_t)(head_end - head));
    out_bytes(pprof->out, bytes, (size_t)(end - bytes));
}

// --- Samples -------------------------------------------------------------------------------------

static uint8_t *put_label(uint8_t *at, uint64_t key, uint64_t text)
{
    uint8_t label[FIXED_BYTES];
    uint8_t *end = protobuf_number(label, LABEL_KEY, key);
    end = protobuf_number(end, LABEL_TEXT, text);
    return protobuf_bytes(at, SAMPLE_LABEL, label, (size_t)(end - label));
}

static bool put_sample(struct pprof *pprof, uint32_t function, const struct stack_visit *visit)
{
    uint8_t head[PROTOBUF_NUMBER_BYTES], rest[FIXED_BYTES], values[FIXED_BYTES];
    // The locations of the stack, the innermost first.
    size_t depth = pprof->stack.open.count;
    pprof->sample.count = 0;
    if (!VEC_ROOM(&pprof->sample, (depth + 1) * PROTOBUF_VARINT_BYTES + FIXED_BYTES))
        return false;
    uint8_t *at = protobuf_varint(pprof->sample.items, function + UINT64_C(1));
    for (size_t i = depth; i > 0; i--)
        at = protobuf_varint(at, pprof->stack.open.items[i - 1] + UINT64_C(1));
    pprof->sample.count = (size_t)(at - pprof->sample.items);
    uint8_t *values_end = protobuf_varint(values, visit->count);
    values_end = protobuf_varint(values_end, event_time_nanos(visit->self_ticks, pprof->hz));
    uint8_t *end = protobuf_bytes(rest, SAMPLE_VALUE, values, (size_t)(values_end - values));
    size_t lane = pprof->lanes.count - 1;
    if (*pprof->lanes.items[lane].name)
        end = put_label(end, TEXT_THREAD, FIXED_STRINGS + 2 * lane);
    if (pprof->lanes.items[lane].task)
        end = put_label(end, TEXT_TASK, FIXED_STRINGS + 2 * lane + 1);
    uint64_t size = protobuf_size(SAMPLE_LOCATION, pprof->sample.count) + (uint64_t)(end - rest);
    uint8_t *head_end = protobuf_head(head, PROFILE_SAMPLE, size);
    out_bytes(pprof->out, head, (size_t)(head_end - head));
    put_message(pprof, SAMPLE_LOCATION, pprof->sample.items,
                pprof->sample.items + pprof->sample.count);
    out_bytes(pprof->out, rest, (size_t)(end - rest));
    pprof->ticks += visit->self_ticks;
    return !out_failed(pprof->out);
}

static bool on_event(void *self, enum stack_event event, const struct stack_visit *visit)
{
    struct pprof *pprof = self;
    uint32_t function;
    return stack_ids_take(&pprof->stack, event, visit, &function) &&
           (event != STACK_OWN || put_sample(pprof, function, visit));
}

struct stack_walk pprof_walk(struct pprof *pprof)
{
    return (struct stack_walk){pprof, on_event};
}

bool pprof_begin_lane(struct pprof *pprof, const struct pprof_lane *lane)
{
    if (!VEC_ROOM(&pprof->lanes, 1))
        return false;
    pprof->lanes.items[pprof->lanes.count++] = *lane;
    return true;
}

// --- Tables --------------------------------------------------------------------------------------

static size_t first_name(const struct pprof *pprof)
{
    return FIXED_STRINGS + 2 * pprof->lane_count;
}

// The string number of a path; consecutive functions are often in the same file. 0: no memory.
static size_t string_of_path(struct pprof *pprof, const char *path)
{
    size_t *count = &pprof->paths.count;
    if (!*count || strcmp(pprof->paths.items[*count - 1], path) != 0) {
        if (!VEC_ROOM(&pprof->paths, 1))
            return 0;
        pprof->paths.items[(*count)++] = path;
    }
    return first_name(pprof) + pprof->stack.ids.pcs.count + *count - 1;
}

static const struct frame_label *label_of(const struct pprof *pprof, size_t number)
{
    return pprof->labels ? &pprof->labels[pprof->stack.ids.pcs.items[number]] : NULL;
}

// The place where a function begins, or of a split frame. False: unknown.
static bool find_place(const struct pprof *pprof, size_t number, struct names *names,
                       struct source_lines *places, struct source_location *place)
{
    const struct frame_label *label = label_of(pprof, number);
    if (!label)
        return source_lines_find(places, names, pprof->stack.ids.pcs.items[number] & ~UINT64_C(1),
                                 place);
    *place = (struct source_location){.path = label->path, .line = label->line};
    return label->path != NULL;
}

// Writes a location: where a function begins, or of a split frame. False: no memory.
static bool put_function(struct pprof *pprof, size_t number, struct names *names,
                         struct source_lines *places)
{
    uint8_t bytes[FIXED_BYTES], line[FIXED_BYTES];
    const struct frame_label *label = label_of(pprof, number);
    uint64_t pc = label ? label->pc : pprof->stack.ids.pcs.items[number] & ~UINT64_C(1);
    struct source_location place;
    bool has_place = find_place(pprof, number, names, places, &place);
    size_t path = has_place ? string_of_path(pprof, place.path) : 0;
    uint8_t *line_end = protobuf_number(line, LINE_FUNCTION, number + 1);
    if (has_place)
        line_end = protobuf_number(line_end, LINE_NUMBER, place.line);
    uint8_t *end = protobuf_number(bytes, LOCATION_ID, number + 1);
    end = protobuf_number(end, LOCATION_ADDRESS, pc);
    end = protobuf_bytes(end, LOCATION_LINE, line, (size_t)(line_end - line));
    put_message(pprof, PROFILE_LOCATION, bytes, end);
    end = protobuf_number(bytes, FUNCTION_ID, number + 1);
    end = protobuf_number(end, FUNCTION_NAME, first_name(pprof) + number);
    if (has_place) {
        end = protobuf_number(end, FUNCTION_FILE, path);
        if (!label)
            end = protobuf_number(end, FUNCTION_LINE, place.line);
    }
    put_message(pprof, PROFILE_FUNCTION, bytes, end);
    return !has_place || path;
}

// Writes valid UTF-8, because readers refuse other strings. False: no memory.
static bool put_string(struct pprof *pprof, const char *text)
{
    size_t length = strlen(text);
    pprof->sample.count = 0;
    if (!VEC_ROOM(&pprof->sample, length + 1))
        return false;
    memcpy(pprof->sample.items, text, length);
    utf8_make_inert((char *)pprof->sample.items, length);
    put_message(pprof, PROFILE_STRING, pprof->sample.items, pprof->sample.items + length);
    return true;
}

bool pprof_write(struct pprof *pprof, struct names *names, struct source_lines *places)
{
    bool is_whole = true;
    uint8_t bytes[FIXED_BYTES];
    uint8_t *end = protobuf_number(bytes, TYPE_NAME, TEXT_CALLS);
    put_message(pprof, PROFILE_SAMPLE_TYPE, bytes, protobuf_number(end, TYPE_UNIT, TEXT_COUNT));
    end = protobuf_number(bytes, TYPE_NAME, TEXT_TIME);
    end = protobuf_number(end, TYPE_UNIT, pprof->hz ? TEXT_NANOSECONDS : TEXT_UNIT);
    put_message(pprof, PROFILE_SAMPLE_TYPE, bytes, end);
    end = protobuf_number(bytes, PROFILE_DEFAULT_TYPE, TEXT_TIME);
    if (pprof->hz)
        end = protobuf_number(end, PROFILE_DURATION, event_time_nanos(pprof->ticks, pprof->hz));
    out_bytes(pprof->out, bytes, (size_t)(end - bytes));
    for (size_t i = 0; i < pprof->stack.ids.pcs.count && is_whole; i++)
        is_whole = put_function(pprof, i, names, places);
    for (size_t i = 0; i < FIXED_STRINGS && is_whole; i++)
        is_whole = put_string(pprof, i == TEXT_UNIT ? pprof->unit : fixed_strings[i]);
    for (size_t i = 0; i < pprof->lane_count && is_whole; i++) {
        const struct pprof_lane *lane = &pprof->lanes.items[i];
        is_whole = put_string(pprof, lane->name) && put_string(pprof, lane->task ? lane->task : "");
    }
    for (size_t i = 0; i < pprof->stack.ids.pcs.count && is_whole; i++) {
        char text[NAME_ID_BYTES];
        const struct frame_label *label = label_of(pprof, i);
        is_whole = put_string(pprof, label ? label->function
                                           : name_ids_text(&pprof->stack.ids, i, names, text));
    }
    for (size_t i = 0; i < pprof->paths.count && is_whole; i++)
        is_whole = put_string(pprof, pprof->paths.items[i]);
    return is_whole;
}

void pprof_free(struct pprof *pprof)
{
    stack_ids_free(&pprof->stack);
    free(pprof->lanes.items);
    free(pprof->paths.items);
    free(pprof->sample.items);
}
