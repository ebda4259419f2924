// diff, for programs.
#include "cmd/diff.h"

static void put_traces(struct diff *diff, struct json *json)
{
    static const char *const keys[2] = {"a", "b"};
    for (int side = 0; side < 2; side++) {
        json_key(json, keys[side]);
        json_begin_object(json);
        json_member_text(json, "trace", diff_side(diff, side)->session.path);
        json_member_u64(json, "count", diff->same + diff->changed + diff->only[side]);
        query_put_covered_json(diff_side(diff, side), json);
        json_end_object(json);
    }
}

static void put_compared(struct diff *diff, struct json *json)
{
    const char *names[DIFF_COMPARED + 1];
    diff_compared(diff, names);
    json_key(json, "compared");
    json_begin_array(json);
    for (size_t i = 0; names[i]; i++)
        json_text(json, names[i]);
    json_end_array(json);
    json_key(json, "registers_left_out");
    json_begin_array(json);
    for (size_t i = 0; i < diff->left_out.count && i < EFFECT_NAMES; i++)
        json_text(json, diff->left_out.names[i]);
    json_end_array(json);
    json_member_u64(json, "registers_left_out_count", diff->left_out.count);
}

static void put_sums(struct diff *diff, struct json *json)
{
    json_member_text(json, "units", diff->unit->many);
    json_member_u64(json, "same", diff->same);
    json_member_u64(json, "changed", diff->changed);
    json_member_u64(json, "only_a", diff->only[0]);
    json_member_u64(json, "only_b", diff->only[1]);
    json_member_u64(json, "region_count", diff->region_count);
}

static void put_lane(struct json *json, const char *key, const struct command *query, uint64_t lane)
{
    json_key(json, key);
    if (lane == TRAWL_NONE) {
        json_text(json, NULL);
        return;
    }
    json_begin_object(json);
    json_member_u64(json, "number", lane);
    json_member_text(json, "name", query_lane_name(query, lane));
    json_end_object(json);
}

static void put_lanes(struct diff *diff, struct json *json)
{
    json_key(json, "lanes");
    json_begin_array(json);
    for (size_t i = 0; i < diff->pairs.count; i++) {
        const struct diff_pair *pair = &diff->pairs.items[i];
        json_begin_object(json);
        put_lane(json, "a", &diff->common, pair->lanes[0]);
        put_lane(json, "b", &diff->other, pair->lanes[1]);
        json_member_u64(json, "same", pair->same);
        json_member_u64(json, "changed", pair->changed);
        json_member_u64(json, "only_a", pair->only[0]);
        json_member_u64(json, "only_b", pair->only[1]);
        json_member_u64(json, "region_count", pair->regions);
        json_end_object(json);
    }
    json_end_array(json);
}

static enum status put_side(struct diff *diff, const struct lane_region *region, int side,
                            struct json *json, struct error *err)
{
    struct command *query = diff_side(diff, side);
    struct trawl_event about;
    const char *function;
    enum status status;
    json_key(json, side ? "b" : "a");
    if (!diff_event(diff, region, side, &about, &function, &status, err)) {
        json_text(json, NULL);
        return status;
    }
    json_begin_object(json);
    json_member_u64(json, "event", about.event);
    if (about.line)
        json_member_u64(json, "line", about.line);
    if (session_can(&query->session, TRACE_TIMES))
        json_member_u64(json, "time", about.time);
    json_member_address(json, "pc", about.pc & ~UINT64_C(1));
    json_member_text(json, "function", function);
    if (query->context.is_open)
        json_member_text(json, "context",
                         trace_context_text(&query->context, json->out,
                                            &(struct line_place){about.line, about.position}));
    json_end_object(json);
    return STATUS_OK;
}

static enum status put_first(struct diff *diff, struct json *json, struct error *err)
{
    json_key(json, "first");
    if (!diff->regions.count) {
        json_text(json, NULL);
        return STATUS_OK;
    }
    const struct diff_region *region = &diff->regions.items[diff->first];
    json_begin_object(json);
    json_member_text(json, "what", diff_region_kind(&region->found));
    enum status status = put_side(diff, &region->found, 0, json, err);
    if (status == STATUS_OK)
        status = put_side(diff, &region->found, 1, json, err);
    json_end_object(json);
    return status;
}

enum status diff_write_json(struct diff *diff, struct out *out, struct error *err)
{
    struct table table;
    struct json json;
    json_begin(&json, out, 2);
    json_begin_object(&json);
    put_traces(diff, &json);
    put_compared(diff, &json);
    json_member_bool(&json, "equal", diff_is_equal(diff));
    put_sums(diff, &json);
    put_lanes(diff, &json);
    enum status status = put_first(diff, &json, err);
    json_key(&json, "regions");
    table_begin_member(&table, &json, diff_columns, DIFF_COLUMNS);
    if (status == STATUS_OK)
        status = diff_write_regions(diff, &table, err);
    else
        table_end(&table);
    json_end_object(&json);
    json_end(&json);
    return status;
}
