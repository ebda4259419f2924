#include "cmd/xray/info.h"
#include "cmd/trace_open.h"
#include "cmd/trace_pass.h"
#include "session/index_plan.h"

#include "cli/visible.h"
#include "cmd/index_sizes.h"
#include "flow/profile.h"
#include "report/items.h"
#include "trace/xray/xray.h"

#include <stdlib.h>

enum { LABEL_WIDTH = 18 };

struct info {
    struct trace_command *command;
    const struct xray_log *log;
    const struct xray_lane_counts *sums;
    bool lists_functions, lists_sizes;
    struct profile profile; // of --functions
    struct index_sizes sizes;
    struct index_file file;
    struct items items;
};

// --- Lines and members ---------------------------------------------------------------------------

static void put_log(struct info *info)
{
    static const char *const formats[] = {"XRay basic", "XRay FDR", "XRay basic, as YAML",
                                          "XRay FDR, as YAML"};
    const struct xray_header *header = &info->log->told;
    items_text(&info->items, "trace", "path", info->command->session.path);
    items_text(&info->items, "format", "format",
               formats[(header->type == XRAY_FDR) + 2 * (info->log->made != NULL)]);
    items_u64(&info->items, "version", "version", header->version);
    items_text(&info->items, "byte order", "byte_order", header->is_big_endian ? "big" : "little");
    items_u64(&info->items, "ticks per second", "frequency_hz", header->frequency_hz);
    items_u64(&info->items, "bytes", "bytes", info->log->file_bytes);
    items_u64(&info->items, "buffers", "buffers", info->log->buffers.count);
    items_u64(&info->items, "duplicate buffers", "duplicate_buffers", info->log->duplicate_buffers);
    items_u64(&info->items, "unused buffers", "unused_buffers", info->log->unused_buffers);
    items_u64(&info->items, "threads", "threads", info->log->threads.count);
}

// First and last time of all threads.
static void put_times(struct info *info)
{
    const struct pass_result *result = &info->command->session.result;
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < result->lane_count; i++) {
        if (!result->lanes[i].events)
            continue;
        first = u64_min(first, result->lanes[i].root.time);
        last = u64_max(last, result->lanes[i].last.time);
    }
    if (first > last)
        return;
    items_u64(&info->items, "first time", "first_time", first);
    items_u64(&info->items, "last time", "last_time", last);
    items_seconds(&info->items, "seconds", "seconds", last - first, info->log->header.frequency_hz,
                  9);
}

static void put_records(struct info *info)
{
    const struct pass_result *result = &info->command->session.result;
    const struct xray_lane_counts *sums = info->sums;
    uint64_t events = 0;
    for (size_t i = 0; i < result->lane_count; i++)
        events += result->lanes[i].events;
    items_u64(&info->items, "function records", "events", events);
    items_u64(&info->items, "calls", "calls", sums->calls);
    items_u64(&info->items, "unmatched exits", "unmatched_exits", sums->unmatched_exits);
    items_u64(&info->items, "unmatched entries", "unmatched_entries", sums->unmatched_entries);
    items_u64(&info->items, "tail exits", "tail_exits", sums->tail_exits);
    items_u64(&info->items, "arguments", "arguments", sums->arguments);
    items_u64(&info->items, "custom events", "custom_events", sums->custom_events);
    items_u64(&info->items, "typed events", "typed_events", sums->typed_events);
    items_u64(&info->items, "falling times", "falling_times", sums->falling_times);
    items_u64(&info->items, "damaged places", "damaged_places", result->damaged_lines);
    items_u64(&info->items, "damaged bytes", "damaged_bytes", result->damaged_bytes);
}

// --- The index -----------------------------------------------------------------------------------

// Opens the one that is of the log, or that is read in its stead whatever it is of. False: no
// memory, reported.
static bool find_index(struct info *info, enum exit_status *status)
{
    struct error err;
    struct trace_command *command = info->command;
    struct index_file *file = &info->file;
    char text[480];
    enum status found = index_plan_find(&command->session, file, &err);
    if (found == STATUS_MEMORY)
        *status = trace_command_error(command, &err);
    if (found != STATUS_OK)
        return found != STATUS_MEMORY;
    bool is_told = file->fit == INDEX_FITS || file->fit == INDEX_OTHER_OPTIONS ||
                   command->session.index.use == INDEX_NO_BUILD;
    if (is_told && file->index)
        return true;
    index_file_describe(file, command->session.path, text, sizeof text);
    if (command->verbose && file->fit != INDEX_MISSING)
        visible_line(command->diag.out, "trawl: %s; not telling of it", text);
    index_file_free(file);
    return true;
}

static void put_index(struct info *info)
{
    struct items *items = &info->items;
    struct trawl_info about;
    if (!info->file.index)
        return;
    trawl_info(info->file.index, &about);
    items_begin_part(items, "index");
    items_text(items, "index", "path", info->file.path);
    items_u64(items, "bytes", "bytes", about.index_bytes);
    items_ratio(items, "of the log", "ratio", about.index_bytes, about.trace_bytes, 4);
    items_ratio(items, "per record", "bytes_per_event", about.index_bytes, about.events, 2);
    items_u64(items, "segments", "segments", about.segments);
    items_u64(items, "records in each", "segment_events", about.segment_events);
    items_bool(items, "deduces calls", "deduces_calls", about.options & TRAWL_DEDUCES_CALLS);
    items_end_part(items);
}

// --- Threads and functions -----------------------------------------------------------------------

static const struct column thread_columns[] = {
    {"Thread", "lane", COLUMN_TEXT},
    {"Process", "process", COLUMN_U64},
    {"Id", "thread", COLUMN_U64},
    {"Buffers", "buffers", COLUMN_U64},
    {"Records", "events", COLUMN_U64},
    {"Calls", "calls", COLUMN_U64},
    {"Unmatched exits", "unmatched_exits", COLUMN_U64},
    {"Unmatched entries", "unmatched_entries", COLUMN_U64},
};

static void put_threads(void *self, struct table *table)
{
    const struct info *info = self;
    const struct pass_result *result = &info->command->session.result;
    for (size_t i = 0; i < result->lane_count; i++) {
        const struct xray_thread *thread = &info->log->threads.items[i];
        const struct xray_lane_counts *counts =
            &xray_of(info->command->session.trace)->pass.counts[i];
        table_text(table, result->lanes[i].name);
        table_u64(table, thread->pid);
        table_u64(table, thread->tid);
        table_u64(table, thread->buffer_count);
        table_u64(table, result->lanes[i].events);
        table_u64(table, counts->calls);
        table_u64(table, counts->unmatched_exits);
        table_u64(table, counts->unmatched_entries);
    }
}

static const struct column function_columns[] = {
    {"Id", "function_id", COLUMN_U64},
    {"Calls", "calls", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
};

static void put_functions(void *self, struct table *table)
{
    struct info *info = self;
    for (size_t i = 0; i < info->profile.rows.count; i++) {
        const struct profile_row *row = &info->profile.rows.items[i];
        if (row->pc == FUNCTION_PC_OUTSIDE)
            continue;
        trace_command_function_id(table, row->pc);
        table_u64(table, row->count);
        table_text(table, names_of(&info->command->session.names, row->pc));
    }
}

// --- The report ----------------------------------------------------------------------------------

static enum status put_sizes(struct info *info, struct error *err)
{
    if (!info->file.index) {
        diag_warning(&info->command->diag, "%s: has no index that fits, and so no sizes",
                     info->command->session.path);
        return STATUS_OK;
    }
    enum status status = index_sizes_read(&info->sizes, info->file.index, err);
    if (status != STATUS_OK)
        return status;
    return items_table(&info->items, "sizes", index_size_columns, INDEX_SIZE_COLUMNS,
                       index_sizes_put, &info->sizes, err);
}

static enum status put_all(struct info *info, struct error *err)
{
    put_log(info);
    put_times(info);
    put_records(info);
    put_index(info);
    enum status status = items_table(&info->items, "lanes", thread_columns,
                                     ARRAY_COUNT(thread_columns), put_threads, info, err);
    if (status == STATUS_OK && info->lists_sizes)
        status = put_sizes(info, err);
    if (status == STATUS_OK && info->lists_functions)
        status = items_table(&info->items, "functions", function_columns,
                             ARRAY_COUNT(function_columns), put_functions, info, err);
    if (status == STATUS_OK)
        items_end(&info->items);
    return status;
}

static enum exit_status report(struct info *info)
{
    struct out out;
    struct error err;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(info->command, &out, &status))
        return status;
    items_begin(&info->items, &out, info->command->table_format == TABLE_JSON, LABEL_WIDTH);
    if (put_all(info, &err) == STATUS_OK)
        return trace_command_end(info->command, &out);
    out_abandon(&out);
    return trace_command_error(info->command, &err);
}

enum exit_status xray_info(struct trace_command *command, bool lists_functions, bool lists_sizes)
{
    struct info info = {
        .command = command, .lists_functions = lists_functions, .lists_sizes = lists_sizes};
    enum exit_status status = EXIT_STATUS_FAILED;
    bool is_read = trace_command_open_images(command, &status) &&
                   (lists_functions ? trace_command_profile(command, &info.profile, &status)
                                    : trace_command_pass(command, NULL, NULL, &status));
    if (is_read) {
        info.log = &xray_of(command->session.trace)->log;
        info.sums =
            &xray_of(command->session.trace)->pass.counts[command->session.result.lane_count];
        if (find_index(&info, &status))
            status = report(&info);
    }
    index_file_free(&info.file);
    profile_free(&info.profile);
    return status;
}
