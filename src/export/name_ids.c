#include "export/name_ids.h"

#include "flow/call_consumer.h"

#include <stdio.h>
#include <stdlib.h>

bool name_ids_of_call(struct name_ids *ids, uint64_t pc, unsigned how, uint32_t *id)
{
    bool is_guess = how & CALL_GUESSED;
    uint64_t hash = hash_key(hash_index_seed(&ids->by_pc), pc);
    HASH_INDEX_FIND(*id, &ids->by_pc, hash,
                    ids->pcs.items[candidate] == pc &&
                        ids->are_guesses.items[candidate] == is_guess);
    if (*id != HASH_INDEX_NONE)
        return true;
    *id = (uint32_t)ids->pcs.count;
    if (ids->pcs.count >= HASH_INDEX_NONE || !VEC_ROOM(&ids->pcs, 1) ||
        !VEC_ROOM(&ids->are_guesses, 1) || !hash_index_add(&ids->by_pc, hash, *id))
        return false;
    ids->pcs.items[ids->pcs.count++] = pc;
    ids->are_guesses.items[ids->are_guesses.count++] = is_guess;
    return true;
}

bool name_ids_of(struct name_ids *ids, uint64_t pc, uint32_t *id)
{
    return name_ids_of_call(ids, pc, 0, id);
}

const char *name_ids_text(const struct name_ids *ids, size_t id, struct names *names,
                          char text[NAME_ID_BYTES])
{
    char address[NAMES_ADDRESS_BYTES];
    const char *name = names_or_address(names, ids->pcs.items[id], address);
    if (!ids->are_guesses.items[id] && name != address)
        return name;
    snprintf(text, NAME_ID_BYTES, "%.*s%s", NAME_ID_BYTES - 16, name,
             ids->are_guesses.items[id] ? " (guess)" : "");
    return text;
}

void name_ids_free(struct name_ids *ids)
{
    hash_index_free(&ids->by_pc);
    free(ids->pcs.items);
    free(ids->are_guesses.items);
    *ids = (struct name_ids){0};
}

bool stack_ids_take(struct stack_ids *stack, enum stack_event event,
                    const struct stack_visit *visit, uint32_t *function)
{
    if (event == STACK_LEAVE) {
        stack->open.count--;
        return true;
    }
    if (!name_ids_of_call(&stack->ids, visit->label ? visit->label_number : visit->pc,
                          visit->is_guess ? CALL_GUESSED : 0, function))
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
