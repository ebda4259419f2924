#include "flow/pending.h"

#include <stdlib.h>

// There may be many sets, one for each core.
enum { FIRST_CALLS = 16 };

static size_t slot_of(const struct pending_set *set, uint64_t sp, uint64_t return_address)
{
    return (size_t)hash_keys(&set->seed, sp, return_address) & (set->slot_count - 1);
}

static size_t filter_of(uint64_t return_address)
{
    return return_address / 2 % PENDING_FILTER_COUNT;
}

// The slot that holds the key, or the free one where it would go.
static size_t probe(const struct pending_set *set, uint64_t sp, uint64_t return_address)
{
    size_t at = slot_of(set, sp, return_address);
    while (set->slots[at].item != PENDING_NONE &&
           (set->slots[at].sp != sp || set->slots[at].return_address != return_address))
        at = (at + 1) & (set->slot_count - 1);
    return at;
}

uint32_t pending_find(const struct pending_set *set, uint64_t sp, uint64_t return_address)
{
    return set->filter && set->filter[filter_of(return_address)]
               ? set->slots[probe(set, sp, return_address)].item
               : PENDING_NONE;
}

static bool grow_slots(struct pending_set *set)
{
    struct pending_set grown = *set;
    if (!set->filter && !(set->filter = calloc(PENDING_FILTER_COUNT, sizeof *set->filter)))
        return false;
    grown.filter = set->filter;
    grown.slot_count = set->slot_count ? set->slot_count * 2 : FIRST_CALLS;
    grown.slots = malloc(grown.slot_count * sizeof *grown.slots);
    if (!grown.slots)
        return false;
    if (!set->slot_count)
        grown.seed = hash_seed_new();
    for (size_t i = 0; i < grown.slot_count; i++)
        grown.slots[i].item = PENDING_NONE;
    for (size_t i = 0; i < set->slot_count; i++) {
        const struct pending_call *call = &set->slots[i];
        if (call->item != PENDING_NONE)
            grown.slots[probe(&grown, call->sp, call->return_address)] = *call;
    }
    free(set->slots);
    *set = grown;
    return true;
}

static void sift_down(struct pending_set *set, size_t at)
{
    struct pending_call moved = set->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= set->heap_count)
            break;
        if (child + 1 < set->heap_count && set->heap[child + 1].sp < set->heap[child].sp)
            child++;
        if (set->heap[child].sp >= moved.sp)
            break;
        set->heap[at] = set->heap[child];
        at = child;
    }
    set->heap[at] = moved;
}

static bool is_live(const struct pending_set *set, const struct pending_call *entry)
{
    return pending_find(set, entry->sp, entry->return_address) == entry->item;
}

// Removes the entries of removed calls once they outnumber the others.
static void sweep_heap(struct pending_set *set)
{
    if (set->heap_count < 2 * set->count + 64)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < set->heap_count; i++) {
        if (is_live(set, &set->heap[i]))
            set->heap[kept++] = set->heap[i];
    }
    set->heap_count = kept;
    for (size_t i = kept / 2; i-- > 0;)
        sift_down(set, i);
}

static bool heap_room(struct pending_set *set)
{
    if (set->heap_count < set->heap_capacity)
        return true;
    size_t capacity = set->heap_capacity * 2 + FIRST_CALLS;
    struct pending_call *grown = realloc(set->heap, capacity * sizeof *grown);
    if (!grown)
        return false;
    set->heap = grown;
    set->heap_capacity = capacity;
    return true;
}

bool pending_add(struct pending_set *set, const struct pending_call *call)
{
    sweep_heap(set);
    if (!heap_room(set) || (2 * (set->count + 1) > set->slot_count && !grow_slots(set)))
        return false;
    set->slots[probe(set, call->sp, call->return_address)] = *call;
    set->filter[filter_of(call->return_address)]++;
    set->count++;
    set->heap[set->heap_count++] = *call;
    size_t at = set->heap_count - 1; // and up from there
    struct pending_call moved = set->heap[at];
    while (at > 0 && set->heap[(at - 1) / 2].sp > moved.sp) {
        set->heap[at] = set->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    set->heap[at] = moved;
    return true;
}

void pending_remove(struct pending_set *set, uint64_t sp, uint64_t return_address)
{
    size_t hole = probe(set, sp, return_address), mask = set->slot_count - 1;
    // Close the gap, so that no search stops short of a key after it.
    for (size_t at = (hole + 1) & mask; set->slots[at].item != PENDING_NONE; at = (at + 1) & mask) {
        size_t home = slot_of(set, set->slots[at].sp, set->slots[at].return_address);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            set->slots[hole] = set->slots[at];
            hole = at;
        }
    }
    set->slots[hole].item = PENDING_NONE;
    set->filter[filter_of(return_address)]--;
    set->count--;
}

uint32_t pending_pop_below(struct pending_set *set, uint64_t sp)
{
    while (set->heap_count && set->heap[0].sp < sp) {
        struct pending_call lowest = set->heap[0];
        set->heap[0] = set->heap[--set->heap_count];
        if (set->heap_count)
            sift_down(set, 0);
        if (!is_live(set, &lowest))
            continue;
        pending_remove(set, lowest.sp, lowest.return_address);
        return lowest.item;
    }
    return PENDING_NONE;
}

void pending_free(struct pending_set *set)
{
    free(set->slots);
    free(set->heap);
    free(set->filter);
    *set = (struct pending_set){0};
}
