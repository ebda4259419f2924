#include "browse/lane_calls.h"

#include <stdlib.h>

static void fail(struct index_calls *calls, enum trawl_status status,
                 const struct trawl_error *from)
{
    if (!calls->has_failed)
        index_status(status, from, &calls->err);
    calls->has_failed = true;
}

// The number of calls around the event that never returned: all those entered by then.
static uint64_t open_levels(const struct index_calls *calls, uint64_t event)
{
    uint64_t low;
    PARTITION_POINT(low, calls->open_entries.count, calls->open_entries.items[middle] <= event);
    return low;
}

static struct lane_call lane_call_of(const struct index_calls *calls, const struct trawl_call *call)
{
    uint64_t level = call->is_open ? 0 : call->depth - open_levels(calls, call->entry);
    uint64_t entry = call->entry + calls->begins_with_site;
    return (struct lane_call){entry, call->exit, level, call->how, call->pc};
}

// The block of a call. NULL: no memory, or the index failed.
static const struct call_block *block_of_call(struct index_calls *calls, uint64_t number)
{
    struct call_block *block = calls->call_block;
    struct trawl_error err;
    if (!block && !(block = calls->call_block = calloc(1, sizeof *block)))
        return NULL;
    if (block->number == number / CALL_BLOCK + 1)
        return block;
    const struct trawl_call_columns columns = {.entry = block->entry,
                                               .exit = block->exit,
                                               .depth = block->depth,
                                               .is_open = block->is_open};
    uint64_t first = number - number % CALL_BLOCK;
    block->number = 0;
    enum trawl_status status = trawl_calls(calls->indexed->index, calls->lane, first, CALL_BLOCK,
                                           &columns, &block->count, &err);
    if (status != TRAWL_OK) {
        fail(calls, status, &err);
        return NULL;
    }
    block->number = number / CALL_BLOCK + 1;
    return block;
}

static void read_call(void *self, uint64_t number, struct lane_call *about)
{
    struct index_calls *calls = self;
    const struct call_block *block = block_of_call(calls, number);
    size_t row = (size_t)(number % CALL_BLOCK);
    struct trawl_call call;
    struct trawl_error err;
    *about = (struct lane_call){0};
    if (block && row < block->count) {
        call = (struct trawl_call){.entry = block->entry[row],
                                   .exit = block->exit[row],
                                   .depth = block->depth[row],
                                   .is_open = block->is_open[row] != 0};
        *about = lane_call_of(calls, &call);
        return;
    }
    enum trawl_status status = trawl_call(calls->indexed->index, calls->lane, number, &call, &err);
    if (status == TRAWL_OK)
        *about = lane_call_of(calls, &call);
    else
        fail(calls, status, &err);
}

// The innermost call of any kind around the event. False: there is none.
static bool innermost(struct index_calls *calls, uint64_t event, struct trawl_call *call)
{
    struct trawl_error err;
    struct trawl_index *index = calls->indexed->index;
    enum trawl_status status = trawl_call_at(index, calls->lane, event, call, &err);
    if (status == TRAWL_OK && calls->begins_with_site && call->entry == event)
        status = call->parent == TRAWL_NONE
                     ? TRAWL_NOT_FOUND
                     : trawl_call(index, calls->lane, call->parent, call, &err);
    if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
        fail(calls, status, &err);
    return status == TRAWL_OK;
}

static uint64_t level_of(void *self, uint64_t event)
{
    struct index_calls *calls = self;
    struct trawl_call call;
    if (!innermost(calls, event, &call) || call.is_open)
        return 0;
    return call.depth - open_levels(calls, call.entry);
}

static void find_around(void *self, uint64_t event, uint64_t level, struct lane_call *about)
{
    struct index_calls *calls = self;
    struct trawl_call call;
    struct trawl_error err;
    bool is_found = innermost(calls, event, &call);
    *about = (struct lane_call){.entry = event, .exit = event, .level = level};
    while (is_found && !call.is_open) {
        struct lane_call candidate = lane_call_of(calls, &call);
        if (candidate.level == level) {
            *about = candidate;
            return;
        }
        if (call.parent == TRAWL_NONE)
            return;
        enum trawl_status status =
            trawl_call(calls->indexed->index, calls->lane, call.parent, &call, &err);
        is_found = status == TRAWL_OK;
        if (!is_found)
            fail(calls, status, &err);
    }
}

// Whether a call was entered at or before an event. False after a failure of the index.
static bool is_entered(struct index_calls *calls, uint64_t number, uint64_t event)
{
    struct lane_call call;
    read_call(calls, number, &call);
    return !calls->has_failed && call.entry <= event;
}

// Goes over the calls around an event, from the innermost outward, for the outermost one that began
// at one of these PCs.
static bool find_outermost(void *self, uint64_t event, const uint64_t *pcs, size_t count,
                           struct lane_call *about)
{
    struct index_calls *calls = self;
    struct trawl_call call;
    struct trawl_error err;
    bool is_there = innermost(calls, event, &call), is_found = false;
    while (is_there && !call.is_open) {
        for (size_t i = 0; i < count; i++) {
            if (((call.pc ^ pcs[i]) & ~UINT64_C(1)) == 0) {
                *about = lane_call_of(calls, &call);
                is_found = true;
            }
        }
        is_there = call.parent != TRAWL_NONE;
        enum trawl_status status =
            is_there ? trawl_call(calls->indexed->index, calls->lane, call.parent, &call, &err)
                     : TRAWL_OK;
        if (status != TRAWL_OK) {
            fail(calls, status, &err);
            return false;
        }
    }
    return is_found;
}

// Finds the first call that was entered later.
static uint64_t count_entered(void *self, uint64_t event)
{
    struct index_calls *calls = self;
    uint64_t count = calls->indexed->lanes[calls->lane].calls;
    uint64_t low = u64_min(calls->last_entered, count), high = low, step = 1;
    // Callers ask for events near each other, so the search moves away from the last answer in
    // growing steps.
    while (low > 0 && !is_entered(calls, low - 1, event)) {
        high = low - 1;
        low -= u64_min(low, step);
        step *= 2;
    }
    for (step = 1; high < count && is_entered(calls, high, event); step *= 2) {
        low = high + 1;
        high += u64_min(count - high, step);
    }
    while (low < high && !calls->has_failed) {
        uint64_t middle = low + (high - low) / 2;
        if (is_entered(calls, middle, event))
            low = middle + 1;
        else
            high = middle;
    }
    calls->last_entered = low;
    return low;
}

// The block of an event of the trace, if it is worthwhile. NULL: it is not, no memory, or the index
// failed.
static const struct line_block *block_of_event(struct index_calls *calls, uint64_t event)
{
    uint64_t number = event / LINE_BLOCK, last = calls->last_block;
    struct trawl_error err;
    calls->last_block = number;
    if (!calls->line_blocks &&
        !(calls->line_blocks = calloc(LINE_BLOCKS, sizeof(struct line_block))))
        return NULL;
    struct line_block *block = &calls->line_blocks[number % LINE_BLOCKS];
    if (block->number == number + 1)
        return block;
    if (number != last && number != last + 1)
        return NULL;
    const struct trawl_event_columns columns = {.line = block->lines};
    block->number = 0;
    enum trawl_status status = trawl_events(calls->indexed->index, number * LINE_BLOCK, LINE_BLOCK,
                                            &columns, &block->count, &err);
    if (status != TRAWL_OK) {
        fail(calls, status, &err);
        return NULL;
    }
    block->number = number + 1;
    return block;
}

static uint64_t count_lines_before(void *self, uint64_t event)
{
    struct index_calls *calls = self;
    const struct index_view *indexed = calls->indexed;
    struct trawl_event about;
    struct trawl_error err;
    uint64_t number = event;
    enum trawl_status status = TRAWL_OK;
    if (browse_rows_of(indexed) != ROWS_LINES)
        return event;
    if (event >= indexed->lanes[calls->lane].events)
        return indexed->info.lines;
    if (indexed->info.lanes > 1)
        status = trawl_event_of_lane(indexed->index, calls->lane, event, &number, &err);
    const struct line_block *block = status == TRAWL_OK ? block_of_event(calls, number) : NULL;
    if (block && number % LINE_BLOCK < block->count)
        return block->lines[number % LINE_BLOCK] - 1;
    if (status == TRAWL_OK)
        status = trawl_event(indexed->index, number, &about, &err);
    if (status == TRAWL_OK)
        return about.line - 1;
    fail(calls, status, &err);
    return 0;
}

// The calls that never returned: all of them are active at the last event, the innermost first.
static enum status find_open(struct index_calls *calls, struct error *err)
{
    uint64_t events = calls->indexed->lanes[calls->lane].events;
    struct trawl_call call;
    struct trawl_error from;
    enum trawl_status status =
        events ? trawl_call_at(calls->indexed->index, calls->lane, events - 1, &call, &from)
               : TRAWL_NOT_FOUND;
    while (status == TRAWL_OK) {
        if (call.is_open) {
            if (!VEC_ROOM(&calls->open_entries, 1))
                return error_set(err, STATUS_MEMORY, "no memory for the calls of the trace");
            calls->open_entries.items[calls->open_entries.count++] = call.entry;
        }
        if (call.parent == TRAWL_NONE)
            return STATUS_OK;
        status = trawl_call(calls->indexed->index, calls->lane, call.parent, &call, &from);
    }
    return status == TRAWL_NOT_FOUND ? STATUS_OK : index_status(status, &from, err);
}

enum status index_calls_open(struct index_calls *calls, const struct index_view *indexed,
                             uint64_t lane, struct error *err)
{
    *calls = (struct index_calls){.indexed = indexed,
                                  .lane = lane,
                                  .begins_with_site = browse_rows_of(indexed) == ROWS_CALLS};
    enum status status = find_open(calls, err);
    uint64_t *entries = calls->open_entries.items;
    for (size_t i = 0, k = calls->open_entries.count; i + 1 < k; i++) { // ascending
        uint64_t entry = entries[i];
        entries[i] = entries[--k];
        entries[k] = entry;
    }
    return status;
}

void index_calls_free(struct index_calls *calls)
{
    free(calls->open_entries.items);
    free(calls->call_block);
    free(calls->line_blocks);
    *calls = (struct index_calls){0};
}

struct lane_calls index_calls_table(struct index_calls *calls)
{
    const struct trawl_lane *lane = &calls->indexed->lanes[calls->lane];
    return (struct lane_calls){
        .self = calls,
        .event_count = lane->events,
        .call_count = lane->calls,
        .call = read_call,
        .entered = count_entered,
        .level = level_of,
        .around = find_around,
        .outermost = find_outermost,
        .lines_before = count_lines_before,
    };
}
