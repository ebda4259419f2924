#include "trace/xray/xray.h"

#include "report/items.h"

// --- Lines and members ---------------------------------------------------------------------------

// --- Threads -------------------------------------------------------------------------------------

static const struct table_column thread_columns[] = {
    {"Thread", "lane", COLUMN_TEXT},
    {"Process", "process", COLUMN_U64},
    {"Id", "thread", COLUMN_U64},
    {"Buffers", "buffers", COLUMN_U64},
    {"Records", "events", COLUMN_U64},
    {"Calls", "calls", COLUMN_U64},
    {"Unmatched exits", "unmatched_exits", COLUMN_U64},
    {"Unmatched entries", "unmatched_entries", COLUMN_U64},
};

struct threads {
    struct trace *trace;
    const struct pass_result *result;
};

static void put_threads(void *self, struct table *table)
{
    const struct threads *threads = self;
    const struct pass_result *result = threads->result;
    for (size_t i = 0; i < result->lane_count; i++) {
        const struct xray_thread *thread = &xray_of(threads->trace)->log.threads.items[i];
        const struct xray_lane_counts *counts = &xray_of(threads->trace)->pass.counts[i];
        table_text(table, result->lanes[i].name);
        table_u64(table, thread->pid);
        table_u64(table, thread->tid);
        table_u64(table, thread->buffer_count);
        table_u64(table, result->lanes[i].events);
        table_u64(table, counts->calls);
        table_u64(table, counts->exits.unmatched);
        table_u64(table, counts->unmatched_entries);
    }
}

static enum status put_tables(struct trace *trace, const struct pass_result *result,
                              const struct trace_namer *namer, struct items *items,
                              struct error *err)
{
    struct threads threads = {trace, result};
    (void)namer;
    return items_table(items, "lanes", thread_columns, ARRAY_COUNT(thread_columns), put_threads,
                       &threads, err);
}

// --- What info shows -----------------------------------------------------------------------------

static void put(struct trace *trace, const struct pass_result *result, struct items *items)
{
    struct xray_trace *xray = xray_of(trace);
    static const char *const formats[] = {"XRay basic", "XRay FDR", "XRay basic, as YAML",
                                          "XRay FDR, as YAML"};
    const struct xray_header *header = &xray->log.told;
    items_text(items, "format", "format",
               formats[(header->type == XRAY_FDR) +
                       2 * (xray->log.made != NULL && !xray->log.processes.count)]);
    items_u64(items, "version", "version", header->version);
    items_text(items, "byte order", "byte_order", header->is_big_endian ? "big" : "little");
    items_u64(items, "ticks per second", "frequency_hz", header->frequency_hz);
    items_u64(items, "bytes", "bytes", xray->log.file_bytes);
    items_u64(items, "buffers", "buffers", xray->log.buffers.count);
    items_u64(items, "duplicate buffers", "duplicate_buffers", xray->log.duplicate_buffers);
    if (xray->log.processes.count) {
        items_u64(items, "shared buffers", "shared_buffers", xray->log.shared_buffers);
        items_u64(items, "processes", "processes", xray->log.processes.count);
    }
    items_u64(items, "unused buffers", "unused_buffers", xray->log.unused_buffers);
    items_u64(items, "threads", "threads", xray->log.threads.count);
    // The first and last time of all threads.
    const struct xray_log *log = &xray->log;
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < result->lane_count; i++) {
        if (!result->lanes[i].events)
            continue;
        first = u64_min(first, result->lanes[i].root.time);
        last = u64_max(last, result->lanes[i].last.time);
    }
    if (first <= last) {
        items_u64(items, "first time", "first_time", first);
        items_u64(items, "last time", "last_time", last);
        items_seconds(items, "seconds", "seconds", last - first, log->header.frequency_hz, 9);
    }
    const struct xray_lane_counts *sums = &xray->pass.counts[result->lane_count];
    uint64_t events = 0;
    for (size_t i = 0; i < result->lane_count; i++)
        events += result->lanes[i].events;
    items_u64(items, "function records", "events", events);
    items_u64(items, "calls", "calls", sums->calls);
    items_u64(items, "unmatched exits", "unmatched_exits", sums->exits.unmatched);
    items_u64(items, "unmatched entries", "unmatched_entries", sums->unmatched_entries);
    items_u64(items, "tail exits", "tail_exits", sums->tail_exits);
    items_u64(items, "arguments", "arguments", sums->arguments);
    items_u64(items, "custom events", "custom_events", sums->custom_events);
    items_u64(items, "typed events", "typed_events", sums->typed_events);
    items_u64(items, "falling times", "falling_times", sums->falling_times);
    items_u64(items, "damaged places", "damaged_places", result->damaged_lines);
    items_u64(items, "damaged bytes", "damaged_bytes", result->damaged_bytes);
}

static void put_index(const struct trawl_info *about, struct items *items)
{
    items_bool(items, "deduces calls", "deduces_calls", about->options & TRAWL_DEDUCES_CALLS);
}

const struct trace_description xray_description = {
    .noun = "log",
    .event_noun = "record",
    .put = put,
    .put_index = put_index,
    .put_tables = put_tables,
};
