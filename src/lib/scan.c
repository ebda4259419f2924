// Rows by the block: the columns of the index, and calls with their times.
//
// Blocks of the index are filled straight into the caller's arrays; only calls need more, as their
// times are those of events. Calls are near each other, so times are read by the block, too: each
// by itself would take ten times as long. Batches for Arrow are such arrays, given away.
#include "lib/library.h"

#include "query/position.h"

#include <errno.h>
#include <stdlib.h>

enum { SCAN_COLUMNS_MAX = 10, TIMES_AT_ONCE = 1024, TIME_BLOCKS = 16 };

// The times of some events in a row.
struct time_block {
    uint64_t number; // the first event is TIMES_AT_ONCE times this
    size_t count;    // 0: none are read yet
    uint64_t times[TIMES_AT_ONCE];
};

// It reads the index by itself, so that it may be used by another thread than its trace.
struct trawl_scan {
    struct trawl_trace *trace;
    struct index_view view;
    const struct scan_kind *kind;
    uint64_t first, end; // events of the trace, without the last
    uint64_t lane;
    bool has_all_lanes;
    uint64_t next;                     // event, call, or event after the last value
    struct trawl_access_cursor cursor; // of accesses and loads
    uint64_t offset, size_bytes;       // of the register of values
    VEC(, uint64_t) ends;              // of the calls around the next one
    struct time_block *times;          // TIME_BLOCKS, each at its number; of calls only
};

struct scan_kind {
    const char *rows;
    const char *columns[SCAN_COLUMNS_MAX + 1]; // NULL ends them
    // Fills at most `capacity` rows. It is called again after it has filled fewer.
    enum trawl_status (*fill)(struct trawl_scan *scan, uint64_t *const *columns, size_t capacity,
                              size_t *count, struct trawl_error *from);
};

static struct trawl_index *index_of(const struct trawl_scan *scan)
{
    return scan->view.index;
}

// --- Events --------------------------------------------------------------------------------------

static enum trawl_status fill_events(struct trawl_scan *scan, uint64_t *const *columns,
                                     size_t capacity, size_t *count, struct trawl_error *from)
{
    const struct trawl_event_columns wanted = {.lane = columns[1],
                                               .in_lane = columns[2],
                                               .time = columns[3],
                                               .line = columns[4],
                                               .position = columns[5],
                                               .pc = columns[6],
                                               .flags = columns[7]};
    const size_t most = (size_t)u64_min(capacity, scan->end - scan->next);
    *count = 0;
    if (!most)
        return TRAWL_OK;
    enum trawl_status status = trawl_events(index_of(scan), scan->next, most, &wanted, count, from);
    for (size_t i = 0; columns[0] && i < *count; i++)
        columns[0][i] = scan->next + i;
    scan->next += *count;
    return status;
}

// --- Accesses ------------------------------------------------------------------------------------

static enum trawl_status fill_accesses(struct trawl_scan *scan, uint64_t *const *columns,
                                       size_t capacity, size_t *count, struct trawl_error *from)
{
    const struct trawl_access_columns wanted = {columns[0], columns[1], columns[2],
                                                columns[3], columns[4], columns[5]};
    return trawl_accesses(index_of(scan), &scan->cursor, scan->end, capacity, &wanted, count, from);
}

static enum trawl_status fill_loads(struct trawl_scan *scan, uint64_t *const *columns,
                                    size_t capacity, size_t *count, struct trawl_error *from)
{
    const struct trawl_load_columns wanted = {columns[0], columns[1], columns[2]};
    return trawl_loads(index_of(scan), &scan->cursor, scan->end, capacity, &wanted, count, from);
}

// --- Values of a register ------------------------------------------------------------------------

enum { VALUES_AT_ONCE = 1024 };

static enum trawl_status fill_values(struct trawl_scan *scan, uint64_t *const *columns,
                                     size_t capacity, size_t *count, struct trawl_error *from)
{
    uint64_t rows[3][VALUES_AT_ONCE];
    const struct trawl_register_value_columns all = {rows[0], rows[1], rows[2]};
    const size_t most = (size_t)u64_min(capacity, VALUES_AT_ONCE);
    const enum trawl_status status =
        trawl_register_values(index_of(scan), scan->lane, scan->next, scan->end, scan->offset,
                              (size_t)scan->size_bytes, most, &all, count, from);
    if (status != TRAWL_OK || !*count)
        return status;
    scan->next = rows[0][*count - 1];
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (columns[i])
            memcpy(columns[i], rows[i], *count * sizeof **rows);
    }
    return status;
}

static enum trawl_result find_register(struct trawl_scan *scan, const char *what,
                                       struct trawl_failure *failure)
{
    struct command *command = &scan->trace->command;
    const struct index_view *view = &command->session.view;
    struct trawl_event about;
    struct location location;
    struct error err;
    if (!what)
        return library_refuse(failure, "values need a register");
    enum status status = point_in_lane(view, scan->lane, view->info.events - 1, &about, &err);
    if (status != STATUS_OK)
        return library_fail(failure, &err);
    command->spec->host->failure.status = STATUS_OK;
    if (!query_location(command, what, &about, &location))
        return library_host_failure(failure, command->spec->host, "", command->status);
    if (location.kind != LOCATION_REGISTER || location.which.size_bytes > 8 ||
        location.which.offset / 8 != (location.which.offset + location.which.size_bytes - 1) / 8)
        return library_refuse(failure, "'%.100s': is no register of at most 64 bits", what);
    scan->offset = location.which.offset;
    scan->size_bytes = location.which.size_bytes;
    return TRAWL_DONE;
}

// --- Calls ---------------------------------------------------------------------------------------

enum {
    CALL_LANE,
    CALL_NUMBER,
    CALL_ENTRY,
    CALL_EXIT,
    CALL_BEGIN,
    CALL_END,
    CALL_PC,
    CALL_DEPTH,
    CALL_PARENT,
    CALL_IS_OPEN
};

static enum trawl_status time_of(const struct trawl_scan *scan, uint64_t lane_event, uint64_t *time,
                                 struct trawl_error *from)
{
    uint64_t event;
    enum trawl_status status =
        trawl_event_of_lane(index_of(scan), scan->lane, lane_event, &event, from);
    if (status != TRAWL_OK)
        return status;
    const uint64_t number = event / TIMES_AT_ONCE;
    struct time_block *block = &scan->times[number % TIME_BLOCKS];
    if (block->number != number || !block->count) {
        const struct trawl_event_columns wanted = {.time = block->times};
        block->number = number;
        status = trawl_events(index_of(scan), number * TIMES_AT_ONCE, TIMES_AT_ONCE, &wanted,
                              &block->count, from);
        if (status != TRAWL_OK)
            block->count = 0;
    }
    *time = event % TIMES_AT_ONCE < block->count ? block->times[event % TIMES_AT_ONCE] : 0;
    return status;
}

// When control has left a call for good: its last instruction lasts until the next event of the
// lane. In a log of calls, that is the exit itself. It ends no later than the call around it.
static enum trawl_status end_of(struct trawl_scan *scan, uint64_t exit, uint64_t depth,
                                bool is_open, uint64_t *end, struct trawl_error *from)
{
    const bool lasts = !is_open && !scan->view.info.is_by_lanes;
    uint64_t next = 0;
    enum trawl_status status = time_of(scan, exit, end, from);
    if (status == TRAWL_OK && lasts)
        status = time_of(scan, exit + 1, &next, from);
    if (status != TRAWL_OK)
        return status;
    *end = u64_max(*end, next);
    if (!depth || depth > scan->ends.count + 1 || !VEC_ROOM(&scan->ends, 1)) {
        *from = (struct trawl_error){TRAWL_MEMORY, 0, ERROR_NO_OFFSET, "no memory for calls"};
        return TRAWL_MEMORY;
    }
    if (depth > 1)
        *end = u64_min(*end, scan->ends.items[depth - 2]);
    scan->ends.count = (size_t)depth;
    scan->ends.items[depth - 1] = *end;
    return TRAWL_OK;
}

enum { CALLS_AT_ONCE = 512 };

static enum trawl_status fill_calls(struct trawl_scan *scan, uint64_t *const *columns,
                                    size_t capacity, size_t *count, struct trawl_error *from)
{
    uint64_t rows[SCAN_COLUMNS_MAX][CALLS_AT_ONCE];
    const struct trawl_call_columns wanted = {.call = rows[CALL_NUMBER],
                                              .entry = rows[CALL_ENTRY],
                                              .exit = rows[CALL_EXIT],
                                              .pc = rows[CALL_PC],
                                              .depth = rows[CALL_DEPTH],
                                              .parent = rows[CALL_PARENT],
                                              .is_open = rows[CALL_IS_OPEN]};
    const struct trawl_info *info = &scan->view.info;
    enum trawl_status status = TRAWL_OK;
    *count = 0;
    if (capacity > CALLS_AT_ONCE)
        capacity = CALLS_AT_ONCE;
    while (!*count && scan->lane < info->lanes && status == TRAWL_OK) {
        status =
            trawl_calls(index_of(scan), scan->lane, scan->next, capacity, &wanted, count, from);
        if (status == TRAWL_OK && !*count) {
            scan->lane = scan->has_all_lanes ? scan->lane + 1 : info->lanes;
            scan->next = scan->ends.count = 0;
        }
    }
    const bool has_times = columns[CALL_BEGIN] || columns[CALL_END];
    for (size_t i = 0; i < *count && has_times && status == TRAWL_OK; i++) {
        status = time_of(scan, rows[CALL_ENTRY][i], &rows[CALL_BEGIN][i], from);
        if (status == TRAWL_OK)
            status = end_of(scan, rows[CALL_EXIT][i], rows[CALL_DEPTH][i], rows[CALL_IS_OPEN][i],
                            &rows[CALL_END][i], from);
    }
    for (size_t i = 0; i < *count; i++)
        rows[CALL_LANE][i] = scan->lane;
    for (size_t i = 0; i < SCAN_COLUMNS_MAX; i++) {
        if (columns[i])
            memcpy(columns[i], rows[i], *count * sizeof **rows);
    }
    scan->next += *count;
    return status;
}

// --- A scan --------------------------------------------------------------------------------------

static const struct scan_kind kinds[] = {
    {"events",
     {"event", "lane", "lane_event", "time", "line", "position", "pc", "flags"},
     fill_events},
    {"calls",
     {"lane", "call", "entry", "exit", "begin", "end", "pc", "depth", "parent", "is_open"},
     fill_calls},
    {"accesses", {"event", "address", "size", "mask", "value", "kind"}, fill_accesses},
    {"loads", {"event", "address", "size"}, fill_loads},
    {"values", {"event", "value", "known"}, fill_values},
};

enum trawl_result trawl_scan_open(struct trawl_scan **out, struct trawl_trace *trace,
                                  const char *rows, const struct trawl_scan_options *options,
                                  struct trawl_failure *failure)
{
    const struct trawl_info *info = &trace->command.session.view.info;
    const struct scan_kind *kind = kinds;
    const struct error no_memory = {
        .status = STATUS_MEMORY, .offset = ERROR_NO_OFFSET, .text = "no memory for a scan"};
    struct trawl_scan_options how;
    *out = NULL;
    while (kind < kinds + ARRAY_COUNT(kinds) && strcmp(kind->rows, rows) != 0)
        kind++;
    if (kind == kinds + ARRAY_COUNT(kinds))
        return library_refuse(failure,
                              "'%.100s': expected events, calls, accesses, loads or values", rows);
    library_take(&how, sizeof how, options);
    if (how.has_range && kind->fill == fill_calls)
        return library_refuse(failure, "calls are all those of a lane, without a range");
    const bool has_all_lanes =
        kind->fill == fill_calls && (!options || how.lane == TRAWL_EVERY_LANE);
    if (!has_all_lanes && how.lane >= info->lanes &&
        (kind->fill == fill_calls || kind->fill == fill_values))
        return library_refuse(failure, "lane %llu: there are %llu, numbered from 0",
                              (unsigned long long)how.lane, (unsigned long long)info->lanes);
    struct trawl_scan *scan = calloc(1, sizeof *scan);
    if (!scan)
        return library_fail(failure, &no_memory);
    *scan = (struct trawl_scan){.trace = trace, .kind = kind, .end = info->events};
    export_owner_take(&trace->owner);
    struct error err;
    if (index_view_open_again(&scan->view, &trace->command.session.view, &err) != STATUS_OK) {
        trawl_scan_close(scan);
        return library_fail(failure, &err);
    }
    if (kind->fill == fill_calls && !(scan->times = calloc(TIME_BLOCKS, sizeof *scan->times))) {
        trawl_scan_close(scan);
        return library_fail(failure, &no_memory);
    }
    scan->has_all_lanes = has_all_lanes;
    scan->lane = has_all_lanes ? 0 : how.lane;
    if (how.has_range) {
        scan->first = u64_min(how.first, info->events);
        scan->end = how.last < info->events ? how.last + 1 : info->events;
        scan->end = u64_max(scan->end, scan->first);
    }
    scan->next = scan->cursor.event = scan->first;
    enum trawl_result result = TRAWL_DONE;
    if (kind->fill == fill_values) {
        scan->next = scan->first ? scan->first - 1 : TRAWL_START;
        result = find_register(scan, how.what, failure);
    }
    if (result == TRAWL_DONE)
        *out = scan;
    else
        trawl_scan_close(scan);
    return result;
}

void trawl_scan_close(struct trawl_scan *scan)
{
    if (!scan)
        return;
    index_view_close(&scan->view);
    export_owner_drop(&scan->trace->owner);
    free(scan->ends.items);
    free(scan->times);
    free(scan);
}

uint64_t trawl_scan_column_count(const struct trawl_scan *scan)
{
    uint64_t count = 0;
    while (scan->kind->columns[count])
        count++;
    return count;
}

const char *trawl_scan_column_name(const struct trawl_scan *scan, uint64_t column)
{
    return column < trawl_scan_column_count(scan) ? scan->kind->columns[column] : NULL;
}

uint64_t trawl_scan_rows_at_most(const struct trawl_scan *scan)
{
    const struct index_view *view = &scan->view;
    if (scan->kind->fill == fill_events)
        return scan->end - scan->next;
    if (scan->kind->fill != fill_calls)
        return TRAWL_NOTHING;
    uint64_t calls = 0;
    for (uint64_t i = scan->lane; i < view->info.lanes; i++) {
        if (i == scan->lane || scan->has_all_lanes)
            calls += view->lanes[i].calls;
    }
    return calls;
}

enum trawl_result trawl_scan_next(struct trawl_scan *scan, uint64_t *const *columns,
                                  uint64_t capacity, uint64_t *count, struct trawl_failure *failure)
{
    const uint64_t column_count = trawl_scan_column_count(scan);
    struct trawl_error from;
    enum trawl_status status = TRAWL_OK;
    size_t filled = 1;
    *count = 0;
    while (*count < capacity && filled && status == TRAWL_OK) {
        uint64_t *at[SCAN_COLUMNS_MAX] = {0};
        for (uint64_t i = 0; i < column_count; i++)
            at[i] = columns[i] ? columns[i] + *count : NULL;
        status = scan->kind->fill(scan, at, (size_t)(capacity - *count), &filled, &from);
        *count += status == TRAWL_OK ? filled : 0;
    }
    return library_result(status, &from, failure);
}

// --- Batches -------------------------------------------------------------------------------------

struct batch {
    struct export_owner owner; // first: the batch is freed with its last array
    uint64_t *values;
};

struct batch_stream {
    struct trawl_scan *scan;
    uint64_t rows;
    struct trawl_failure failure;
};

static void free_batch(struct export_owner *owner)
{
    free(((struct batch *)owner)->values);
    free(owner);
}

static void describe(const struct trawl_scan *scan, struct export_column *columns)
{
    for (uint64_t i = 0; i < trawl_scan_column_count(scan); i++)
        columns[i] = (struct export_column){.name = scan->kind->columns[i], .format = "L"};
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const struct batch_stream *self = stream->private_data;
    struct export_column columns[SCAN_COLUMNS_MAX];
    describe(self->scan, columns);
    return export_schema(out, columns, (size_t)trawl_scan_column_count(self->scan)) ? 0 : ENOMEM;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct batch_stream *self = stream->private_data;
    const size_t count = (size_t)trawl_scan_column_count(self->scan);
    struct export_column columns[SCAN_COLUMNS_MAX];
    uint64_t *arrays[SCAN_COLUMNS_MAX], rows = 0;
    struct batch *batch = calloc(1, sizeof *batch);
    out->release = NULL;
    if (batch)
        *batch = (struct batch){.owner = {.users = 1, .free = free_batch},
                                .values = calloc(count * self->rows, sizeof *batch->values)};
    if (!batch || !batch->values) {
        free(batch);
        return ENOMEM;
    }
    describe(self->scan, columns);
    for (size_t i = 0; i < count; i++)
        columns[i].values = arrays[i] = batch->values + i * self->rows;
    int error = trawl_scan_next(self->scan, arrays, self->rows, &rows, &self->failure) == TRAWL_DONE
                    ? 0
                    : EIO;
    if (!error && rows && !export_array(out, columns, count, rows, &batch->owner))
        error = ENOMEM;
    export_owner_drop(&batch->owner);
    return error;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const struct batch_stream *self = stream->private_data;
    return *self->failure.text ? self->failure.text : NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    struct batch_stream *self = stream->private_data;
    trawl_scan_close(self->scan);
    free(self);
    stream->release = NULL;
}

enum trawl_result trawl_scan_arrow(struct trawl_scan *scan, uint64_t rows,
                                   struct ArrowArrayStream *stream, struct trawl_failure *failure)
{
    struct batch_stream *self = malloc(sizeof *self);
    if (!self || !rows || rows > SIZE_MAX / SCAN_COLUMNS_MAX / sizeof(uint64_t)) {
        const struct error err = {
            .status = STATUS_MEMORY, .offset = ERROR_NO_OFFSET, .text = "no memory for batches"};
        free(self);
        trawl_scan_close(scan);
        return rows ? library_fail(failure, &err) : library_refuse(failure, "batches of no rows");
    }
    *self = (struct batch_stream){
        .scan = scan, .rows = rows, .failure = {.struct_bytes = sizeof self->failure}};
    *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, self};
    return TRAWL_DONE;
}
