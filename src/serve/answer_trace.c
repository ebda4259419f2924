// trace: the description of the served trace.
#include "base/version.h"
#include "serve/answer.h"

static void put_abilities(struct json *json, const struct trace *trace)
{
    static const struct {
        const char *name;
        unsigned ability;
    } abilities[] = {
        {"calls", TRACE_CALLS}, {"registers", TRACE_REGISTERS}, {"memory", TRACE_MEMORY},
        {"times", TRACE_TIMES}, {"lines", TRACE_LINES},         {"addresses", TRACE_ADDRESSES},
        {"arm", TRACE_ARM},
    };
    json_key(json, "can");
    json_begin_object(json);
    for (size_t i = 0; i < ARRAY_COUNT(abilities); i++) {
        json_key(json, abilities[i].name);
        json_bool(json, trace_can(trace, abilities[i].ability));
    }
    json_end_object(json);
}

static void put_time(struct desk *desk, struct json *json, const char *key, uint64_t lane,
                     uint64_t in_lane)
{
    struct trawl_event about;
    struct error err;
    if (index_view_event_of_lane(&desk->session.view, lane, in_lane, &about, &err) == STATUS_OK)
        answer_text_u64(json, key, about.time);
}

static void put_lanes(struct desk *desk, struct json *json)
{
    const struct index_view *view = &desk->session.view;
    json_key(json, "lanes");
    json_begin_array(json);
    for (uint64_t i = 0; i < view->info.lanes; i++) {
        const struct trawl_lane *lane = &view->lanes[i];
        json_begin_object(json);
        json_member_text(json, "name", lane->name);
        json_member_u64(json, "events", lane->events);
        json_member_u64(json, "calls", lane->calls);
        if (lane->events) {
            put_time(desk, json, "first_time", i, 0);
            put_time(desk, json, "last_time", i, lane->events - 1);
        }
        json_end_object(json);
    }
    json_end_array(json);
}

enum status answer_trace(struct asking *asking, struct error *err)
{
    static const char *const rows[] = {
        [ROWS_LINES] = "lines", [ROWS_CALLS] = "calls", [ROWS_SNAPSHOTS] = "snapshots"};
    struct desk *desk = asking->desk;
    const struct index_view *view = &desk->session.view;
    struct json *json = asking->json;
    (void)err;
    json_member_text(json, "file", desk->session.path);
    json_member_text(json, "kind", view->info.kind);
    json_member_text(json, "version", TRAWL_VERSION);
    json_member_text(json, "rows", rows[desk->source.rows]);
    json_member_u64(json, "events", view->info.events);
    json_member_u64(json, "lines", view->info.lines);
    json_member_u64(json, "ticks_per_second", view->info.ticks_per_second);
    json_member_text(json, "lane_word", desk->session.trace->kind->words.heading);
    json_member_u64(json, "traces", asking->trace_count);
    put_abilities(json, desk->session.trace);
    put_lanes(desk, json);
    return STATUS_OK;
}
