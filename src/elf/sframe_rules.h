// A set of rules, numbered in the order of their occurrence, so that rows can store 16-bit numbers.
#ifndef TRAWL_ELF_SFRAME_RULES_H
#define TRAWL_ELF_SFRAME_RULES_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "elf/sframe_rule.h"

// All zero is an empty set.
struct sframe_rules {
    VEC(, struct sframe_rule) rules;
    struct hash_index by_content;
};

// The number of a rule, new or not. STATUS_LIMIT beyond LIMIT_SFRAME_RULES.
enum status sframe_rules_number(struct sframe_rules *set, const struct sframe_rule *rule,
                                uint32_t *number, struct error *err);

void sframe_rules_free(struct sframe_rules *set);

#endif
