#include "analysis/lane_diff.h"

static bool is_open(const struct lane_diff *diff)
{
    return diff->same_since < LANE_DIFF_GAP;
}

static enum status close_region(struct lane_diff *diff, struct error *err)
{
    if (!is_open(diff))
        return STATUS_OK;
    diff->same_since = LANE_DIFF_GAP;
    diff->regions++;
    return diff->region(diff->self, &diff->open, err);
}

static enum status event_at(struct lane_diff *diff, int side, uint64_t at, uint64_t *event,
                            struct error *err)
{
    enum status status = lane_keys_event(&diff->lanes[side], at, event, err);
    if (status != STATUS_NOT_FOUND)
        return status;
    *event = TRAWL_NONE;
    return STATUS_OK;
}

// Opens a region, or goes on with the open one, up to a place.
static enum status reach(struct lane_diff *diff, const uint64_t at[2], struct error *err)
{
    enum status status = STATUS_OK;
    if (!is_open(diff)) {
        diff->open = (struct lane_region){.starts = {at[0], at[1]}};
        for (int side = 0; side < 2 && status == STATUS_OK; side++)
            status = event_at(diff, side, at[side], &diff->open.events[side], err);
    }
    for (int side = 0; side < 2; side++)
        diff->open.counts[side] = at[side] - diff->open.starts[side];
    diff->same_since = 0;
    return status;
}

static enum status take_same(void *self, const uint64_t at[2], uint64_t count, struct error *err)
{
    struct lane_diff *diff = self;
    (void)at;
    diff->same += count;
    diff->counts[0] += count;
    diff->counts[1] += count;
    if (!is_open(diff))
        return STATUS_OK;
    if (diff->same_since + count >= LANE_DIFF_GAP)
        return close_region(diff, err);
    diff->same_since += count;
    return STATUS_OK;
}

static enum status take_apart(void *self, const uint64_t at[2], const uint64_t counts[2],
                              bool is_rough, struct error *err)
{
    struct lane_diff *diff = self;
    enum status status = reach(diff, at, err);
    for (int side = 0; side < 2; side++) {
        diff->counts[side] += counts[side];
        diff->only[side] += counts[side];
        diff->open.counts[side] += counts[side];
        diff->open.only[side] += counts[side];
    }
    diff->open.is_rough |= is_rough;
    return status;
}

enum status lane_diff_run(struct lane_diff *diff, const struct index_view *const views[2],
                          const uint64_t lanes[2], struct error *err)
{
    const struct alignment_sink sink = {diff, take_same, take_apart};
    enum status status = STATUS_OK;
    diff->same_since = LANE_DIFF_GAP;
    for (int side = 0; side < 2 && status == STATUS_OK; side++)
        status = lane_keys_open(&diff->lanes[side], views[side], lanes[side], err);
    if (status == STATUS_OK) {
        const struct key_source sources[2] = {lane_keys_source(&diff->lanes[0]),
                                              lane_keys_source(&diff->lanes[1])};
        status = alignment_run(sources, &sink, err);
    }
    if (status == STATUS_OK)
        status = close_region(diff, err);
    for (int side = 0; side < 2; side++)
        lane_keys_close(&diff->lanes[side]);
    return status;
}
