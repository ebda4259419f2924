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

enum status sframe_rules_number(struct sframe_rules *set, const struct sframe_rule *rule,
                                uint32_t *number, struct error *err)
{
    const uint64_t hash = hash_rule(hash_index_seed(&set->by_content), rule);
    HASH_INDEX_FIND(*number, &set->by_content, hash,
                    memcmp(&set->rules.items[candidate], rule, sizeof *rule) == 0);
    if (*number != HASH_INDEX_NONE)
        return STATUS_OK;
    if (set->rules.count == LIMIT_SFRAME_RULES)
        return error_set(err, STATUS_LIMIT, "more than %u different rules", LIMIT_SFRAME_RULES);
    *number = (uint32_t)set->rules.count;
    if (!VEC_ROOM(&set->rules, 1) || !hash_index_add(&set->by_content, hash, *number))
        return error_set(err, STATUS_MEMORY, "no memory for rules of SFrame");
    set->rules.items[set->rules.count++] = *rule;
    return STATUS_OK;
}

void sframe_rules_free(struct sframe_rules *set)
{
    free(set->rules.items);
    hash_index_free(&set->by_content);
    *set = (struct sframe_rules){0};
}
