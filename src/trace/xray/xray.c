#include "trace/xray/xray.h"

#include "flow/function_id.h"
#include "idx/index_write.h"
#include "idx/parts.h"
#include "trace/xray/log.h"
#include "trace/xray/log_open.h"
#include "trace/xray/objects.h"
#include "trace/xray/pass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// --- Names of ids --------------------------------------------------------------------------------

// Answers of images and instrumentation maps (in YAML, too) about the function ids of logs.

static enum status ids_add(void **self, const char *argument, uint64_t load_offset,
                           struct image_set *images, struct error *err)
{
    struct xray_objects *objects = *self ? *self : calloc(1, sizeof *objects);
    *self = objects;
    return objects ? xray_objects_add(objects, argument, load_offset, images, err)
                   : error_set(err, STATUS_MEMORY, "%s: no memory", argument);
}

static void ids_free(void *self)
{
    if (self)
        xray_objects_free(self);
    free(self);
}

static const char *ids_name(const void *self, uint32_t id)
{
    const struct xray_function *function;
    const struct xray_object *object = self ? xray_objects_find(self, id, &function) : NULL;
    return object ? xray_object_name_of(object, function) : NULL;
}

static bool ids_at(const void *self, size_t number, uint32_t *id)
{
    const struct xray_objects *objects = self;
    for (size_t i = 0; objects && i < objects->items.count; i++) {
        const struct xray_object *object = &objects->items.items[i];
        if (!object->is_numbered)
            continue;
        if (number < object->map.functions.count) {
            *id = object->number << XRAY_OBJECT_SHIFT | object->map.functions.items[number].id;
            return true;
        }
        number -= object->map.functions.count;
    }
    return false;
}

const struct function_ids xray_function_ids = {"[thread]", ids_add, ids_free, ids_name, ids_at};

// --- Progress ------------------------------------------------------------------------------------

static void on_buffer(void *self, uint64_t size_bytes)
{
    const struct xray_meter *meter = self;
    progress_add(meter->progress, size_bytes);
    if (pthread_equal(meter->owner, pthread_self()))
        progress_show(meter->progress);
}

void xray_meter_begin(struct xray_meter *meter, struct progress *progress, enum meter kind,
                      struct xray_log *log, unsigned passes)
{
    *meter = (struct xray_meter){{on_buffer, meter}, progress, pthread_self()};
    progress_begin(progress, stderr, kind, log->size_bytes * passes);
    log->watcher = kind == METER_OFF ? NULL : &meter->watcher;
}

// --- The kind ------------------------------------------------------------------------------------

// The passes for building an index: matching calls, filling rows.
enum { INDEX_PASSES = 2 };

static struct xray_trace *xray_in(struct trace *trace)
{
    return (struct xray_trace *)(void *)trace;
}

static const struct xray_trace *xray_in_const(const struct trace *trace)
{
    return (const struct xray_trace *)(const void *)trace;
}

struct xray_trace *xray_of(struct trace *trace)
{
    return trace && trace->kind == &xray_kind ? xray_in(trace) : NULL;
}

// --- Opening -------------------------------------------------------------------------------------

static bool is(const void *head, size_t size_bytes)
{
    return xray_log_is(head, size_bytes);
}

static bool joins(const char *name)
{
    return xray_is_program_name(name, strlen(name));
}

static enum status join_logs(struct xray_trace *xray, const char *bytes, uint64_t size_bytes,
                             struct error *err)
{
    struct source *source = xray->trace.source;
    size_t count = source_file_count(source);
    enum status status = source_find_files(source, err);
    struct xray_log_file *files = status == STATUS_OK ? calloc(count, sizeof *files) : NULL;
    if (status == STATUS_OK && !files)
        status = error_set(err, STATUS_MEMORY, "%s: no memory", xray->trace.path);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct source_file file = source_file(source, i);
        uint64_t end = i + 1 < count ? source_file(source, i + 1).first_byte : size_bytes;
        files[i] = (struct xray_log_file){.path = file.path,
                                          .program = file.core,
                                          .bytes = bytes + file.first_byte,
                                          .size_bytes = end - file.first_byte,
                                          .first_byte = file.first_byte};
    }
    if (status == STATUS_OK)
        status = xray_log_join(&xray->log, files, count, err);
    free(files);
    return status;
}

static enum status open_log(struct trace *trace, const struct image_set *images, struct error *err)
{
    struct xray_trace *xray = xray_in(trace);
    struct error cause;
    const char *bytes;
    uint64_t size_bytes;
    (void)images;
    enum status status = source_read_all(trace->source, &bytes, &size_bytes, err);
    if (status != STATUS_OK)
        return status;
    if (trace->is_joined)
        return join_logs(xray, bytes, size_bytes, err);
    status = xray_log_open(&xray->log, bytes, size_bytes, &cause);
    if (status == STATUS_OK)
        return status;
    error_set_at(err, status, cause.offset, "%s: %.400s", trace->path, cause.text);
    err->line = cause.line;
    return status;
}

static void close_log(struct trace *trace)
{
    struct xray_trace *xray = xray_in(trace);
    free(xray->known);
    xray_pass_free(&xray->pass);
    xray_log_close(&xray->log);
}

// --- Passes --------------------------------------------------------------------------------------

// Begins a new pass, over the index if one is read.
static struct xray_pass *begin(struct xray_trace *xray, const struct pass_options *options,
                               unsigned passes)
{
    struct trace *trace = &xray->trace;
    if (trace->progress)
        xray_meter_begin(&xray->meter, trace->progress, trace->meter, &xray->log, passes);
    xray_pass_free(&xray->pass);
    xray->pass = (struct xray_pass){
        .log = &xray->log,
        .threads = options->threads,
        .range = options->range,
        .returned_only = !options->keep_open_calls,
        .watch = options->watch,
        .segments = options->segments,
        .index = trace->index,
        .known = trace->index ? xray->known : NULL,
        .damage = trace->index ? trace->damage : (struct trace_damage){0},
    };
    return &xray->pass;
}

static enum status end(struct xray_trace *xray, enum status status, struct error *err)
{
    struct trace *trace = &xray->trace;
    trace->damage = xray->pass.damage;
    if (status == STATUS_OK && !source_is_intact(trace->source))
        return error_set(err, STATUS_INPUT, "the trace was changed while it was read");
    return status;
}

static enum status run(struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err)
{
    struct xray_trace *xray = xray_in(trace);
    bool makes_segments = options->segments.write != NULL;
    struct xray_pass *pass = begin(xray, options, makes_segments ? INDEX_PASSES : 1);
    (void)observer;
    enum status status = makes_segments
                             ? xray_segments_run(pass, result, err)
                             : xray_pass_run_calls(pass, &options->consumer, result, err);
    return end(xray, status, err);
}

static enum status contexts(struct trace *trace, const struct pass_options *options,
                            struct context_tree *tree, struct pass_result *result,
                            struct error *err)
{
    struct xray_trace *xray = xray_in(trace);
    return end(xray, xray_contexts_run(begin(xray, options, 1), tree, result, err), err);
}

static enum status profile(struct trace *trace, const struct pass_options *options,
                           const char *lane, struct profile *profile, struct pass_result *result,
                           struct error *err)
{
    struct xray_trace *xray = xray_in(trace);
    return end(xray, xray_profile_run(begin(xray, options, 1), lane, profile, result, err), err);
}

// A pass with its own walk, by this many workers; one worker takes the threads in order.
static enum status walk_all(struct xray_trace *xray, const struct pass_options *options,
                            unsigned workers, void *self, xray_walk *walk,
                            struct pass_result *result, struct error *err)
{
    struct xray_pass *pass = begin(xray, options, 1);
    pass->threads = workers;
    return end(xray, xray_pass_run(pass, result, self, walk, err), err);
}

// Passes on calls as they are read, in the order of the log's threads.
static enum status stream(struct trace *trace, const struct pass_options *options, const char *lane,
                          const struct call_sink *sink, struct pass_result *result,
                          struct error *err)
{
    const struct xray_log *log = &xray_in(trace)->log;
    struct xray_call_stream stream = {
        .sink = sink, .range = &options->range, .log = log, .result = result, .lane = lane};
    if (!sink->begin(sink->self, xray_log_start(log), trace_frequency_hz(trace)))
        return STATUS_OK;
    return walk_all(xray_in(trace), options, 1, &stream, xray_stream_lane, result, err);
}

// --- Stacks --------------------------------------------------------------------------------------

static size_t lane_count(const struct trace *trace)
{
    return xray_in_const(trace)->log.threads.count;
}

static void lane_name(const struct trace *trace, size_t lane, char name[LIMIT_LANE_NAME_BYTES + 1])
{
    const struct xray_log *log = &xray_in_const(trace)->log;
    xray_thread_name(log, &log->threads.items[lane], name);
}

static enum status lane_of_byte(const struct trace *trace, uint64_t byte, size_t *lane,
                                struct error *err)
{
    const struct xray_log *log = &xray_in_const(trace)->log;
    uint64_t number;
    if (!xray_find_buffer(log, byte, &number))
        return error_set(err, STATUS_NOT_FOUND, "byte %" PRIu64 " is in no buffer", byte);
    *lane = log->buffers.items[number].thread;
    return STATUS_OK;
}

static void find_byte(const struct trace *trace, uint64_t byte, struct lane_point *point)
{
    xray_find_byte(&xray_in_const(trace)->log, byte, point);
}

static void find_entry(const struct trace *trace, uint64_t pc, uint64_t *visit,
                       struct lane_point *point)
{
    xray_find_entry(&xray_in_const(trace)->log, pc, visit, point);
}

static enum status read_stacks(struct trace *trace, const struct pass_options *options,
                               const struct lane_point *point, struct lane_stack *stacks,
                               struct pass_result *result, struct error *err)
{
    struct xray_stacks_at at = {point, stacks};
    return walk_all(xray_in(trace), options, options->threads, &at, xray_stacks_at_walk, result,
                    err);
}

static enum status recall(struct trace *trace, const struct pass_options *options,
                          struct pass_result *result, struct error *err)
{
    return xray_pass_recall(begin(xray_in(trace), options, 1), result, err);
}

// --- The index -----------------------------------------------------------------------------------

static uint64_t identity(const struct trace *trace, const struct pass_options *options,
                         bool is_for_queries, uint64_t *mask)
{
    (void)options, (void)is_for_queries;
    (void)trace;
    *mask = TRAWL_DEDUCES_CALLS;
    return TRAWL_DEDUCES_CALLS;
}

static const char *lacks_index(const struct trace *trace)
{
    const struct xray_log *log = &xray_in_const(trace)->log;
    return log->made && !log->processes.count
               ? "a YAML log cannot be indexed: convert it first with 'trawl xray convert -f raw'"
               : NULL;
}

static bool write_sections(struct trace *trace, struct index_writer *writer,
                           const struct register_names *names)
{
    struct parts_writer parts = {0};
    (void)names;
    bool is_done = xray_section_write(&xray_in(trace)->pass, &parts) &&
                   index_writer_add_section(writer, SECTION_XRAY, &parts);
    parts_writer_free(&parts);
    return is_done;
}

static enum status read_index(struct trace *trace, struct trawl_index *index, struct error *err)
{
    struct xray_trace *xray = xray_in(trace);
    size_t lanes = xray->log.threads.count;
    free(xray->known);
    xray->known = calloc(lanes + 1, sizeof *xray->known);
    if (!xray->known)
        return error_set(err, STATUS_MEMORY, "%s: no memory", trace->path);
    return xray_section_read(index, lanes, xray->known, &trace->damage, err);
}

static enum status check_index(struct trace *trace, struct trawl_index *index, struct error *err)
{
    (void)trace;
    return xray_section_check_rows(index, err);
}

// --- What is said --------------------------------------------------------------------------------

enum { LINE_BYTES = 480 };

static void say_lane(const struct lane_result *lane, const struct xray_lane_counts *counts,
                     const struct trace_reporter *reporter)
{
    char line[LINE_BYTES];
    snprintf(line, sizeof line,
             "%s: %" PRIu64 " function record%s, %" PRIu64 " call%s returned; unmatched: %" PRIu64
             " exit%s, %" PRIu64 " entr%s",
             lane->name, lane->events, plural(lane->events), counts->calls, plural(counts->calls),
             counts->exits.unmatched, plural(counts->exits.unmatched), counts->unmatched_entries,
             counts->unmatched_entries == 1 ? "y" : "ies");
    reporter->detail(reporter->self, line);
}

static void say_details(const struct xray_trace *xray, const struct pass_result *result,
                        const struct trace_reporter *reporter)
{
    char line[LINE_BYTES];
    uint64_t events = 0;
    double seconds = (double)result->wall_ns / 1e9;
    for (size_t i = 0; i < result->lane_count; i++)
        events += result->lanes[i].events;
    snprintf(line, sizeof line,
             "%" PRIu64 " byte%s, %" PRIu64 " function record%s in %" PRIu64
             " buffer%s of %zu thread%s in %.3f s (%.0f MB/s), %u thread%s",
             result->bytes, plural(result->bytes), events, plural(events), result->chunks,
             plural(result->chunks), result->lane_count, plural(result->lane_count), seconds,
             (double)result->bytes / 1e6 / (seconds + 1e-9), xray->trace.options.threads,
             plural(xray->trace.options.threads));
    reporter->detail(reporter->self, line);
    for (size_t i = 0; i < result->lane_count; i++)
        say_lane(&result->lanes[i], &xray->pass.counts[i], reporter);
    if (xray->log.shared_buffers) {
        snprintf(line, sizeof line,
                 "%" PRIu64 " buffer%s in two logs, as after a fork, and read once",
                 xray->log.shared_buffers, xray->log.shared_buffers == 1 ? " is" : "s are");
        reporter->detail(reporter->self, line);
    }
    if (!xray->log.duplicate_buffers)
        return;
    snprintf(line, sizeof line, "%" PRIu64 " buffer%s in the log twice",
             xray->log.duplicate_buffers, xray->log.duplicate_buffers == 1 ? " is" : "s are");
    reporter->detail(reporter->self, line);
}

// The program in the name that the runtime gives a log, xray-log.PROGRAM.RANDOM; length 0: none.
static const char *program_in_name(const char *path, size_t *length)
{
    static const char start[] = "xray-log.";
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    bool is_usual = strncmp(last, start, sizeof start - 1) == 0;
    const char *program = last + (is_usual ? sizeof start - 1 : 0), *end = strrchr(program, '.');
    *length = is_usual && end ? (size_t)(end - program) : 0;
    return program;
}

// Functions of two programs would be taken for one if their ids are equal.
static void doubt_programs(const struct trace *trace, const struct trace_reporter *reporter)
{
    char line[LINE_BYTES];
    const char *first = NULL;
    size_t first_length = 0, length;
    for (size_t i = 0; i < source_file_count(trace->source) && trace->is_joined; i++) {
        const struct source_file file = source_file(trace->source, i);
        const char *program = program_in_name(file.path, &length);
        if (*file.core || !length)
            continue;
        first_length = first ? first_length : length;
        first = first ? first : program;
        if (length == first_length && strncmp(program, first, length) == 0)
            continue;
        snprintf(line, sizeof line,
                 "%.120s seems to be of another program than %.*s, whose functions have the same "
                 "ids: name it, as --with NAME=LOG",
                 program, (int)u64_min(first_length, 120), first);
        reporter->warn(reporter->self, line);
        return;
    }
}

static void sum_up(const struct trace *trace, const struct pass_result *result,
                   const struct trace_reporter *reporter)
{
    const struct xray_trace *xray = xray_in_const(trace);
    const struct xray_lane_counts *sums = &xray->pass.counts[result->lane_count];
    char line[LINE_BYTES];
    if (reporter->detail)
        say_details(xray, result, reporter);
    doubt_programs(trace, reporter);
    if (sums->exits.unmatched) {
        snprintf(line, sizeof line, "%" PRIu64 " exit%s in the log", sums->exits.unmatched,
                 sums->exits.unmatched == 1 ? " has no entry" : "s have no entry");
        reporter->lost(reporter->self, line);
    }
    if (sums->exits.unwound) {
        xray_unwound_text(sums->exits.unwound, line, sizeof line);
        reporter->warn(reporter->self, line);
    }
    if (sums->falling_times) {
        snprintf(line, sizeof line,
                 "%" PRIu64 " function record%s earlier than the previous one, whose time is used",
                 sums->falling_times, sums->falling_times == 1 ? " is" : "s are");
        reporter->warn(reporter->self, line);
    }
}

static enum status number_objects(const struct trace *trace, void *id_names, struct error *err)
{
    struct xray_objects *objects = id_names;
    if (!objects)
        return STATUS_OK;
    enum status status = xray_objects_name(objects, &xray_in_const(trace)->log, err);
    if (status != STATUS_OK)
        return status;
    if (xray_objects_are_open(objects) &&
        !xray_objects_note_log(objects, &xray_in_const(trace)->log))
        return error_set(err, STATUS_MEMORY, "no memory for the objects of the log");
    return xray_objects_settle(objects, err);
}

static uint64_t frequency_hz(const struct trace *trace)
{
    return xray_in_const(trace)->log.header.frequency_hz;
}

static size_t arguments(const struct trace *trace, uint64_t position, uint64_t *values,
                        size_t capacity)
{
    const struct xray_log *log = &xray_in_const(trace)->log;
    struct xray_cursor cursor;
    struct xray_record record;
    uint64_t buffer;
    size_t count = 0;
    if (!xray_find_buffer(log, position, &buffer))
        return 0;
    xray_cursor_call(&cursor, log, buffer, position);
    if (!xray_next(&cursor, &record) || !xray_is_enter(record.kind))
        return 0;
    for (; xray_next(&cursor, &record) && record.kind == XRAY_ARGUMENT; count++) {
        if (count < capacity)
            values[count] = record.value;
    }
    return count;
}

static const struct trace_direct direct = {
    .contexts = contexts,
    .profile = profile,
    .stream = stream,
    .stacks = {.lane_count = lane_count,
               .lane_name = lane_name,
               .lane_of_byte = lane_of_byte,
               .find_byte = find_byte,
               .find_entry = find_entry,
               .read = read_stacks,
               .recall = recall},
    .arguments = arguments,
};

static const struct trace_ids ids = {
    .functions = &xray_function_ids,
    .number_objects = number_objects,
};

const struct trace_kind xray_kind = {
    .name = "xray",
    .words = {"an XRay log", "thread", "Thread", "places"},
    .abilities = TRACE_CALLS | TRACE_CONTEXTS | TRACE_EVENTS | TRACE_TIMES | TRACE_BY_LANES,
    .joins = joins,
    .size_bytes = sizeof(struct xray_trace),
    .is = is,
    .open = open_log,
    .close = close_log,
    .run = run,
    .frequency_hz = frequency_hz,
    .indexing = {.identity = identity,
                 .write_sections = write_sections,
                 .nests_calls = true,
                 .lacks = lacks_index,
                 .read = read_index,
                 .check_rows = check_index},
    .telling = {.description = &xray_description, .fault_text = xray_fault_text, .sum_up = sum_up},
    .direct = &direct,
    .ids = &ids,
};
