// The functions that were called: counted once for a lane, and kept in order.
#include "idx/index.h"
#include "idx/nesting.h"

#include <stdlib.h>

void function_list_free(struct function_list *list)
{
    free(list->functions.items);
    hash_index_free(&list->by_pc);
    *list = (struct function_list){0};
}

static bool add(struct function_list *list, uint64_t pc)
{
    uint64_t hash = hash_key(hash_index_seed(&list->by_pc), pc);
    uint32_t number;
    HASH_INDEX_FIND(number, &list->by_pc, hash, list->functions.items[candidate].pc == pc);
    if (number == HASH_INDEX_NONE) {
        number = (uint32_t)list->functions.count;
        if (list->functions.count >= HASH_INDEX_NONE || !VEC_ROOM(&list->functions, 1) ||
            !hash_index_add(&list->by_pc, hash, number))
            return false;
        list->functions.items[list->functions.count++] = (struct function_calls){.pc = pc};
    }
    list->functions.items[number].calls++;
    return true;
}

// The PCs of calls from `first` on: as many as are in one block.
static enum status read_pcs(struct trawl_index *index, uint64_t first, uint64_t *pcs, size_t *count,
                            struct error *err)
{
    if (index->is_nested)
        return nesting_entry_pcs(index, first, pcs, count, err);
    uint64_t row = first % CALL_GROUP;
    const struct group_view *group = index_group(index, first / CALL_GROUP, err);
    if (!group)
        return STATUS_DAMAGED;
    const struct column *column = &group->columns[PART_CALL_PCS];
    *count = (size_t)u64_min(column->count - row, COLUMN_BLOCK - row % COLUMN_BLOCK);
    return column_read(column, row, *count, pcs) ? STATUS_OK : index_damaged(index, "calls", err);
}

// Adds the calls [first, end) of the index.
static enum status add_calls(struct trawl_index *index, struct function_list *list, uint64_t first,
                             uint64_t end, struct error *err)
{
    uint64_t pcs[COLUMN_BLOCK];
    while (first < end) {
        size_t here;
        enum status status = read_pcs(index, first, pcs, &here, err);
        if (status != STATUS_OK)
            return status;
        here = (size_t)u64_min(here, end - first);
        for (size_t i = 0; i < here; i++) {
            if (!add(list, pcs[i] & ~UINT64_C(1)))
                return index_no_memory(index, err);
        }
        first += here;
    }
    return STATUS_OK;
}

ORDER_BY(compare, struct function_calls, pc)

static enum status count_calls(struct trawl_index *index, uint64_t lane, struct error *err)
{
    struct function_list *list = &index->functions;
    const uint64_t *figures = index->lanes[lane == TRAWL_ANY_LANE ? 0 : lane].figures;
    uint64_t first = lane == TRAWL_ANY_LANE ? 0 : figures[LANE_FIRST_CALL];
    uint64_t end = lane == TRAWL_ANY_LANE ? index->call_count : first + figures[LANE_CALLS];
    function_list_free(list);
    enum status status = add_calls(index, list, first, end, err);
    if (status != STATUS_OK) {
        function_list_free(list);
        return status;
    }
    hash_index_free(&list->by_pc); // their numbers change
    if (list->functions.count)
        qsort(list->functions.items, list->functions.count, sizeof *list->functions.items, compare);
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
    PARTITION_POINT(low, list->functions.count, list->functions.items[middle].pc < pc);
    for (; low < list->functions.count && *count < capacity; low++, ++*count) {
        pcs[*count] = list->functions.items[low].pc;
        if (calls)
            calls[*count] = list->functions.items[low].calls;
    }
    return TRAWL_OK;
}
