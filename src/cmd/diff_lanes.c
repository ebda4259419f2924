#include "cmd/diff.h"

#include <stdlib.h>

static enum status add(struct diff *diff, uint64_t a, uint64_t b, struct error *err)
{
    if (!VEC_ROOM(&diff->pairs, 1))
        return error_set(err, STATUS_MEMORY, "no memory for the comparison");
    diff->pairs.items[diff->pairs.count++] = (struct diff_pair){.lanes = {a, b}};
    return STATUS_OK;
}

static const struct index_view *view_of(struct diff *diff, int side)
{
    return query_view(diff_side(diff, side));
}

// The lanes of one side sorted by name: logs can have tens of thousands.
struct lane_order {
    const struct index_view *view;
    uint64_t *lanes;
};

static int compare_lanes(const void *a_item, const void *b_item, void *context)
{
    const struct index_view *view = context;
    uint64_t a = *(const uint64_t *)a_item, b = *(const uint64_t *)b_item;
    int order = strcmp(view->lanes[a].name, view->lanes[b].name);
    return order ? order : (a > b) - (a < b);
}

static enum status open_order(struct lane_order *order, const struct index_view *view,
                              struct error *err)
{
    uint64_t count = view->info.lanes;
    *order = (struct lane_order){view, malloc((count + 1) * sizeof *order->lanes)};
    if (!order->lanes)
        return error_set(err, STATUS_MEMORY, "no memory for the comparison");
    for (uint64_t i = 0; i < count; i++)
        order->lanes[i] = i;
    qsort_r(order->lanes, count, sizeof *order->lanes, compare_lanes, (void *)(uintptr_t)view);
    return STATUS_OK;
}

// The first lane of that name, TRAWL_NONE if there is none.
static uint64_t find_lane(const struct lane_order *order, const char *name)
{
    size_t first;
    PARTITION_POINT(first, order->view->info.lanes,
                    strcmp(order->view->lanes[order->lanes[middle]].name, name) < 0);
    bool has = first < order->view->info.lanes &&
               strcmp(order->view->lanes[order->lanes[first]].name, name) == 0;
    return has ? order->lanes[first] : TRAWL_NONE;
}

static enum status pair_by_name(struct diff *diff, const struct lane_order orders[2],
                                struct error *err)
{
    const struct index_view *a = orders[0].view, *b = orders[1].view;
    enum status status = STATUS_OK;
    for (uint64_t lane = 0; lane < a->info.lanes && status == STATUS_OK; lane++)
        status = add(diff, lane, find_lane(&orders[1], a->lanes[lane].name), err);
    for (uint64_t lane = 0; lane < b->info.lanes && status == STATUS_OK; lane++) {
        if (find_lane(&orders[0], b->lanes[lane].name) == TRAWL_NONE)
            status = add(diff, TRAWL_NONE, lane, err);
    }
    return status;
}

static bool have_names_in_common(const struct lane_order orders[2])
{
    const struct index_view *a = orders[0].view;
    for (uint64_t lane = 0; lane < a->info.lanes; lane++) {
        if (find_lane(&orders[1], a->lanes[lane].name) != TRAWL_NONE)
            return true;
    }
    return false;
}

static enum status pair_by_order(struct diff *diff, struct error *err)
{
    uint64_t a = view_of(diff, 0)->info.lanes, b = view_of(diff, 1)->info.lanes;
    enum status status = STATUS_OK;
    for (uint64_t lane = 0; lane < u64_max(a, b) && status == STATUS_OK; lane++)
        status = add(diff, lane < a ? lane : TRAWL_NONE, lane < b ? lane : TRAWL_NONE, err);
    return status;
}

static enum status pair_all(struct diff *diff, struct error *err)
{
    struct lane_order orders[2] = {0};
    enum status status = open_order(&orders[0], view_of(diff, 0), err);
    if (status == STATUS_OK)
        status = open_order(&orders[1], view_of(diff, 1), err);
    if (status == STATUS_OK)
        status = have_names_in_common(orders) ? pair_by_name(diff, orders, err)
                                              : pair_by_order(diff, err);
    free(orders[0].lanes);
    free(orders[1].lanes);
    return status;
}

enum status diff_pair_lanes(struct diff *diff, struct error *err)
{
    diff->pairs.count = 0;
    if (diff->query.lane != TRAWL_ANY_LANE)
        return add(diff, diff->query.lane, diff->other.lane, err);
    return pair_all(diff, err);
}
