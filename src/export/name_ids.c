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

bool stack_ids_take(struct stack_ids *stack, enum stack_event event,
                    const struct stack_visit *visit, uint32_t *function)
{
    if (event == STACK_LEAVE) {
        stack->open.count--;
        return true;
    }
    if (!name_ids_of(&stack->ids, visit->label ? visit->label_number : visit->pc, function))
        return false;
    if (event == STACK_OWN)
        return true;
    if (!VEC_ROOM(&stack->open, 1))
        return false;
    stack->open.items[stack->open.count++] = *function;
    return true;
}

void stack_ids_free(struct stack_ids *stack)
{
    name_ids_free(&stack->ids);
    free(stack->open.items);
    *stack = (struct stack_ids){0};
}
