#include "export/call_writers.h"

#include "base/version.h"
#include "export/event_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FORMAT_VERSION 61
#define NANOS_PER_MILLI 1000000
#define MILLI_DIGITS 6 // after the point
#define NO_STACK UINT32_MAX

// The stack of a lane from a time to the next sample.
struct sample {
    uint64_t nanos, ticks; // since the first time of all lanes; duration
    uint32_t stack;        // NO_STACK: nothing
};

void firefox_init(struct firefox *firefox, struct out *out, struct names *names,
                  struct source_lines *places, const char *title)
{
    *firefox = (struct firefox){.names = names, .places = places, .title = title};
    firefox->samples.fd = -1;
    json_begin(&firefox->json, out, 2);
}

// --- Parts of JSON -------------------------------------------------------------------------------

static void put_empty_array(struct json *json, const char *key)
{
    json_key(json, key);
    json_begin_array(json);
    json_end_array(json);
}

// A column, whose cells are written as text.
static struct out *begin_column(struct json *json, const char *key)
{
    json_key(json, key);
    json_begin_array(json);
    return json->out;
}

// A column of `count` equal cells.
static void put_same(struct json *json, const char *key, size_t count, const char *cell)
{
    struct out *out = begin_column(json, key);
    for (size_t i = 0; i < count; i++) {
        if (i)
            out_byte(out, ',');
        out_text(out, cell);
    }
    json_end_array(json);
}

// A column of the numbers below `count`.
static void put_counting(struct json *json, const char *key, size_t count)
{
    struct out *out = begin_column(json, key);
    for (size_t i = 0; i < count; i++) {
        if (i)
            out_byte(out, ',');
        out_u64(out, i);
    }
    json_end_array(json);
}

// A table of these columns without rows.
static void put_empty_table(struct json *json, const char *key, const char *const *columns)
{
    json_key(json, key);
    json_begin_object(json);
    for (; *columns; columns++)
        put_empty_array(json, *columns);
    json_member_u64(json, "length", 0);
    json_end_object(json);
}

// --- The profile ---------------------------------------------------------------------------------

static void put_meta(struct firefox *firefox)
{
    struct json *json = &firefox->json;
    json_key(json, "meta");
    json_begin_object(json);
    json_member_u64(json, "interval", 1);
    json_member_u64(json, "startTime", 0);
    json_member_u64(json, "processType", 0);
    json_member_text(json, "product", firefox->title);
    json_member_text(json, "importedFrom", "trawl " TRAWL_VERSION);
    json_member_u64(json, "stackwalk", 1);
    json_member_u64(json, "version", 30);
    json_member_u64(json, "preprocessedProfileVersion", FORMAT_VERSION);
    json_member_bool(json, "debug", false);
    json_member_bool(json, "symbolicated", true);
    json_member_bool(json, "symbolicationNotSupported", true);
    json_member_bool(json, "usesOnlyOneStackType", true);
    json_member_bool(json, "sourceCodeIsNotOnSearchfox", true);
    json_key(json, "categories");
    json_begin_array(json);
    json_begin_object(json);
    json_member_text(json, "name", "Other");
    json_member_text(json, "color", "grey");
    json_key(json, "subcategories");
    json_begin_array(json);
    json_text(json, "Other");
    json_end_array(json);
    json_end_object(json);
    json_end_array(json);
    put_empty_array(json, "markerSchema");
    json_end_object(json);
}

static bool on_begin(void *self, uint64_t start, uint64_t hz)
{
    struct firefox *firefox = self;
    struct json *json = &firefox->json;
    firefox->start = start;
    firefox->hz = hz;
    firefox->is_begun = true;
    json_begin_object(json);
    put_meta(firefox);
    put_empty_array(json, "libs");
    json_key(json, "threads");
    json_begin_array(json);
    return !out_failed(json->out);
}

// --- Samples -------------------------------------------------------------------------------------

static uint64_t nanos_of(const struct firefox *firefox, uint64_t time)
{
    return event_time_nanos(time > firefox->start ? time - firefox->start : 0, firefox->hz);
}

static void put_millis(struct out *out, uint64_t nanos)
{
    out_u64(out, nanos / NANOS_PER_MILLI);
    if (nanos % NANOS_PER_MILLI == 0)
        return;
    char digits[MILLI_DIGITS];
    uint64_t rest = nanos % NANOS_PER_MILLI;
    for (size_t i = MILLI_DIGITS; i > 0; i--, rest /= 10)
        digits[i - 1] = (char)('0' + rest % 10);
    out_byte(out, '.');
    out_bytes(out, digits, MILLI_DIGITS);
}

// Extends the current stack of the lane until `time`.
static bool pass_time(struct firefox *firefox, uint64_t time)
{
    size_t depth = firefox->open.count;
    uint64_t from = firefox->at;
    if (!firefox->has_event || time <= from) {
        firefox->at = firefox->has_event ? from : time;
        firefox->has_event = true;
        return true;
    }
    struct sample *sample =
        (struct sample *)(void *)spool_reserve(&firefox->samples, sizeof *sample);
    if (!sample) {
        firefox->lacks_memory = true;
        return false;
    }
    *sample = (struct sample){.nanos = nanos_of(firefox, from),
                              .ticks = nanos_of(firefox, time) - nanos_of(firefox, from),
                              .stack = depth ? firefox->open.items[depth - 1] : NO_STACK};
    firefox->samples.used_bytes += sizeof *sample;
    firefox->at = time;
    return true;
}

static void put_stack_cell(struct out *out, const struct sample *sample)
{
    if (sample->stack == NO_STACK)
        out_text(out, "null");
    else
        out_u64(out, sample->stack);
}

static void put_time_cell(struct out *out, const struct sample *sample)
{
    put_millis(out, sample->nanos);
}

static void put_weight_cell(struct out *out, const struct sample *sample)
{
    put_millis(out, sample->ticks);
}

static void put_sample_column(struct firefox *firefox, const char *key,
                              void (*put)(struct out *out, const struct sample *sample))
{
    const struct sample *samples = (const struct sample *)(void *)firefox->samples.base;
    size_t count = (size_t)(firefox->samples.used_bytes / sizeof *samples);
    struct out *out = begin_column(&firefox->json, key);
    for (size_t i = 0; i < count; i++) {
        if (i)
            out_byte(out, ',');
        put(out, &samples[i]);
    }
    json_end_array(&firefox->json);
}

// --- Lanes ---------------------------------------------------------------------------------------

static void end_lane(struct firefox *firefox)
{
    static const char *const marker_columns[] = {"data",  "name",     "startTime", "endTime",
                                                 "phase", "category", NULL};
    if (!firefox->is_in_lane)
        return;
    firefox->is_in_lane = false;
    struct json *json = &firefox->json;
    json_key(json, "samples");
    json_begin_object(json);
    put_sample_column(firefox, "stack", put_stack_cell);
    put_sample_column(firefox, "time", put_time_cell);
    put_sample_column(firefox, "weight", put_weight_cell);
    json_member_text(json, "weightType", "tracing-ms");
    json_member_u64(json, "length", firefox->samples.used_bytes / sizeof(struct sample));
    json_end_object(json);
    put_empty_table(&firefox->json, "markers", marker_columns);
    json_end_object(&firefox->json);
    firefox->samples.used_bytes = 0;
}

static void put_decimal_text(struct json *json, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    json_member_text(json, key, text);
}

static bool on_lane(void *self, const struct call_lane *lane)
{
    struct firefox *firefox = self;
    struct json *json = &firefox->json;
    end_lane(firefox);
    firefox->open.count = 0;
    firefox->has_event = false;
    firefox->is_in_lane = true;
    json_begin_object(json);
    json_member_text(json, "name", *lane->name ? lane->name : "all");
    json_member_bool(json, "isMainThread", lane->process != firefox->process);
    firefox->process = lane->process;
    json_member_text(json, "processType", "default");
    put_decimal_text(json, "pid", lane->process);
    put_decimal_text(json, "tid", lane->thread);
    json_member_u64(json, "processStartupTime", 0);
    json_member_text(json, "processShutdownTime", NULL);
    json_member_u64(json, "registerTime", 0);
    json_member_text(json, "unregisterTime", NULL);
    put_empty_array(json, "pausedRanges");
    return !out_failed(json->out);
}

// --- Calls ---------------------------------------------------------------------------------------

static bool on_enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    struct firefox *firefox = self;
    size_t depth = firefox->open.count;
    uint32_t function, stack;
    if (!pass_time(firefox, time))
        return false;
    uint64_t around = depth ? firefox->open.items[depth - 1] + UINT64_C(1) : 0;
    if (!name_ids_of_call(&firefox->ids, pc, how, &function) ||
        !name_ids_of(&firefox->stacks, around << 32 | function, &stack) ||
        !VEC_ROOM(&firefox->open, 1)) {
        firefox->lacks_memory = true;
        return false;
    }
    firefox->open.items[firefox->open.count++] = stack;
    return !out_failed(firefox->json.out);
}

static bool on_leave(void *self, uint64_t time)
{
    struct firefox *firefox = self;
    ASSERT(firefox->open.count);
    if (!pass_time(firefox, time))
        return false;
    firefox->open.count--;
    return true;
}

// The format has no place for instants and arguments.
struct call_sink firefox_sink(struct firefox *firefox)
{
    return (struct call_sink){
        .self = firefox, .begin = on_begin, .lane = on_lane, .enter = on_enter, .leave = on_leave};
}

// --- What lanes share ----------------------------------------------------------------------------

static void put_stacks(struct firefox *firefox)
{
    struct json *json = &firefox->json;
    size_t count = firefox->stacks.pcs.count;
    json_key(json, "stackTable");
    json_begin_object(json);
    struct out *out = begin_column(json, "frame");
    for (size_t i = 0; i < count; i++) {
        if (i)
            out_byte(out, ',');
        out_u64(out, (uint32_t)firefox->stacks.pcs.items[i]);
    }
    json_end_array(json);
    begin_column(json, "prefix");
    for (size_t i = 0; i < count; i++) {
        uint64_t around = firefox->stacks.pcs.items[i] >> 32;
        if (i)
            out_byte(out, ',');
        if (around)
            out_u64(out, around - 1);
        else
            out_text(out, "null");
    }
    json_end_array(json);
    json_member_u64(json, "length", count);
    json_end_object(json);
}

// A frame for each function, with the line where the function begins.
static void put_frames(struct json *json, size_t count)
{
    json_key(json, "frameTable");
    json_begin_object(json);
    put_same(json, "address", count, "-1");
    put_same(json, "inlineDepth", count, "0");
    put_same(json, "category", count, "0");
    put_same(json, "subcategory", count, "0");
    put_counting(json, "func", count);
    put_same(json, "nativeSymbol", count, "null");
    put_same(json, "innerWindowID", count, "null");
    put_same(json, "line", count, "null");
    put_same(json, "column", count, "null");
    json_member_u64(json, "length", count);
    json_end_object(json);
}

// The number of a file among those so far; texts live as long as the places, and are compared by
// address.
static bool file_number(struct firefox *firefox, const char *path, size_t *number)
{
    for (*number = firefox->files.count; *number > 0; --*number) {
        if (firefox->files.items[*number - 1] == path) {
            --*number;
            return true;
        }
    }
    *number = firefox->files.count;
    if (!VEC_ROOM(&firefox->files, 1))
        return false;
    firefox->files.items[firefox->files.count++] = path;
    return true;
}

// The places of functions, as a column of files or of lines.
static void put_places(struct firefox *firefox, const char *key, bool is_line)
{
    struct out *out = begin_column(&firefox->json, key);
    for (size_t i = 0; i < firefox->ids.pcs.count; i++) {
        struct source_location place;
        size_t file;
        if (i)
            out_byte(out, ',');
        if (!source_lines_find(firefox->places, firefox->names, firefox->ids.pcs.items[i],
                               &place)) {
            out_text(out, "null");
        } else if (is_line) {
            out_u64(out, place.line);
        } else {
            firefox->lacks_memory |= !file_number(firefox, place.path, &file);
            out_u64(out, file);
        }
    }
    json_end_array(&firefox->json);
}

static void put_functions(struct firefox *firefox)
{
    struct json *json = &firefox->json;
    size_t count = firefox->ids.pcs.count;
    json_key(json, "funcTable");
    json_begin_object(json);
    put_counting(json, "name", count);
    put_same(json, "isJS", count, "false");
    put_same(json, "relevantForJS", count, "false");
    put_same(json, "resource", count, "-1");
    put_places(firefox, "source", false);
    put_places(firefox, "lineNumber", true);
    put_same(json, "columnNumber", count, "null");
    json_member_u64(json, "length", count);
    json_end_object(json);
}

static void put_files(struct firefox *firefox)
{
    struct json *json = &firefox->json;
    size_t count = firefox->files.count;
    json_key(json, "sources");
    json_begin_object(json);
    put_same(json, "id", count, "null");
    struct out *out = begin_column(json, "filename");
    for (size_t i = 0; i < count; i++) {
        if (i)
            out_byte(out, ',');
        out_u64(out, firefox->ids.pcs.count + i);
    }
    json_end_array(json);
    put_same(json, "startLine", count, "1");
    put_same(json, "startColumn", count, "1");
    put_same(json, "sourceMapURL", count, "null");
    json_member_u64(json, "length", count);
    json_end_object(json);
}

static void put_strings(struct firefox *firefox)
{
    struct json *json = &firefox->json;
    json_key(json, "stringArray");
    json_begin_array(json);
    for (size_t i = 0; i < firefox->ids.pcs.count; i++) {
        char name[NAME_ID_BYTES];
        json_text(json, name_ids_text(&firefox->ids, i, firefox->names, name));
    }
    for (size_t i = 0; i < firefox->files.count; i++)
        json_text(json, firefox->files.items[i]);
    json_end_array(json);
}

void firefox_end(struct firefox *firefox)
{
    if (firefox->is_begun) {
        end_lane(firefox);
        json_end_array(&firefox->json);
        static const char *const resources[] = {"lib", "name", "host", "type", NULL};
        static const char *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL};
        struct json *json = &firefox->json;
        json_key(json, "shared");
        json_begin_object(json);
        put_stacks(firefox);
        put_frames(json, firefox->ids.pcs.count);
        put_functions(firefox);
        put_empty_table(json, "resourceTable", resources);
        put_empty_table(json, "nativeSymbols", symbols);
        put_files(firefox);
        put_strings(firefox);
        json_end_object(json);
        json_end_object(&firefox->json);
        json_end(&firefox->json);
    }
    name_ids_free(&firefox->ids);
    name_ids_free(&firefox->stacks);
    spool_free(&firefox->samples);
    free(firefox->open.items);
    free(firefox->files.items);
}
