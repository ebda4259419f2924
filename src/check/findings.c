#include "check/findings.h"

#include <stdlib.h>

const char *const finding_texts[FINDING_KINDS] = {
    [FINDING_UNDEFINED_DECISION] = "decision by a value that nothing has set",
    [FINDING_UNDEFINED_ADDRESS] = "access at an address that nothing has set",
    [FINDING_DEAD_FRAME] = "access to a frame of the stack that has ended",
    [FINDING_STACK_OVERFLOW] = "stack overflow",
    [FINDING_OUTSIDE_STACK] = "access outside of the stack",
    [FINDING_RETURN_ADDRESS] = "return to an address that was overwritten",
    [FINDING_USE_AFTER_FREE] = "access to a freed block",
    [FINDING_PAST_BLOCK] = "access outside of a block",
    [FINDING_DOUBLE_FREE] = "block freed again",
    [FINDING_BAD_FREE] = "free of what is no block",
    [FINDING_WRONG_FREE] = "block freed by another heap's function",
    [FINDING_LEAK] = "block to which nothing points at the end",
    [FINDING_UNLOCK] = "unlock of a lock that is not held",
    [FINDING_OTHERS_LOCK] = "unlock of a lock that another task holds",
    [FINDING_RELOCK] = "lock taken again by the task that holds it",
    [FINDING_HELD_WAITING] = "lock held over a wait",
    [FINDING_LOCK_ORDER] = "locks taken in both orders",
    [FINDING_STILL_HELD] = "lock still held at the end",
};

const char *const finding_keys[FINDING_KINDS] = {
    [FINDING_UNDEFINED_DECISION] = "undefined-decision",
    [FINDING_UNDEFINED_ADDRESS] = "undefined-address",
    [FINDING_DEAD_FRAME] = "dead-frame",
    [FINDING_STACK_OVERFLOW] = "stack-overflow",
    [FINDING_OUTSIDE_STACK] = "outside-stack",
    [FINDING_RETURN_ADDRESS] = "return-address",
    [FINDING_USE_AFTER_FREE] = "use-after-free",
    [FINDING_PAST_BLOCK] = "past-block",
    [FINDING_DOUBLE_FREE] = "double-free",
    [FINDING_BAD_FREE] = "bad-free",
    [FINDING_WRONG_FREE] = "wrong-free",
    [FINDING_LEAK] = "leak",
    [FINDING_UNLOCK] = "unlock",
    [FINDING_OTHERS_LOCK] = "others-lock",
    [FINDING_RELOCK] = "relock",
    [FINDING_HELD_WAITING] = "held-waiting",
    [FINDING_LOCK_ORDER] = "lock-order",
    [FINDING_STILL_HELD] = "still-held",
};

struct finding *findings_note(struct findings *findings, unsigned kind, uint64_t pc, uint64_t key,
                              bool *is_new, bool *lacks_memory)
{
    const struct hash_seed *seed = hash_index_seed(&findings->by_cause);
    const uint64_t hash = hash_keys(seed, pc, key ^ (uint64_t)kind << 56);
    uint32_t found;
    *is_new = false;
    HASH_INDEX_FIND(found, &findings->by_cause, hash,
                    findings->items.items[candidate].kind == kind &&
                        findings->items.items[candidate].pc == pc &&
                        findings->items.items[candidate].key == key);
    if (found != HASH_INDEX_NONE) {
        findings->items.items[found].count++;
        return &findings->items.items[found];
    }
    if (findings->items.count >= LIMIT_FINDINGS) {
        findings->beyond++;
        return NULL;
    }
    if (!VEC_ROOM(&findings->items, 1) ||
        !hash_index_add(&findings->by_cause, hash, (uint32_t)findings->items.count)) {
        *lacks_memory = true;
        return NULL;
    }
    *is_new = true;
    struct finding *made = &findings->items.items[findings->items.count++];
    *made = (struct finding){.kind = (uint8_t)kind, .pc = pc, .key = key, .count = 1};
    return made;
}

void findings_free(struct findings *findings)
{
    free(findings->items.items);
    hash_index_free(&findings->by_cause);
}
