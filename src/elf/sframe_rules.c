#include "elf/sframe_rules.h"

#include "base/limits.h"

#include <stdlib.h>

static uint64_t hash_rule(const struct hash_seed *seed, const struct sframe_rule *rule)
{
    uint64_t words[sizeof *rule / 8], hash = 0;
    memcpy(words, rule, sizeof words);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        hash = hash_key(seed, hash ^ words[i]);
    return hash;
}

static void place_rule(struct sframe_rules *set, uint32_t number)
{
    size_t mask = set->slot_count - 1;
    size_t slot = hash_rule(&set->seed, &set->rules.items[number]) & mask;
    while (set->slots[slot])
        slot = (slot + 1) & mask;
    set->slots[slot] = number + 1;
}

static bool grow_slots(struct sframe_rules *set)
{
    size_t count = set->slot_count ? 2 * set->slot_count : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    if (!set->slot_count)
        set->seed = hash_seed_new();
    free(set->slots);
    set->slots = slots;
    set->slot_count = count;
    for (uint32_t i = 0; i < set->rules.count; i++)
        place_rule(set, i);
    return true;
}

enum status sframe_rules_number(struct sframe_rules *set, const struct sframe_rule *rule,
                                uint32_t *number, struct error *err)
{
    if (2 * set->rules.count >= set->slot_count && !grow_slots(set))
        return error_set(err, STATUS_MEMORY, "no memory for rules of SFrame");
    size_t mask = set->slot_count - 1;
    for (size_t slot = hash_rule(&set->seed, rule) & mask; set->slots[slot];
         slot = (slot + 1) & mask) {
        *number = set->slots[slot] - 1;
        if (memcmp(&set->rules.items[*number], rule, sizeof *rule) == 0)
            return STATUS_OK;
    }
    if (set->rules.count == LIMIT_SFRAME_RULES)
        return error_set(err, STATUS_LIMIT, "more than %u different rules", LIMIT_SFRAME_RULES);
    if (!VEC_ROOM(&set->rules, 1))
        return error_set(err, STATUS_MEMORY, "no memory for rules of SFrame");
    *number = (uint32_t)set->rules.count;
    set->rules.items[set->rules.count++] = *rule;
    place_rule(set, *number);
    return STATUS_OK;
}

void sframe_rules_free(struct sframe_rules *set)
{
    free(set->rules.items);
    free(set->slots);
    *set = (struct sframe_rules){0};
}
