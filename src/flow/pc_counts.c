#include "flow/pc_counts.h"

#include <stdlib.h>

#define SLOTS_FIRST 256

static bool is_free(const struct pc_count *slot)
{
    return slot->executed == 0 && slot->skipped == 0;
}

static struct pc_count *find(const struct pc_counts *counts, uint64_t pc)
{
    size_t at = (size_t)hash_key(&counts->seed, pc) & (counts->slot_count - 1);
    while (!is_free(&counts->slots[at]) && counts->slots[at].pc != pc)
        at = (at + 1) & (counts->slot_count - 1);
    return &counts->slots[at];
}

static bool grow(struct pc_counts *counts)
{
    struct pc_counts grown = *counts;
    if (counts->slot_count > SIZE_MAX / 2 / sizeof *grown.slots)
        return false;
    grown.slot_count = counts->slot_count ? counts->slot_count * 2 : SLOTS_FIRST;
    if (!counts->slot_count)
        grown.seed = hash_seed_new();
    grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < counts->slot_count; i++) {
        if (!is_free(&counts->slots[i]))
            *find(&grown, counts->slots[i].pc) = counts->slots[i];
    }
    free(counts->slots);
    *counts = grown;
    return true;
}

bool pc_counts_add(struct pc_counts *counts, const struct pc_count *more)
{
    if (is_free(more))
        return true;
    if (2 * (counts->count + 1) > counts->slot_count && !grow(counts))
        return false;
    struct pc_count *slot = find(counts, more->pc);
    bool is_new = is_free(slot);
    counts->count += is_new;
    slot->pc = more->pc;
    slot->executed += more->executed;
    slot->skipped += more->skipped;
    slot->ticks += more->ticks;
    slot->followed_by_2 += more->followed_by_2;
    slot->followed_by_4 += more->followed_by_4;
    slot->went += more->went;
    slot->position = is_new ? more->position : u64_min(slot->position, more->position);
    return true;
}

struct pc_count *pc_counts_find(const struct pc_counts *counts, uint64_t pc)
{
    struct pc_count *slot = counts->slot_count ? find(counts, pc) : NULL;
    return slot && !is_free(slot) ? slot : NULL;
}

bool pc_counts_add_all(struct pc_counts *counts, const struct pc_counts *more)
{
    for (size_t i = 0; i < more->slot_count; i++) {
        if (!pc_counts_add(counts, &more->slots[i]))
            return false;
    }
    return true;
}

void pc_counts_clear(struct pc_counts *counts)
{
    if (counts->count)
        memset(counts->slots, 0, counts->slot_count * sizeof *counts->slots);
    counts->count = 0;
}

static int by_pc(const void *a, const void *b)
{
    const struct pc_count *first = a, *second = b;
    return (first->pc > second->pc) - (first->pc < second->pc);
}

struct pc_count *pc_counts_sorted(const struct pc_counts *counts)
{
    size_t count = 0;
    struct pc_count *sorted = malloc((counts->count + 1) * sizeof *sorted);
    if (!sorted)
        return NULL;
    for (size_t i = 0; i < counts->slot_count; i++) {
        if (!is_free(&counts->slots[i]))
            sorted[count++] = counts->slots[i];
    }
    qsort(sorted, count, sizeof *sorted, by_pc);
    return sorted;
}

void pc_counts_free(struct pc_counts *counts)
{
    free(counts->slots);
    *counts = (struct pc_counts){0};
}
