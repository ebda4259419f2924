#include "diff/lane_diff.h"

#include <stdlib.h>

// --- Rows of lanes that are interleaved ----------------------------------------------------------

enum { BLOCK = 4096 };

struct block {
    uint64_t pcs[BLOCK], flags[BLOCK], lanes[BLOCK], times[BLOCK];
};

bool lane_rows_are_mixed(const struct index_view *view)
{
    return view->info.lanes > 1 && !view->info.is_by_lanes;
}

static bool make_room(struct spool *spool, uint64_t rows)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(rows, sizeof(uint64_t), &bytes) ||
        !spool_reserve(spool, u64_max(bytes, 1)))
        return false;
    spool->used_bytes = bytes;
    return true;
}

// Each lane gets room for all of its events.
static bool make_lanes(struct lane_rows *rows, const struct index_view *view, bool has_times)
{
    uint64_t lanes = view->info.lanes, all = 0;
    rows->starts = calloc(lanes, sizeof *rows->starts);
    rows->counts = calloc(lanes, sizeof *rows->counts);
    if (!rows->starts || !rows->counts)
        return false;
    for (uint64_t lane = 0; lane < lanes; lane++) {
        rows->starts[lane] = all;
        if (__builtin_add_overflow(all, view->lanes[lane].events, &all))
            return false;
    }
    return make_room(&rows->keys, all) && make_room(&rows->events, all) &&
           (!has_times || make_room(&rows->times, all));
}

static uint64_t *cells(const struct spool *spool)
{
    return (uint64_t *)(void *)spool->base;
}

// False: an event belongs to a lane that cannot have it, because the index is damaged.
static bool add_block(struct lane_rows *rows, const struct index_view *view,
                      const struct key_map *map, const struct block *block, uint64_t first,
                      size_t count, bool takes_all)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t lane = block->lanes[i];
        if (!takes_all && !(block->flags[i] & TRAWL_HAS_INSTRUCTION))
            continue;
        if (lane >= view->info.lanes || rows->counts[lane] == view->lanes[lane].events)
            return false;
        uint64_t at = rows->starts[lane] + rows->counts[lane]++;
        cells(&rows->keys)[at] = map->key ? map->key(map->self, block->pcs[i]) : block->pcs[i];
        cells(&rows->events)[at] = first + i;
        if (rows->times.base)
            cells(&rows->times)[at] = block->times[i];
    }
    return true;
}

static enum status read_all(struct lane_rows *rows, const struct index_view *view,
                            const struct key_map *map, struct block *block, struct error *err)
{
    bool takes_all = index_view_has_snapshots(view);
    const struct trawl_event_columns columns = {.pc = block->pcs,
                                                .flags = block->flags,
                                                .lane = block->lanes,
                                                .time = rows->times.base ? block->times : NULL};
    for (uint64_t first = 0; first < view->info.events;) {
        struct trawl_error from;
        size_t count;
        enum status status = index_status(
            trawl_events(view->index, first, BLOCK, &columns, &count, &from), &from, err);
        if (status != STATUS_OK)
            return status;
        if (!count || !add_block(rows, view, map, block, first, count, takes_all))
            return index_status(index_view_no_progress(&from), &from, err);
        first += count;
    }
    return STATUS_OK;
}

enum status lane_rows_open(struct lane_rows *rows, const struct index_view *view,
                           const struct key_map *map, bool has_times, struct error *err)
{
    *rows = (struct lane_rows){0};
    struct block *block = malloc(sizeof *block);
    enum status status = block && make_lanes(rows, view, has_times)
                             ? read_all(rows, view, map, block, err)
                             : error_set(err, STATUS_MEMORY, "no memory for the comparison");
    free(block);
    return status;
}

void lane_rows_close(struct lane_rows *rows)
{
    spool_free(&rows->keys);
    spool_free(&rows->events);
    spool_free(&rows->times);
    free(rows->starts);
    free(rows->counts);
    *rows = (struct lane_rows){0};
}

// --- Chunks --------------------------------------------------------------------------------------

// Distinguishes an entry and an exit of the same function, which have the same PC.
#define IS_EXIT_BIT (UINT64_C(1) << 63)

static bool has_memory(const struct lane_keys *keys)
{
    for (size_t i = 0; i < LANE_CHUNKS; i++) {
        if (!keys->chunks[i].keys || !keys->chunks[i].events ||
            !keys->chunks[i].times != !keys->times)
            return false;
    }
    return keys->pcs && keys->flags && (keys->lanes || !lane_rows_are_mixed(keys->view));
}

static enum status find_ends(struct lane_keys *keys, struct error *err)
{
    const struct index_view *view = keys->view;
    uint64_t count = view->lanes[keys->lane].events, last = 0;
    struct trawl_error from;
    keys->first = keys->end = 0;
    if (!count)
        return STATUS_OK;
    enum trawl_status found = trawl_event_of_lane(view->index, keys->lane, 0, &keys->first, &from);
    if (found == TRAWL_OK)
        found = trawl_event_of_lane(view->index, keys->lane, count - 1, &last, &from);
    keys->end = last + 1;
    return index_status(found, &from, err);
}

enum status lane_keys_open(struct lane_keys *keys, const struct index_view *view,
                           const struct key_map *map, uint64_t lane, bool has_times,
                           struct error *err)
{
    const size_t bytes = LANE_CHUNK_EVENTS * sizeof(uint64_t);
    *keys = (struct lane_keys){.view = view, .map = *map, .lane = lane};
    keys->takes_all = view->info.is_by_lanes || index_view_has_snapshots(view);
    for (size_t i = 0; i < LANE_CHUNKS; i++) {
        keys->chunks[i].keys = malloc(bytes);
        keys->chunks[i].events = malloc(LANE_CHUNK_EVENTS * sizeof *keys->chunks[i].events);
        keys->chunks[i].times = has_times ? malloc(bytes) : NULL;
    }
    keys->times = has_times ? malloc(bytes) : NULL;
    keys->pcs = malloc(bytes);
    keys->flags = malloc(bytes);
    keys->lanes = lane_rows_are_mixed(view) ? malloc(bytes) : NULL;
    if (!has_memory(keys) || (has_times && !keys->times) || !VEC_ROOM(&keys->before, 1))
        return error_set(err, STATUS_MEMORY, "no memory for the comparison");
    keys->before.items[keys->before.count++] = 0;
    return find_ends(keys, err);
}

void lane_keys_of_rows(struct lane_keys *keys, const struct lane_rows *rows, uint64_t lane)
{
    *keys = (struct lane_keys){.rows = rows, .lane = lane};
}

void lane_keys_close(struct lane_keys *keys)
{
    for (size_t i = 0; i < LANE_CHUNKS; i++) {
        free(keys->chunks[i].keys);
        free(keys->chunks[i].events);
        free(keys->chunks[i].times);
    }
    free(keys->pcs);
    free(keys->flags);
    free(keys->lanes);
    free(keys->times);
    free(keys->before.items);
}

// --- Chunks --------------------------------------------------------------------------------------

static enum status read_chunk(struct lane_keys *keys, uint64_t number, struct lane_chunk *chunk,
                              struct error *err)
{
    const struct trawl_event_columns columns = {
        .pc = keys->pcs, .flags = keys->flags, .lane = keys->lanes, .time = keys->times};
    uint64_t first = keys->first + number * LANE_CHUNK_EVENTS;
    size_t wanted = (size_t)u64_min(keys->end - first, LANE_CHUNK_EVENTS), count;
    struct trawl_error from;
    chunk->number = 0;
    enum status status = index_status(
        trawl_events(keys->view->index, first, wanted, &columns, &count, &from), &from, err);
    if (status != STATUS_OK)
        return status;
    if (count != wanted)
        return index_status(index_view_no_progress(&from), &from, err);
    chunk->count = 0;
    for (size_t row = 0; row < count; row++) {
        bool counts = keys->takes_all || keys->flags[row] & TRAWL_HAS_INSTRUCTION;
        uint64_t kind = keys->flags[row] & TRAWL_XRAY_KIND;
        bool is_exit = keys->view->info.is_by_lanes && kind && kind != TRAWL_XRAY_KIND;
        uint64_t key = keys->pcs[row];
        if (keys->map.key && counts)
            key = keys->map.key(keys->map.self, key) & ~IS_EXIT_BIT;
        chunk->keys[chunk->count] = key | (is_exit ? IS_EXIT_BIT : 0);
        chunk->events[chunk->count] = (uint16_t)row;
        if (keys->times)
            chunk->times[chunk->count] = keys->times[row];
        chunk->count += counts && (!keys->lanes || keys->lanes[row] == keys->lane);
    }
    chunk->number = number + 1;
    return STATUS_OK;
}

// The number of keys before a chunk is known once the chunks before it were read, in order.
static enum status get_chunk(struct lane_keys *keys, uint64_t number, struct lane_chunk **found,
                             struct error *err)
{
    struct lane_chunk *chunk = &keys->chunks[number % LANE_CHUNKS];
    enum status status = STATUS_OK;
    *found = chunk;
    if (chunk->number != number + 1)
        status = read_chunk(keys, number, chunk, err);
    if (status != STATUS_OK || number + 1 < keys->before.count)
        return status;
    if (!VEC_ROOM(&keys->before, 1))
        return error_set(err, STATUS_MEMORY, "no memory for the comparison");
    keys->before.items[keys->before.count] =
        keys->before.items[keys->before.count - 1] + chunk->count;
    keys->before.count++;
    return STATUS_OK;
}

// The chunk with a key, and the place of the key in it. *found is NULL if there is no such key.
static enum status find_key(struct lane_keys *keys, uint64_t at, struct lane_chunk **found,
                            size_t *place, struct error *err)
{
    uint64_t chunks = (keys->end - keys->first + LANE_CHUNK_EVENTS - 1) / LANE_CHUNK_EVENTS;
    // From the last chunk known to begin at or before the key; before.items[0] is 0.
    uint64_t number = u64_count_up_to(keys->before.items, keys->before.count, at) - 1;
    for (; number < chunks; number++) {
        enum status status = get_chunk(keys, number, found, err);
        keys->has_failed |= status != STATUS_OK;
        if (status != STATUS_OK)
            return status;
        *place = (size_t)(at - keys->before.items[number]);
        if (*place < (*found)->count)
            return STATUS_OK;
    }
    *found = NULL;
    return STATUS_OK;
}

// --- Rows ----------------------------------------------------------------------------------------

static uint64_t rows_from(const struct lane_keys *keys, uint64_t at)
{
    uint64_t count = keys->rows->counts[keys->lane];
    return at < count ? count - at : 0;
}

static enum status no_instruction(struct error *err)
{
    return error_set(err, STATUS_NOT_FOUND, "there is no such instruction");
}

static enum status copy_rows(const struct lane_keys *keys, uint64_t number, size_t count,
                             uint64_t *events, uint64_t *times, struct error *err)
{
    if (count > rows_from(keys, number))
        return no_instruction(err);
    memcpy(events, lane_rows_events(keys->rows, keys->lane) + number, count * sizeof *events);
    if (keys->rows->times.base && times)
        memcpy(times, lane_rows_times(keys->rows, keys->lane) + number, count * sizeof *times);
    return STATUS_OK;
}

// --- The source ----------------------------------------------------------------------------------

static enum status read_keys(void *self, uint64_t at, const uint64_t **found, size_t *count,
                             struct error *err)
{
    const struct lane_keys *keys = self;
    struct lane_chunk *chunk;
    size_t place;
    if (keys->rows) {
        *count = (size_t)rows_from(keys, at);
        *found = *count ? lane_rows_keys(keys->rows, keys->lane) + at : NULL;
        return STATUS_OK;
    }
    enum status status = find_key(self, at, &chunk, &place, err);
    *count = status == STATUS_OK && chunk ? chunk->count - place : 0;
    *found = *count ? chunk->keys + place : NULL;
    return status;
}

struct key_source lane_keys_source(struct lane_keys *keys)
{
    return (struct key_source){keys, read_keys};
}

enum status lane_keys_event(struct lane_keys *keys, uint64_t number, uint64_t *event,
                            struct error *err)
{
    struct lane_chunk *chunk;
    size_t place;
    if (keys->rows)
        return copy_rows(keys, number, 1, event, NULL, err);
    enum status status = find_key(keys, number, &chunk, &place, err);
    if (status != STATUS_OK)
        return status;
    if (!chunk)
        return no_instruction(err);
    *event = keys->first + (chunk->number - 1) * LANE_CHUNK_EVENTS + chunk->events[place];
    return STATUS_OK;
}

static void copy_events(const struct lane_keys *keys, const struct lane_chunk *chunk, size_t place,
                        size_t count, uint64_t *events, uint64_t *times)
{
    uint64_t first = keys->first + (chunk->number - 1) * LANE_CHUNK_EVENTS;
    for (size_t i = 0; i < count; i++)
        events[i] = first + chunk->events[place + i];
    if (keys->times)
        memcpy(times, chunk->times + place, count * sizeof *times);
}

enum status lane_keys_events(struct lane_keys *keys, uint64_t number, size_t count,
                             uint64_t *events, uint64_t *times, struct error *err)
{
    if (keys->rows)
        return copy_rows(keys, number, count, events, times, err);
    for (size_t done = 0; done < count;) {
        struct lane_chunk *chunk;
        size_t place;
        enum status status = find_key(keys, number + done, &chunk, &place, err);
        if (status != STATUS_OK)
            return status;
        if (!chunk)
            return no_instruction(err);
        size_t here = chunk->count - place < count - done ? chunk->count - place : count - done;
        copy_events(keys, chunk, place, here, events + done, times + done);
        done += here;
    }
    return STATUS_OK;
}
