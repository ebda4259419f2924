// difference: where a lane differs from one of another trace, as trawl diff tells.
#include "base/limits.h"
#include "diff/lane_diff.h"
#include "serve/answer.h"

#include <stdlib.h>

// One comparison; `left`: regions that may still be written.
struct difference {
    struct asking *asking;
    struct lane_diff diff;
    uint64_t left;
    bool is_cut;
    uint64_t (*places)[4]; // of each region: where it begins and ends on both sides, as events
    size_t place_count;
};

// The event where a region ends on a side: of the first instruction behind it, or null at the end
// of the lane.
static enum status find_end(struct difference *difference, const struct lane_region *region,
                            int side, uint64_t *event, struct error *err)
{
    enum status status = lane_keys_event(&difference->diff.lanes[side],
                                         region->starts[side] + region->counts[side], event, err);
    if (status != STATUS_NOT_FOUND)
        return status;
    *event = TRAWL_NONE;
    return STATUS_OK;
}

static void put_place(struct json *json, uint64_t place)
{
    if (place == TRAWL_NONE)
        json_text(json, NULL);
    else
        json_u64(json, place);
}

// The same places as numbers of events of the lanes, in which the two run side by side.
static void put_in_lanes(struct difference *difference)
{
    struct json *json = difference->asking->json;
    struct request_context *const contexts[2] = {difference->asking->context,
                                                 difference->asking->other};
    json_key(json, "in_lanes");
    json_begin_array(json);
    for (size_t i = 0; i < difference->place_count; i++) {
        json_begin_array(json);
        for (size_t k = 0; k < ARRAY_COUNT(difference->places[i]); k++) {
            struct trawl_event about = {.in_lane = TRAWL_NONE};
            if (difference->places[i][k] != TRAWL_NONE)
                browse_event(&contexts[k / 2]->source, difference->places[i][k], &about);
            put_place(json, about.in_lane);
        }
        json_end_array(json);
    }
    json_end_array(json);
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
    uint64_t *places = difference->places[difference->place_count++];
    json_begin_array(json);
    for (int side = 0; side < 2 && status == STATUS_OK; side++) {
        places[2 * side] = region->events[side];
        status = find_end(difference, region, side, &places[2 * side + 1], err);
        put_place(json, places[2 * side]);
        put_place(json, places[2 * side + 1]);
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
    if (status == STATUS_OK &&
        !(difference.places = calloc((size_t)difference.left + 1, sizeof *difference.places)))
        status = error_set(err, STATUS_MEMORY, "no memory for differences");
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
    put_in_lanes(&difference);
    free(difference.places);
    return status;
}
