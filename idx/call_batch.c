#include "idx/call_batch.h"

#include "base/parallel.h"

#include <stdlib.h>

static size_t groups_most(const struct call_batch *batch)
{
    return BATCH_GROUPS * (size_t)u64_max(batch->threads, 1);
}

// Makes room for another group. False: no memory.
static bool add_group(struct call_batch *batch)
{
    if (!batch->groups && !(batch->groups = calloc(groups_most(batch), sizeof *batch->groups)))
        return false;
    struct packed_calls *added = malloc(sizeof *added); // most of it is columns, to be filled
    if (!added)
        return false;
    added->parts = (struct parts_writer){.simd = batch->simd};
    batch->groups[batch->group_count++] = added;
    return true;
}

struct call_group *call_batch_next(struct call_batch *batch, bool *has_memory)
{
    struct packed_calls *last = batch->used_count ? batch->groups[batch->used_count - 1] : NULL;
    *has_memory = true;
    if (last && last->group.count < CALL_GROUP)
        return &last->group;
    if (batch->used_count == groups_most(batch) ||
        (batch->used_count == batch->group_count && !(*has_memory = add_group(batch))))
        return NULL;
    last = batch->groups[batch->used_count++];
    last->group.count = 0;
    return &last->group;
}

static bool pack(void *self, unsigned worker, uint64_t item)
{
    struct packed_calls *calls = ((struct call_batch *)self)->groups[item];
    (void)worker;
    return call_group_pack(&calls->group, &calls->parts);
}

bool call_batch_pack(struct call_batch *batch)
{
    unsigned threads = (unsigned)u64_min(u64_max(batch->threads, 1), batch->used_count);
    return !batch->used_count || parallel_run(threads, batch->used_count, batch, pack);
}

void call_batch_empty(struct call_batch *batch)
{
    batch->used_count = 0;
}

uint64_t call_batch_count(const struct call_batch *batch)
{
    size_t used = batch->used_count;
    return used ? (used - 1) * (uint64_t)CALL_GROUP + batch->groups[used - 1]->group.count : 0;
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
