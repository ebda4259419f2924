#include "idx/call_batch.h"

#include "base/thread.h"

#include <stdlib.h>

static size_t groups_most(const struct call_batch *batch)
{
    return BATCH_GROUPS * (size_t)u64_max(batch->threads, 1);
}

bool call_batch_reserve(struct call_batch *batch, uint64_t count)
{
    ASSERT(count <= CALL_GROUP && !call_batch_is_full(batch));
    while (batch->group_count * (uint64_t)CALL_GROUP < batch->count + count) {
        // One more group than are packed at once, for the calls that do not fit into these.
        size_t most = groups_most(batch) + 1;
        if (!batch->groups && !(batch->groups = calloc(most, sizeof *batch->groups)))
            return false;
        struct packed_calls *added = malloc(sizeof *added); // most of it is columns to be written
        if (!added)
            return false;
        added->parts = (struct parts_writer){.simd = batch->simd};
        batch->groups[batch->group_count++] = added;
    }
    batch->count += count;
    return true;
}

bool call_batch_is_full(const struct call_batch *batch)
{
    return batch->count >= groups_most(batch) * (uint64_t)CALL_GROUP;
}

static bool pack(void *self, unsigned worker, uint64_t item)
{
    const struct call_batch *batch = self;
    struct packed_calls *calls = batch->groups[item];
    (void)worker;
    calls->group.count = (size_t)u64_min(CALL_GROUP, batch->count - item * CALL_GROUP);
    return call_group_pack(&calls->group, &calls->parts);
}

size_t call_batch_pack(struct call_batch *batch)
{
    size_t count = call_batch_is_full(batch)
                       ? groups_most(batch)
                       : (size_t)((batch->count + CALL_GROUP - 1) / CALL_GROUP);
    unsigned threads = (unsigned)u64_min(u64_max(batch->threads, 1), count);
    return !count || parallel_run(threads, count, batch, pack) ? count : SIZE_MAX;
}

void call_batch_shift(struct call_batch *batch, size_t packed_count)
{
    batch->count -= u64_min(batch->count, packed_count * (uint64_t)CALL_GROUP);
    if (!batch->count)
        return;
    struct packed_calls *left = batch->groups[packed_count];
    batch->groups[packed_count] = batch->groups[0];
    batch->groups[0] = left;
}

void call_batch_free(struct call_batch *batch)
{
    for (size_t i = 0; i < batch->group_count; i++) {
        parts_writer_free(&batch->groups[i]->parts);
        free(batch->groups[i]);
    }
    free(batch->groups);
    *batch = (struct call_batch){0};
}

bool call_group_pack(const struct call_group *group, struct parts_writer *parts)
{
    parts_writer_reset(parts);
    for (uint32_t part = PART_CALL_ENTRIES; part <= PART_CALL_LAST; part++) {
        uint64_t any = part < PART_CALL_OPEN; // those from here on are mostly zero, then left out
        for (size_t i = 0; !any && i < group->count; i++)
            any = group->columns[part][i];
        if (!any)
            continue;
        if (!parts_add_column(parts, part, group->columns[part], group->count))
            return false;
    }
    return true;
}

uint64_t call_group_exit_max(const struct call_group *group)
{
    uint64_t most = 0;
    for (size_t i = 0; i < group->count; i++)
        most = u64_max(most,
                       group->columns[PART_CALL_ENTRIES][i] + group->columns[PART_CALL_LENGTHS][i]);
    return most;
}
