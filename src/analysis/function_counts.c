#include "analysis/function_counts.h"

#include <stdlib.h>

static struct function_count *probe(const struct hash_seed *seed, struct function_count *slots,
                                    size_t slot_count, uint64_t pc)
{
    size_t at = (size_t)hash_key(seed, pc) & (slot_count - 1);
    while (slots[at].calls && slots[at].pc != pc)
        at = (at + 1) & (slot_count - 1);
    return &slots[at];
}

static bool grow(struct function_counts *counts)
{
    size_t slot_count = counts->slot_count ? counts->slot_count * 2 : 256;
    struct function_count *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < counts->slot_count; i++) {
        if (counts->slots[i].calls)
            *probe(&counts->seed, slots, slot_count, counts->slots[i].pc) = counts->slots[i];
    }
    free(counts->slots);
    counts->slots = slots;
    counts->slot_count = slot_count;
    return true;
}

static enum status add(struct function_counts *counts, uint64_t pc, struct error *err)
{
    if (2 * (counts->count + 1) > counts->slot_count && !grow(counts))
        return error_set(err, STATUS_MEMORY, "no memory for the functions");
    struct function_count *slot =
        probe(&counts->seed, counts->slots, counts->slot_count, pc & ~UINT64_C(1));
    counts->count += slot->calls == 0;
    slot->pc = pc & ~UINT64_C(1);
    slot->calls++;
    return STATUS_OK;
}

static enum status add_root(struct function_counts *counts, const struct index_view *view,
                            uint64_t lane, struct error *err)
{
    struct trawl_error from;
    struct trawl_event about;
    uint64_t event;
    if (view->lanes[lane].root == TRAWL_NONE)
        return STATUS_OK;
    enum trawl_status status =
        trawl_event_of_lane(view->index, lane, view->lanes[lane].root, &event, &from);
    if (status == TRAWL_OK)
        status = trawl_event(view->index, event, &about, &from);
    return status == TRAWL_OK ? add(counts, about.pc, err) : index_view_status(status, &from, err);
}

static enum status add_lane(struct function_counts *counts, const struct index_view *view,
                            uint64_t lane, struct error *err)
{
    enum status status = add_root(counts, view, lane, err);
    for (uint64_t i = 0; i < view->lanes[lane].calls && status == STATUS_OK; i++) {
        struct trawl_error from;
        struct trawl_call call;
        enum trawl_status read = trawl_call(view->index, lane, i, &call, &from);
        status = read == TRAWL_OK ? add(counts, call.pc, err) : index_view_status(read, &from, err);
    }
    return status;
}

static int compare(const void *a, const void *b)
{
    const struct function_count *first = a, *second = b;
    return (first->pc > second->pc) - (first->pc < second->pc);
}

// Moves what is there to the front, in order.
static void put_in_order(struct function_counts *counts)
{
    size_t kept = 0;
    for (size_t i = 0; i < counts->slot_count; i++) {
        if (counts->slots[i].calls)
            counts->slots[kept++] = counts->slots[i];
    }
    if (kept)
        qsort(counts->slots, kept, sizeof *counts->slots, compare);
}

enum status function_counts_take(struct function_counts *counts, const struct index_view *view,
                                 struct error *err)
{
    enum status status = STATUS_OK;
    *counts = (struct function_counts){.seed = hash_seed_new()};
    for (uint64_t lane = 0; lane < view->info.lanes && status == STATUS_OK; lane++)
        status = add_lane(counts, view, lane, err);
    put_in_order(counts);
    return status;
}

void function_counts_free(struct function_counts *counts)
{
    free(counts->slots);
    *counts = (struct function_counts){0};
}
