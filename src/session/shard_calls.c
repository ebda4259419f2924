#include "session/shard_calls.h"

#include "flow/calls.h"
#include "flow/shadow_stack.h"
#include "trace/kinds.h"

#include <stdlib.h>

// --- Of a shard ----------------------------------------------------------------------------------

static bool add_batch(void *self, const struct parts_writer *batch)
{
    struct shard_calls *calls = self;
    calls->bytes.count = 0;
    if (!parts_finish(batch, &calls->bytes))
        return false;
    char *room = spool_reserve(&calls->batches, calls->bytes.count);
    if (!room)
        return false;
    memcpy(room, calls->bytes.items, calls->bytes.count);
    spool_leave(&calls->batches, 0, calls->batches.used_bytes);
    calls->batches.used_bytes += calls->bytes.count;
    return true;
}

bool shard_calls_begin(struct shard_calls *calls, enum simd simd)
{
    const struct transfer_batches batches = {calls, add_batch};
    return (calls->log = transfer_log_new(&batches, simd)) != NULL;
}

void shard_calls_free(struct shard_calls *calls)
{
    transfer_log_free(calls->log);
    spool_free(&calls->batches);
    free(calls->bytes.items);
    *calls = (struct shard_calls){0};
}

static bool take(void *self, size_t lane, const struct transfer *transfers, size_t count,
                 uint64_t drop_below)
{
    const struct shard_calls *calls = self;
    return transfer_log_add(calls->log, lane, transfers, count, drop_below);
}

struct transfer_consumer shard_calls_consumer(struct shard_calls *calls)
{
    return (struct transfer_consumer){calls, take};
}

bool shard_calls_write(struct shard_calls *calls, struct index_writer *writer)
{
    return transfer_log_end(calls->log) &&
           index_writer_copy_section(writer, SECTION_TRANSFERS,
                                     (const uint8_t *)calls->batches.base,
                                     calls->batches.used_bytes);
}

// --- What calls are matched with -----------------------------------------------------------------

static bool add_nodes(struct parts_writer *parts, const struct pass_result *result)
{
    size_t count = result->lane_count * MATCHING_ROWS;
    uint64_t *rows = calloc(count + 1, sizeof *rows);
    for (size_t i = 0; rows && i < result->lane_count; i++) {
        const struct node_ref *last = &result->lanes[i].last;
        uint64_t *row = rows + i * MATCHING_ROWS;
        row[MATCHING_EVENT] = last->event;
        row[MATCHING_TIME] = last->time;
        row[MATCHING_LINE] = last->line;
        row[MATCHING_POSITION] = last->position;
        row[MATCHING_PC] = last->pc;
    }
    bool is_done = rows && parts_add_column(parts, PART_MATCHING_NODES, rows, count);
    free(rows);
    return is_done;
}

static bool add_functions(struct parts_writer *parts, const struct function_map *functions)
{
    size_t count = functions->range_count;
    uint64_t *columns = calloc(3 * count + 1, sizeof *columns);
    for (size_t i = 0; columns && i < count; i++) {
        columns[i] = functions->ranges[i].first;
        columns[count + i] = functions->ranges[i].last;
        columns[2 * count + i] = functions->ranges[i].entry;
    }
    bool is_done =
        columns && parts_add_column(parts, PART_MATCHING_FIRSTS, columns, count) &&
        parts_add_column(parts, PART_MATCHING_LASTS, columns + count, count) &&
        parts_add_column(parts, PART_MATCHING_FUNCTIONS, columns + 2 * count, count) &&
        parts_add_column(parts, PART_MATCHING_ENTRIES, functions->entries, functions->entry_count);
    free(columns);
    return is_done;
}

bool matching_write(struct index_writer *writer, const struct pass_result *result,
                    const struct function_map *functions)
{
    static const struct function_map none = {0};
    struct parts_writer parts = {0};
    bool is_done = add_nodes(&parts, result) &&
                   add_functions(&parts, functions ? functions : &none) &&
                   index_writer_add_section(writer, SECTION_MATCHING, &parts);
    parts_writer_free(&parts);
    return is_done;
}

// --- Of all --------------------------------------------------------------------------------------

struct lane_matching {
    struct call_matcher *matcher;
    struct shadow_stack *shadow;
};

struct matching {
    const struct pass_result *result;
    bool is_ttu;
    struct function_map functions;
    struct lane_matching *lanes;
    struct transfer_reader *reader;
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the calls of the trace");
}

static bool read_nodes(const struct parts *parts, const struct pass_result *result)
{
    struct column column;
    if (parts_column(parts, PART_MATCHING_NODES, &column, NULL) != STATUS_OK ||
        column.count != result->lane_count * MATCHING_ROWS)
        return false;
    for (size_t i = 0; i < result->lane_count; i++) {
        uint64_t row[MATCHING_ROWS];
        if (!column_read(&column, i * MATCHING_ROWS, MATCHING_ROWS, row))
            return false;
        result->lanes[i].last =
            (struct node_ref){row[MATCHING_EVENT], row[MATCHING_TIME], row[MATCHING_LINE],
                              row[MATCHING_POSITION], row[MATCHING_PC]};
    }
    return true;
}

// Whether ranges ascend without overlap, and functions ascend.
static bool is_sound(const struct function_map *map)
{
    for (size_t i = 0; i < map->range_count; i++) {
        if (map->ranges[i].first > map->ranges[i].last ||
            (i && map->ranges[i].first <= map->ranges[i - 1].last))
            return false;
    }
    for (size_t i = 1; i < map->entry_count; i++) {
        if (map->entries[i] <= map->entries[i - 1])
            return false;
    }
    return true;
}

static bool fill_functions(struct function_map *map, const struct column *firsts,
                           const struct column *lasts, const struct column *functions,
                           const struct column *entries)
{
    for (size_t i = 0; i < map->range_count; i++) {
        struct function_range *chunk = &map->ranges[i];
        if (!column_get(firsts, i, &chunk->first) || !column_get(lasts, i, &chunk->last) ||
            !column_get(functions, i, &chunk->entry))
            return false;
    }
    return column_read(entries, 0, map->entry_count, map->entries) && is_sound(map);
}

// *is_damaged: the columns are not a valid map.
static bool read_functions(struct function_map *map, const struct parts *parts, bool *is_damaged)
{
    struct column firsts, lasts, functions, entries;
    *is_damaged = true;
    if (parts_column(parts, PART_MATCHING_FIRSTS, &firsts, NULL) != STATUS_OK ||
        parts_column(parts, PART_MATCHING_LASTS, &lasts, NULL) != STATUS_OK ||
        parts_column(parts, PART_MATCHING_FUNCTIONS, &functions, NULL) != STATUS_OK ||
        parts_column(parts, PART_MATCHING_ENTRIES, &entries, NULL) != STATUS_OK ||
        !column_may_rise(&firsts) || !column_may_rise(&entries) || lasts.count != firsts.count ||
        functions.count != firsts.count)
        return false;
    map->range_count = (size_t)firsts.count;
    map->entry_count = (size_t)entries.count;
    map->ranges = calloc(map->range_count + 1, sizeof *map->ranges);
    map->entries = calloc(map->entry_count + 1, sizeof *map->entries);
    *is_damaged =
        map->ranges && map->entries && !fill_functions(map, &firsts, &lasts, &functions, &entries);
    return map->ranges && map->entries && !*is_damaged;
}

// Like the beginning of the lanes of a pass (trace/lines/join.c).
static bool begin_lane(const struct matching *matching, size_t lane,
                       const struct exception_rules *exceptions, const struct call_consumer *own,
                       const struct call_consumer *other)
{
    struct lane_matching *at = &matching->lanes[lane];
    const struct function_map *functions =
        matching->functions.entry_count ? &matching->functions : NULL;
    at->matcher = call_matcher_new(matching->is_ttu ? own : other);
    at->shadow = shadow_stack_new(matching->is_ttu ? other : own, functions, exceptions, false,
                                  &matching->result->lanes[lane].tasks);
    return at->matcher && at->shadow;
}

enum status matching_begin(struct matching **out, const struct shard *last,
                           const struct pass_result *result, struct call_lists *calls, bool is_ttu,
                           struct error *err)
{
    struct parts parts;
    struct call_consumer own, other;
    bool is_damaged;
    const struct trace_kind *kind = trace_kind_named(last->kind);
    const struct exception_rules *exceptions = kind ? trace_arch(kind)->exceptions : NULL;
    struct matching *matching = calloc(1, sizeof *matching);
    if (!matching)
        return no_memory(err);
    *out = matching;
    if (!exceptions)
        return shard_damaged(last, "its kind", err);
    enum status status = shard_parts(last, SECTION_MATCHING, &parts, err);
    if (status != STATUS_OK)
        return status;
    if (!read_nodes(&parts, result))
        return shard_damaged(last, "the last events of its cores", err);
    if (!read_functions(&matching->functions, &parts, &is_damaged))
        return is_damaged ? shard_damaged(last, "functions", err) : no_memory(err);
    matching->result = result;
    matching->is_ttu = is_ttu;
    matching->lanes = calloc(result->lane_count + 1, sizeof *matching->lanes);
    matching->reader = transfer_reader_new(result->lane_count);
    bool has_memory = matching->lanes && matching->reader;
    call_lists_begin(calls, true, &own, &other);
    for (size_t i = 0; i < result->lane_count && has_memory; i++)
        has_memory = begin_lane(matching, i, exceptions, &own, &other);
    return has_memory ? STATUS_OK : no_memory(err);
}

static bool take_transfer(void *self, size_t lane, const struct transfer *transfer)
{
    const struct lane_matching *at = &((const struct matching *)self)->lanes[lane];
    struct call_decision decision;
    return shadow_stack_transfer(at->shadow, transfer) &&
           (transfer->is_gap || call_matcher_transfer(at->matcher, transfer, &decision));
}

static bool take_drop(void *self, size_t lane, uint64_t below)
{
    return call_matcher_drop(((const struct matching *)self)->lanes[lane].matcher, below);
}

enum status matching_take(struct matching *matching, const struct shard *shard, struct error *err)
{
    const struct transfer_handler handler = {matching, take_transfer, take_drop};
    uint64_t left;
    const uint8_t *at = shard_section(shard, SECTION_TRANSFERS, &left);
    enum status status = at ? STATUS_OK : shard_damaged(shard, "transfers are missing", err);
    while (left && status == STATUS_OK) {
        struct parts batch;
        status = parts_open(&batch, shard->simd, at, left, NULL);
        if (status == STATUS_OK)
            status = transfer_reader_take(matching->reader, &batch, &handler, NULL);
        if (status == STATUS_DAMAGED)
            return shard_damaged(shard, "transfers of control", err);
        if (status != STATUS_OK)
            return no_memory(err);
        at += batch.size_bytes;
        left -= batch.size_bytes;
    }
    return status;
}

bool matching_end(struct matching *matching)
{
    for (size_t i = 0; i < matching->result->lane_count; i++) {
        struct lane_result *lane = &matching->result->lanes[i];
        const struct lane_matching *at = &matching->lanes[i];
        bool is_ttu = matching->is_ttu;
        if (!shadow_stack_finish(at->shadow, &lane->last,
                                 is_ttu ? &lane->other_calls : &lane->calls,
                                 is_ttu ? &lane->other_counts : &lane->counts) ||
            !call_matcher_finish(at->matcher, &lane->last, true,
                                 is_ttu ? &lane->calls : &lane->other_calls,
                                 is_ttu ? &lane->counts : &lane->other_counts))
            return false;
    }
    return true;
}

void matching_free(struct matching *matching)
{
    if (!matching)
        return;
    for (size_t i = 0; matching->lanes && i < matching->result->lane_count; i++) {
        call_matcher_free(matching->lanes[i].matcher);
        shadow_stack_free(matching->lanes[i].shadow);
    }
    free(matching->lanes);
    transfer_reader_free(matching->reader);
    function_map_free(&matching->functions);
    free(matching);
}
