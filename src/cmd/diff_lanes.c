#include "cmd/diff.h"

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

static bool have_names_in_common(struct diff *diff)
{
    const struct index_view *a = view_of(diff, 0), *b = view_of(diff, 1);
    for (uint64_t lane = 0; lane < a->info.lanes; lane++) {
        if (index_view_lane_named(b, a->lanes[lane].name) != TRAWL_NONE)
            return true;
    }
    return false;
}

static enum status pair_by_name(struct diff *diff, struct error *err)
{
    const struct index_view *a = view_of(diff, 0), *b = view_of(diff, 1);
    enum status status = STATUS_OK;
    for (uint64_t lane = 0; lane < a->info.lanes && status == STATUS_OK; lane++)
        status = add(diff, lane, index_view_lane_named(b, a->lanes[lane].name), err);
    for (uint64_t lane = 0; lane < b->info.lanes && status == STATUS_OK; lane++) {
        if (index_view_lane_named(a, b->lanes[lane].name) == TRAWL_NONE)
            status = add(diff, TRAWL_NONE, lane, err);
    }
    return status;
}

static enum status pair_by_order(struct diff *diff, struct error *err)
{
    uint64_t a = view_of(diff, 0)->info.lanes, b = view_of(diff, 1)->info.lanes;
    enum status status = STATUS_OK;
    for (uint64_t lane = 0; lane < u64_max(a, b) && status == STATUS_OK; lane++)
        status = add(diff, lane < a ? lane : TRAWL_NONE, lane < b ? lane : TRAWL_NONE, err);
    return status;
}

enum status diff_pair_lanes(struct diff *diff, struct error *err)
{
    diff->pairs.count = 0;
    if (diff->query.lane != TRAWL_ANY_LANE)
        return add(diff, diff->query.lane, diff->other.lane, err);
    return have_names_in_common(diff) ? pair_by_name(diff, err) : pair_by_order(diff, err);
}
