#include "cmd/xray_info.h"

#include "analysis/profile.h"
#include "cmd/xray_trace.h"
#include "report/json.h"

#include <stdlib.h>

enum { LABEL_WIDTH = 18 };

struct info {
    struct trace_command *command;
    const struct xray_log *log;
    const struct xray_lane_counts *sums;
    struct profile profile; // of --functions
    struct out *out;
    struct json json;
    bool is_json;
};

// --- Lines and members ---------------------------------------------------------------------------

static void begin_item(struct info *info, const char *label, const char *key)
{
    if (info->is_json) {
        json_key(&info->json, key);
        return;
    }
    out_text(info->out, label);
    out_pad(info->out, LABEL_WIDTH - strlen(label));
}

static void put_text(struct info *info, const char *label, const char *key, const char *value)
{
    begin_item(info, label, key);
    if (info->is_json) {
        json_text(&info->json, value);
        return;
    }
    out_text(info->out, value);
    out_byte(info->out, '\n');
}

static void put_u64(struct info *info, const char *label, const char *key, uint64_t value)
{
    begin_item(info, label, key);
    if (info->is_json) {
        json_u64(&info->json, value);
        return;
    }
    out_u64(info->out, value);
    out_byte(info->out, '\n');
}

static void put_log(struct info *info)
{
    const struct xray_header *header = &info->log->header;
    put_text(info, "trace", "path", info->command->trace);
    put_text(info, "format", "format", header->type == XRAY_BASIC ? "XRay basic" : "XRay FDR");
    put_u64(info, "version", "version", header->version);
    put_text(info, "byte order", "byte_order", header->is_big_endian ? "big" : "little");
    put_u64(info, "ticks per second", "frequency_hz", header->frequency_hz);
    put_u64(info, "bytes", "bytes", info->log->size_bytes);
    put_u64(info, "buffers", "buffers", info->log->buffers.count);
    put_u64(info, "duplicate buffers", "duplicate_buffers", info->log->duplicate_buffers);
    put_u64(info, "unused buffers", "unused_buffers", info->log->unused_buffers);
    put_u64(info, "threads", "threads", info->log->threads.count);
}

// First and last time of all threads.
static void put_times(struct info *info)
{
    const struct pipeline_result *result = &info->command->result;
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < result->lane_count; i++) {
        if (!result->lanes[i].events)
            continue;
        first = u64_min(first, result->lanes[i].root.time);
        last = u64_max(last, result->lanes[i].last.time);
    }
    if (first > last)
        return;
    put_u64(info, "first time", "first_time", first);
    put_u64(info, "last time", "last_time", last);
    begin_item(info, "seconds", "seconds");
    uint64_t hz = info->log->header.frequency_hz;
    if (info->is_json) {
        json_seconds(&info->json, last - first, hz);
        return;
    }
    if (hz)
        out_ratio(info->out, last - first, hz, 9);
    else
        out_text(info->out, "unknown");
    out_byte(info->out, '\n');
}

static void put_records(struct info *info)
{
    const struct pipeline_result *result = &info->command->result;
    const struct xray_lane_counts *sums = info->sums;
    uint64_t events = 0;
    for (size_t i = 0; i < result->lane_count; i++)
        events += result->lanes[i].events;
    put_u64(info, "function records", "events", events);
    put_u64(info, "calls", "calls", sums->calls);
    put_u64(info, "unmatched exits", "unmatched_exits", sums->unmatched_exits);
    put_u64(info, "unmatched entries", "unmatched_entries", sums->unmatched_entries);
    put_u64(info, "tail exits", "tail_exits", sums->tail_exits);
    put_u64(info, "arguments", "arguments", sums->arguments);
    put_u64(info, "custom events", "custom_events", sums->custom_events);
    put_u64(info, "typed events", "typed_events", sums->typed_events);
    put_u64(info, "falling times", "falling_times", sums->falling_times);
    put_u64(info, "damaged places", "damaged_places", result->damaged_lines);
    put_u64(info, "damaged bytes", "damaged_bytes", result->damaged_bytes);
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

static void put_threads(struct info *info, struct table *table)
{
    const struct pipeline_result *result = &info->command->result;
    for (size_t i = 0; i < result->lane_count; i++) {
        const struct xray_thread *thread = &info->log->threads.items[i];
        const struct xray_lane_counts *counts = &info->command->xray->pass.counts[i];
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

static void put_functions(struct info *info, struct table *table)
{
    for (size_t i = 0; i < info->profile.rows.count; i++) {
        const struct profile_row *row = &info->profile.rows.items[i];
        if (row->pc == XRAY_ROOT_PC)
            continue;
        xray_table_id(table, row->pc);
        table_u64(table, row->count);
        table_text(table, names_of(&info->command->names, row->pc));
    }
}

static enum status put_table(struct info *info, const char *key, const struct column *columns,
                             size_t column_count,
                             void (*put)(struct info *info, struct table *table), struct error *err)
{
    struct table table;
    enum status status = STATUS_OK;
    if (info->is_json) {
        json_key(&info->json, key);
        table_begin_member(&table, &info->json, columns, column_count);
    } else {
        out_byte(info->out, '\n');
        status = table_begin(&table, info->out, TABLE_TEXT, columns, column_count, err);
    }
    if (status != STATUS_OK)
        return status;
    put(info, &table);
    table_end(&table);
    return STATUS_OK;
}

// --- The report ----------------------------------------------------------------------------------

static enum status put_all(struct info *info, bool lists_functions, struct error *err)
{
    if (info->is_json) {
        json_begin(&info->json, info->out, 2);
        json_begin_object(&info->json);
    }
    put_log(info);
    put_times(info);
    put_records(info);
    enum status status =
        put_table(info, "lanes", thread_columns, ARRAY_COUNT(thread_columns), put_threads, err);
    if (status == STATUS_OK && lists_functions)
        status = put_table(info, "functions", function_columns, ARRAY_COUNT(function_columns),
                           put_functions, err);
    if (status == STATUS_OK && info->is_json) {
        json_end_object(&info->json);
        json_end(&info->json);
    }
    return status;
}

static enum exit_status report(struct info *info, bool lists_functions)
{
    struct out out;
    struct error err;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(info->command, &out, &status))
        return status;
    info->out = &out;
    if (put_all(info, lists_functions, &err) == STATUS_OK)
        return trace_command_end(info->command, &out);
    out_abandon(&out);
    return trace_command_error(info->command, &err);
}

enum exit_status xray_info(struct trace_command *command, bool lists_functions)
{
    struct info info = {.command = command, .log = &command->xray->log};
    enum exit_status status = EXIT_STATUS_FAILED;
    bool is_read = trace_command_open_images(command, &status) &&
                   (lists_functions ? xray_trace_profile(command, &info.profile, &status)
                                    : xray_trace_pass(command, NULL, NULL, &status));
    if (is_read) {
        info.is_json = command->table_format == TABLE_JSON;
        info.sums = &command->xray->pass.counts[command->result.lane_count];
        status = report(&info, lists_functions);
    }
    profile_free(&info.profile);
    return status;
}
