#include "query/function_counts.h"

#include <stdlib.h>

// How many functions are requested at once.
enum { BLOCK = 1024 };

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the functions");
}

// Adds all functions that are called.
static enum status add_calls(struct function_counts *counts, const struct index_view *view,
                             struct error *err)
{
    uint64_t pcs[BLOCK], calls[BLOCK], next = 0;
    size_t count;
    do {
        struct trawl_error from;
        enum trawl_status status =
            trawl_functions(view->index, TRAWL_ANY_LANE, next, pcs, calls, BLOCK, &count, &from);
        if (status != TRAWL_OK)
            return index_status(status, &from, err);
        if (!VEC_ROOM(&counts->items, count))
            return no_memory(err);
        for (size_t i = 0; i < count; i++)
            counts->items.items[counts->items.count++] = (struct function_count){pcs[i], calls[i]};
        next = count ? pcs[count - 1] + 1 : 0;
    } while (count == BLOCK && next);
    return STATUS_OK;
}

// Adds an entry, in order.
static enum status add(struct function_counts *counts, uint64_t pc, struct error *err)
{
    struct function_count *items = counts->items.items;
    size_t at = 0, count = counts->items.count;
    while (at < count && items[at].pc < pc)
        at++;
    if (at < count && items[at].pc == pc) {
        items[at].calls++;
        return STATUS_OK;
    }
    if (!VEC_ROOM(&counts->items, 1))
        return no_memory(err);
    items = counts->items.items;
    if (at < count)
        memmove(&items[at + 1], &items[at], (count - at) * sizeof *items);
    items[at] = (struct function_count){pc, 1};
    counts->items.count++;
    return STATUS_OK;
}

enum status function_counts_take(struct function_counts *counts, const struct index_view *view,
                                 struct error *err)
{
    *counts = (struct function_counts){0};
    enum status status = add_calls(counts, view, err);
    for (uint64_t lane = 0; lane < view->info.lanes && status == STATUS_OK; lane++) {
        struct trawl_event root;
        if (view->lanes[lane].root == TRAWL_NONE)
            continue;
        status = index_view_event_of_lane(view, lane, view->lanes[lane].root, &root, err);
        if (status == STATUS_OK)
            status = add(counts, root.pc & ~UINT64_C(1), err);
    }
    return status;
}

void function_counts_free(struct function_counts *counts)
{
    free(counts->items.items);
    *counts = (struct function_counts){0};
}
