// Any bytes as an XRay log: every record is inside the log and the buffers of its thread; the
// profile is the same by calling contexts and by function alone; every entry and every exit belongs
// to a call in the list. The first byte selects how calls are matched, and the range. Bytes that
// are not a log but begin like YAML are read as an instrumentation map.
#include "flow/call_list.h"
#include "fuzz.h"
#include "trace/xray/log_open.h"
#include "trace/xray/map.h"
#include "trace/xray/pass.h"

// The cursor reads the same from a thread and from its buffers one by one.
static void read_thread(const struct xray_log *log, uint32_t thread)
{
    struct xray_cursor cursor;
    struct xray_record record;
    uint64_t records = 0;
    xray_cursor_thread(&cursor, log, thread);
    while (xray_next(&cursor, &record)) {
        bool is_fault = record.kind == XRAY_FAULT;
        uint64_t offset = is_fault ? record.fault.offset : record.offset;
        CLAIM(offset <= log->size_bytes);
        CLAIM(++records <= log->size_bytes);
        if (is_fault)
            CLAIM(record.fault.size_bytes <= log->size_bytes - offset);
        else if (record.kind == XRAY_CUSTOM_EVENT || record.kind == XRAY_TYPED_EVENT)
            CLAIM(record.payload >= log->data &&
                  record.payload + record.payload_bytes <= log->data + log->size_bytes);
    }
}

static void check_damage(const struct trace_damage *damage)
{
    char text[TRACE_FAULT_TEXT_BYTES];
    for (uint64_t i = 0; i < u64_min(damage->count, LIMIT_DAMAGE_KEPT); i++) {
        xray_fault_text(&damage->first[i], text);
        CLAIM(i == 0 || damage->first[i - 1].offset <= damage->first[i].offset);
    }
}

static void by_contexts(struct xray_pass *pass, struct profile *profile)
{
    struct context_tree tree;
    struct pass_result result;
    struct error err;
    VEC(, uint32_t) roots = {0};
    CLAIM(context_tree_init(&tree));
    CLAIM(xray_contexts_run(pass, &tree, &result, &err) == STATUS_OK);
    for (size_t i = 0; i < result.lane_count; i++) {
        struct lane_result *lane = &result.lanes[i];
        struct node_ref entry = lane->root, exit = lane->last;
        bool is_clipped = false;
        if (!lane->nodes || !clip_nodes(&lane->clip, &entry, &exit, &is_clipped))
            continue;
        CLAIM(VEC_ROOM(&roots, 1));
        roots.items[roots.count++] = context_tree_root(&tree, &lane->calls, &entry, &exit);
    }
    CLAIM(profile_make(profile, &tree, roots.items, roots.count, UINT64_MAX, false, &err) ==
          STATUS_OK);
    check_damage(&pass->damage);
    free(roots.items);
    pass_result_free(&result);
    context_tree_free(&tree);
    xray_pass_free(pass);
}

static void check_profile(const struct xray_pass *how)
{
    struct profile contexts, direct;
    struct pass_result result;
    struct error err;
    struct xray_pass pass = *how;
    by_contexts(&pass, &contexts);
    pass = *how;
    CLAIM(xray_profile_run(&pass, NULL, &direct, &result, &err) == STATUS_OK);
    CLAIM(contexts.rows.count == direct.rows.count);
    for (size_t i = 0; i < direct.rows.count; i++) {
        const struct profile_row *a = &contexts.rows.items[i], *b = &direct.rows.items[i];
        CLAIM(a->pc == b->pc && a->count == b->count && a->ticks_self == b->ticks_self);
        CLAIM(a->ticks_all == b->ticks_all && a->ticks_total == b->ticks_total);
    }
    pass_result_free(&result);
    xray_pass_free(&pass);
    profile_free(&contexts);
    profile_free(&direct);
}

// Every open call and every exit without an entry is listed, too.
static void check_list(const struct xray_pass *how)
{
    struct xray_pass pass = *how;
    struct pass_result result;
    struct error err;
    struct call_list list = {0};
    const struct call_consumer consumer = call_list_consumer(&list);
    CLAIM(xray_pass_run_calls(&pass, &consumer, &result, &err) == STATUS_OK);
    const struct xray_lane_counts *sums = &pass.counts[result.lane_count];
    uint64_t calls = sums->calls + sums->unmatched_entries + sums->exits.unmatched;
    CLAIM(list.count <= calls);
    CLAIM(list.count == calls || !call_range_is_all(&pass.range));
    call_list_free(&list);
    pass_result_free(&result);
    xray_pass_free(&pass);
}

static void check_map(const char *path)
{
    struct xray_map map;
    struct error err;
    bool is_yaml;
    enum status status = xray_map_read_yaml(&map, path, &is_yaml, &err);
    CLAIM(status == STATUS_OK || err.text[0]);
    for (size_t i = 0; is_yaml && status == STATUS_OK && i < map.functions.count; i++) {
        const struct xray_function *function = &map.functions.items[i];
        CLAIM(xray_map_function(&map, function->id) == function);
        CLAIM(i == 0 || function[-1].id < function->id);
    }
    xray_map_free(&map);
}

// The sum of the contents of an index's segments.
struct held {
    uint64_t events, falls, time;
    const struct xray_log *log;
};

static bool hold(void *self, struct segment *segment, struct error *err)
{
    struct held *held = self;
    (void)err;
    CLAIM(segment->first_event == held->events && segment->event_count);
    held->events += segment->event_count;
    for (uint32_t i = 0; i < segment->event_count; i++) {
        held->falls += segment->events.time[i] < held->time;
        held->time = segment->events.time[i];
        CLAIM(segment->events.position[i] < held->log->size_bytes);
    }
    return true;
}

static bool build_nothing(void *self, struct segment *segment, struct error *err)
{
    (void)self, (void)segment, (void)err;
    return true;
}

// An index contains every function record, and every call is measured.
static void check_segments(const struct xray_pass *how)
{
    struct xray_pass pass = *how, listed = *how;
    struct pass_result result, of_list;
    struct error err;
    struct held held = {.log = how->log};
    pass.range = listed.range = CALL_RANGE_ALL;
    pass.threads = 2;
    pass.segments = (struct segment_consumer){
        .self = &held, .segment_events = 3, .build = build_nothing, .write = hold};
    CLAIM(xray_segments_run(&pass, &result, &err) == STATUS_OK);
    CLAIM(xray_pass_run_calls(&listed, NULL, &of_list, &err) == STATUS_OK);
    uint64_t events = 0;
    for (size_t i = 0; i < result.lane_count; i++) {
        events += result.lanes[i].events;
        CLAIM(result.lanes[i].last.time == of_list.lanes[i].last.time);
        CLAIM(memcmp(&pass.counts[i], &listed.counts[i], sizeof *pass.counts) == 0);
    }
    CLAIM(events == held.events && held.falls <= result.lane_count);
    CLAIM(pass.damage.count == listed.damage.count);
    pass_result_free(&result);
    pass_result_free(&of_list);
    xray_pass_free(&pass);
    xray_pass_free(&listed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct xray_log log;
    struct error err;
    if (size_bytes < 1)
        return 0;
    uint8_t *copy = (uint8_t *)fuzz_copy(data + 1, size_bytes - 1);
    if (xray_log_open(&log, copy, size_bytes - 1, &err) == STATUS_OK) {
        struct xray_pass pass = {.log = &log, .threads = 1, .range = CALL_RANGE_ALL};
        if (*data & 2)
            pass.range.first_event = *data >> 4;
        if (*data & 4)
            pass.range.last_event = (uint64_t)(*data >> 4) + 5;
        if (*data & 8)
            pass.range.first_time = UINT64_C(1) << (*data >> 2);
        for (uint32_t i = 0; i < log.threads.count; i++)
            read_thread(&log, i);
        check_damage(&log.damage);
        check_profile(&pass);
        check_list(&pass);
        check_segments(&pass);
    } else if (size_bytes > 1 && copy[0] == '-') {
        check_map(fuzz_file(copy, size_bytes - 1));
    }
    xray_log_close(&log);
    free(copy);
    return 0;
}
