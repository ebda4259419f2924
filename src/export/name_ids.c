#include "export/name_ids.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1024 };

static uint32_t *slot_of(const struct name_ids *ids, uint64_t pc)
{
    size_t at = (size_t)hash_key(&ids->seed, pc) & (ids->slot_count - 1);
    while (ids->slots[at] && ids->pcs.items[ids->slots[at] - 1] != pc)
        at = (at + 1) & (ids->slot_count - 1);
    return &ids->slots[at];
}

static bool grow(struct name_ids *ids)
{
    size_t slot_count = ids->slot_count ? ids->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return false;
    if (!ids->slot_count)
        ids->seed = hash_seed_new();
    free(ids->slots);
    ids->slots = slots;
    ids->slot_count = slot_count;
    for (size_t i = 0; i < ids->pcs.count; i++)
        *slot_of(ids, ids->pcs.items[i]) = (uint32_t)i + 1;
    return true;
}

bool name_ids_of(struct name_ids *ids, uint64_t pc, uint32_t *id)
{
    if (2 * (ids->pcs.count + 1) > ids->slot_count && !grow(ids))
        return false;
    uint32_t *slot = slot_of(ids, pc);
    if (!*slot) {
        if (ids->pcs.count >= UINT32_MAX - 1 || !VEC_ROOM(&ids->pcs, 1))
            return false;
        ids->pcs.items[ids->pcs.count++] = pc;
        *slot = (uint32_t)ids->pcs.count;
    }
    *id = *slot - 1;
    return true;
}

void name_ids_free(struct name_ids *ids)
{
    free(ids->slots);
    free(ids->pcs.items);
    *ids = (struct name_ids){0};
}
