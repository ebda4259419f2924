#include "serve/levels.h"

#include "browse/index_job.h"

#include <stdlib.h>

enum { BLOCK_CALLS = 1024 };

// Any thread that reads a block writes its level; all write the same.
typedef _Atomic uint32_t lowest; // 0: not read yet

struct lane_levels {
    uint64_t calls;
    lowest *blocks; // NULL: no memory, so blocks are read each time
};

struct levels {
    struct index_job *job; // NULL: it could not be started
    size_t lane_count;
    struct lane_levels lanes[];
};

static uint64_t block_count(uint64_t calls)
{
    return calls / BLOCK_CALLS + (calls % BLOCK_CALLS != 0);
}

// Reads the levels of a block, and keeps the lowest.
static enum trawl_status read_block(struct levels *levels, struct trawl_index *index, uint64_t lane,
                                    uint64_t block, uint64_t *depths, size_t *count,
                                    struct trawl_error *err)
{
    const struct trawl_call_columns columns = {.depth = depths};
    enum trawl_status status =
        trawl_calls(index, lane, block * BLOCK_CALLS, BLOCK_CALLS, &columns, count, err);
    uint64_t least = UINT32_MAX;
    for (size_t i = 0; status == TRAWL_OK && i < *count; i++)
        least = u64_min(least, depths[i]);
    if (status == TRAWL_OK && levels->lanes[lane].blocks)
        atomic_store_explicit(&levels->lanes[lane].blocks[block], (uint32_t)u64_max(least, 1),
                              memory_order_relaxed);
    return status;
}

static void read_all(void *context, const struct index_view *view, const _Atomic bool *is_cancelled)
{
    struct levels *levels = context;
    uint64_t depths[BLOCK_CALLS];
    struct trawl_error err;
    size_t count;
    for (size_t lane = 0; lane < levels->lane_count; lane++) {
        uint64_t blocks = levels->lanes[lane].blocks ? block_count(levels->lanes[lane].calls) : 0;
        for (uint64_t block = 0; block < blocks && !atomic_load(is_cancelled); block++) {
            // An unreadable block is reported when a request needs it.
            if (read_block(levels, view->index, lane, block, depths, &count, &err) != TRAWL_OK)
                return;
        }
    }
}

enum status levels_open(struct levels **out, const struct index_view *view, struct error *err)
{
    size_t lane_count = (size_t)view->info.lanes;
    struct levels *levels =
        calloc(1, sizeof *levels + lane_count * sizeof(struct lane_levels)); // of an open index
    if (!levels)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    levels->lane_count = lane_count;
    for (size_t i = 0; i < lane_count; i++) {
        uint64_t calls = view->lanes[i].calls;
        levels->lanes[i].calls = calls;
        levels->lanes[i].blocks = calls ? calloc((size_t)block_count(calls), sizeof(lowest)) : NULL;
    }
    levels->job = index_job_start(view, read_all, levels);
    *out = levels;
    return STATUS_OK;
}

void levels_close(struct levels *levels)
{
    if (!levels)
        return;
    index_job_end(levels->job, INDEX_JOB_STOP);
    for (size_t i = 0; i < levels->lane_count; i++)
        free(levels->lanes[i].blocks);
    free(levels);
}

enum trawl_status levels_find_last(struct levels *levels, struct trawl_index *index, uint64_t lane,
                                   uint64_t first, uint64_t end, uint64_t level, uint64_t *call,
                                   struct trawl_error *err)
{
    uint64_t depths[BLOCK_CALLS];
    size_t count;
    *call = TRAWL_NONE;
    end = u64_min(end, levels->lanes[lane].calls);
    while (end > first) {
        uint64_t block = (end - 1) / BLOCK_CALLS, begin = block * BLOCK_CALLS;
        lowest *blocks = levels->lanes[lane].blocks;
        // Whether all calls of the block are known to be deeper.
        if (blocks && atomic_load_explicit(&blocks[block], memory_order_relaxed) > level) {
            end = begin;
            continue;
        }
        enum trawl_status status = read_block(levels, index, lane, block, depths, &count, err);
        if (status != TRAWL_OK)
            return status;
        for (end = u64_min(end, begin + count); end > u64_max(first, begin); end--) {
            if (depths[end - 1 - begin] <= level) {
                *call = end - 1;
                return TRAWL_OK;
            }
        }
        end = u64_min(end, begin);
    }
    return TRAWL_OK;
}
