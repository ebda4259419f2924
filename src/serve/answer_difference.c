// difference: where a lane differs from one of another trace, as trawl diff tells.
#include "base/limits.h"
#include "diff/lane_diff.h"
#include "serve/answer.h"

// One comparison; `left`: regions that may still be written.
struct difference {
    struct asking *asking;
    struct lane_diff diff;
    uint64_t left;
    bool is_cut;
};

// The event where a region ends on a side: of the first instruction behind it, or null at the end
// of the lane.
static enum status put_end(struct difference *difference, const struct lane_region *region,
                           int side, struct error *err)
{
    uint64_t event = TRAWL_NONE;
    enum status status = lane_keys_event(&difference->diff.lanes[side],
                                         region->starts[side] + region->counts[side], &event, err);
    if (status == STATUS_OK)
        json_u64(difference->asking->json, event);
    else
        json_text(difference->asking->json, NULL);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status take_region(void *self, const struct lane_region *region, struct error *err)
{
    struct difference *difference = self;
    struct json *json = difference->asking->json;
    enum status status = STATUS_OK;
    if (request_is_abandoned(difference->asking->request))
        return error_set(err, STATUS_STOPPED, "the client has closed the connection");
    if (!difference->left) {
        difference->is_cut = true;
        return STATUS_OK;
    }
    difference->left--;
    json_begin_array(json);
    for (int side = 0; side < 2 && status == STATUS_OK; side++) {
        if (region->events[side] == TRAWL_NONE)
            json_text(json, NULL);
        else
            json_u64(json, region->events[side]);
        status = put_end(difference, region, side, err);
        json_u64(json, region->only[side]);
    }
    json_u64(json, region->changed);
    json_bool(json, region->is_rough);
    json_end_array(json);
    return status;
}

// Registers and memory are compared where both traces show any.
static enum status find_effects(const struct index_view *const views[2], unsigned *effects,
                                struct error *err)
{
    static const enum event_effect all[] = {EFFECT_REGISTERS, EFFECT_MEMORY};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < ARRAY_COUNT(all) && status == STATUS_OK; i++) {
        bool has[2] = {false, false};
        for (int side = 0; side < 2 && status == STATUS_OK; side++)
            status = event_effects_has_any(views[side], all[i], &has[side], err);
        if (has[0] && has[1])
            *effects |= all[i];
    }
    return status;
}

enum status answer_difference(struct asking *asking, struct error *err)
{
    const struct request_context *other = asking->other;
    struct json *json = asking->json;
    struct difference difference = {.asking = asking, .left = LIMIT_SERVE_DIFFERENCES};
    uint64_t lanes[2] = {0, 0}, effects = 0;
    int failed;
    if (!other)
        return error_set(err, STATUS_INPUT, "other: expected the number of another trace");
    const struct index_view *const views[2] = {&asking->context->session.view,
                                               &other->session.view};
    enum status status = request_lane(asking->request, "lane", views[0], 0, &lanes[0], err);
    if (status == STATUS_OK)
        status = request_lane(asking->request, "other_lane", views[1], 0, &lanes[1], err);
    if (status == STATUS_OK)
        status =
            request_u64(asking->request, "count", LIMIT_SERVE_DIFFERENCES, &difference.left, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "effects", 1, &effects, err);
    if (status == STATUS_OK && asking->context->source.rows != other->source.rows)
        status = error_set(err, STATUS_INPUT, "the two traces have nothing in common");
    if (status == STATUS_OK && effects)
        status = find_effects(views, &difference.diff.effects, err);
    if (status != STATUS_OK)
        return status;
    json_key(json, "regions");
    json_begin_array(json);
    difference.diff.self = &difference;
    difference.diff.region = take_region;
    status = lane_diff_run(&difference.diff, views, lanes, &failed, err);
    json_end_array(json);
    json_member_bool(json, "is_cut", difference.is_cut);
    json_member_u64(json, "region_count", difference.diff.regions);
    json_member_u64(json, "same", difference.diff.same);
    json_member_u64(json, "changed", difference.diff.changed);
    json_key(json, "only");
    json_begin_array(json);
    for (int side = 0; side < 2; side++)
        json_u64(json, difference.diff.only[side]);
    json_end_array(json);
    return status;
}
