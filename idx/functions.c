// The functions that were called: counted once for a lane, and kept in order.
#include "idx/index.h"

#include <stdlib.h>

void function_list_free(struct function_list *list)
{
    free(list->items);
    *list = (struct function_list){0};
}

// While they are counted, `items` is an open hash table; calls 0: a free slot.
static struct function_calls *find_slot(const struct function_list *list, uint64_t pc)
{
    size_t mask = list->slot_count - 1, at = (size_t)hash_key(&list->seed, pc) & mask;
    while (list->items[at].calls && list->items[at].pc != pc)
        at = (at + 1) & mask;
    return &list->items[at];
}

static bool grow(struct function_list *list)
{
    struct function_list grown = *list;
    grown.slot_count = list->slot_count ? 2 * list->slot_count : 256;
    if (!(grown.items = calloc(grown.slot_count, sizeof *grown.items)))
        return false;
    for (size_t i = 0; i < list->slot_count; i++) {
        if (list->items[i].calls)
            *find_slot(&grown, list->items[i].pc) = list->items[i];
    }
    free(list->items);
    *list = grown;
    return true;
}

static bool add(struct function_list *list, uint64_t pc)
{
    if (2 * (list->count + 1) > list->slot_count && !grow(list))
        return false;
    struct function_calls *slot = find_slot(list, pc);
    list->count += slot->calls == 0;
    slot->pc = pc;
    slot->calls++;
    return true;
}

// Adds the calls [first, end) of the index.
static enum status add_calls(struct trawl_index *index, struct function_list *list, uint64_t first,
                             uint64_t end, struct error *err)
{
    uint64_t pcs[COLUMN_BLOCK];
    while (first < end) {
        uint64_t row = first % CALL_GROUP;
        size_t here = (size_t)u64_min(end - first, COLUMN_BLOCK - row % COLUMN_BLOCK);
        const struct group_view *group = index_group(index, first / CALL_GROUP, err);
        if (!group)
            return STATUS_DAMAGED;
        if (!column_read(&group->columns[PART_CALL_PCS], row, here, pcs))
            return index_damaged(index, "calls", err);
        for (size_t i = 0; i < here; i++) {
            if (!add(list, pcs[i] & ~UINT64_C(1)))
                return index_no_memory(index, err);
        }
        first += here;
    }
    return STATUS_OK;
}

static int compare(const void *a, const void *b)
{
    const struct function_calls *first = a, *second = b;
    return (first->pc > second->pc) - (first->pc < second->pc);
}

static void put_in_order(struct function_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->slot_count; i++) {
        if (list->items[i].calls)
            list->items[kept++] = list->items[i];
    }
    if (kept)
        qsort(list->items, kept, sizeof *list->items, compare);
}

static enum status count_calls(struct trawl_index *index, uint64_t lane, struct error *err)
{
    struct function_list *list = &index->functions;
    const uint64_t *figures = index->lanes[lane == TRAWL_ANY_LANE ? 0 : lane].figures;
    uint64_t first = lane == TRAWL_ANY_LANE ? 0 : figures[LANE_FIRST_CALL];
    uint64_t end = lane == TRAWL_ANY_LANE ? index->call_count : first + figures[LANE_CALLS];
    function_list_free(list);
    list->seed = hash_seed_new();
    enum status status = add_calls(index, list, first, end, err);
    if (status != STATUS_OK) {
        function_list_free(list);
        return status;
    }
    put_in_order(list);
    list->lane = lane;
    list->is_counted = true;
    return STATUS_OK;
}

enum trawl_status trawl_functions(struct trawl_index *index, uint64_t lane, uint64_t pc,
                                  uint64_t *pcs, uint64_t *calls, size_t capacity, size_t *count,
                                  struct trawl_error *error)
{
    struct error why, *err = &why;
    struct function_list *list = &index->functions;
    *count = 0;
    if (lane != TRAWL_ANY_LANE && lane >= index->lane_count)
        return errors_give(error, &why,
                           error_set(err, STATUS_NOT_FOUND, "%s: no such lane", index->path));
    if (!list->is_counted || list->lane != lane) {
        enum status status = count_calls(index, lane, err);
        if (status != STATUS_OK)
            return errors_give(error, &why, status);
    }
    size_t low;
    PARTITION_POINT(low, list->count, list->items[middle].pc < pc);
    for (; low < list->count && *count < capacity; low++, ++*count) {
        pcs[*count] = list->items[low].pc;
        if (calls)
            calls[*count] = list->items[low].calls;
    }
    return TRAWL_OK;
}
