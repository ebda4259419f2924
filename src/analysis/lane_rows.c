#include "analysis/lane_rows.h"

#include <stdlib.h>

enum { BLOCK = 4096 };

struct block {
    uint64_t pcs[BLOCK], flags[BLOCK], lanes[BLOCK], times[BLOCK];
};

bool lane_rows_are_mixed(const struct index_view *view)
{
    return view->info.lanes > 1 && !view->info.is_by_lanes;
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the comparison");
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
                      const struct block *block, uint64_t first, size_t count, bool takes_all)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t lane = block->lanes[i];
        if (!takes_all && !(block->flags[i] & TRAWL_HAS_INSTRUCTION))
            continue;
        if (lane >= view->info.lanes || rows->counts[lane] == view->lanes[lane].events)
            return false;
        uint64_t at = rows->starts[lane] + rows->counts[lane]++;
        cells(&rows->keys)[at] = block->pcs[i];
        cells(&rows->events)[at] = first + i;
        if (rows->times.base)
            cells(&rows->times)[at] = block->times[i];
    }
    return true;
}

static enum status read_all(struct lane_rows *rows, const struct index_view *view,
                            struct block *block, struct error *err)
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
        if (!count || !add_block(rows, view, block, first, count, takes_all))
            return index_status(index_view_no_progress(&from), &from, err);
        first += count;
    }
    return STATUS_OK;
}

enum status lane_rows_open(struct lane_rows *rows, const struct index_view *view, bool has_times,
                           struct error *err)
{
    *rows = (struct lane_rows){0};
    struct block *block = malloc(sizeof *block);
    enum status status = block && make_lanes(rows, view, has_times)
                             ? read_all(rows, view, block, err)
                             : no_memory(err);
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
