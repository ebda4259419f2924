#include "export/name_ids.h"

#include <stdlib.h>

bool name_ids_of(struct name_ids *ids, uint64_t pc, uint32_t *id)
{
    uint64_t hash = hash_key(hash_index_seed(&ids->by_pc), pc);
    HASH_INDEX_FIND(*id, &ids->by_pc, hash, ids->pcs.items[candidate] == pc);
    if (*id != HASH_INDEX_NONE)
        return true;
    *id = (uint32_t)ids->pcs.count;
    if (ids->pcs.count >= HASH_INDEX_NONE || !VEC_ROOM(&ids->pcs, 1) ||
        !hash_index_add(&ids->by_pc, hash, *id))
        return false;
    ids->pcs.items[ids->pcs.count++] = pc;
    return true;
}

void name_ids_free(struct name_ids *ids)
{
    hash_index_free(&ids->by_pc);
    free(ids->pcs.items);
    *ids = (struct name_ids){0};
}
