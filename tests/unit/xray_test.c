// XRay logs made byte by byte, in either byte order: where buffers are found, which records are
// read, and what is reported about damaged logs.
#include "base/thread.h"
#include "test.h"
#include "trace/xray/log_open.h"
#include "trace/xray/pass.h"
#include "trace/xray/record.h"

#include <stdio.h>
#include <stdlib.h>

struct maker {
    uint8_t bytes[4096];
    size_t count;
    bool is_big;
};

static void put(struct maker *maker, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        maker->bytes[at + (maker->is_big ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

static void put_header(struct maker *maker, unsigned version, unsigned type, uint64_t buffer_bytes)
{
    memset(maker->bytes, 0xaa, sizeof maker->bytes);
    put(maker, 0, version, 2);
    put(maker, 2, type, 2);
    put(maker, 4, maker->is_big ? 0xc0000000 : 0xaaaaaaab, 4);
    put(maker, 8, 1000, 8);
    put(maker, 16, buffer_bytes, 8);
    maker->count = 32;
}

static size_t put_metadata(struct maker *maker, unsigned kind)
{
    size_t at = maker->count;
    maker->bytes[at] = (uint8_t)(maker->is_big ? 0x80 | kind : kind << 1 | 1);
    maker->count += 16;
    return at;
}

static void put_function(struct maker *maker, unsigned action, uint32_t id, uint32_t delta)
{
    put(maker, maker->count, maker->is_big ? action << 28 | id : id << 4 | action << 1, 4);
    put(maker, maker->count + 4, delta, 4);
    maker->count += 8;
}

// Returns the place of the extents, for put_extents.
static size_t put_preamble(struct maker *maker, unsigned version, uint32_t tid, uint64_t seconds,
                           uint64_t tsc)
{
    size_t extents = version >= 2 ? put_metadata(maker, 7) : 0;
    put(maker, put_metadata(maker, 0) + 1, tid, 4);
    size_t wall = put_metadata(maker, 4);
    put(maker, wall + 1, seconds, 8);
    put(maker, wall + 9, 5, 4);
    if (version >= 3)
        put(maker, put_metadata(maker, 9) + 1, 77, 4);
    size_t cpu = put_metadata(maker, 2);
    put(maker, cpu + 1, 3, 2);
    put(maker, cpu + 3, tsc, 8);
    return extents;
}

static void put_extents(struct maker *maker, size_t extents)
{
    if (extents) // version 1 has none
        put(maker, extents + 1, maker->count - extents - 16, 8);
}

// Writes kinds and times of all records of a thread in one line: "E1@100 X1@105 ".
static void tell(const struct xray_log *log, uint32_t thread, char *text, size_t size)
{
    struct xray_cursor cursor;
    struct xray_record record;
    size_t used = 0;
    xray_cursor_thread(&cursor, log, thread);
    text[0] = 0;
    while (xray_next(&cursor, &record)) {
        char fault[TRACE_FAULT_TEXT_BYTES];
        int length = 0;
        if (xray_is_function(record.kind))
            length = snprintf(text + used, size - used, "%c%u@%llu ", "EXTA"[record.kind],
                              record.function, (unsigned long long)record.tsc);
        else if (record.kind == XRAY_ARGUMENT)
            length =
                snprintf(text + used, size - used, "(%llu) ", (unsigned long long)record.value);
        else if (record.kind == XRAY_CUSTOM_EVENT || record.kind == XRAY_TYPED_EVENT)
            length = snprintf(text + used, size - used, "'%.*s'%u@%llu ", (int)record.payload_bytes,
                              (const char *)record.payload, record.number,
                              (unsigned long long)record.tsc);
        else if (record.kind == XRAY_FAULT) {
            xray_fault_text(&record.fault, fault);
            length = snprintf(text + used, size - used, "!%s (%llu, %llu) ", fault,
                              (unsigned long long)record.fault.offset,
                              (unsigned long long)record.fault.size_bytes);
        }
        used += (size_t)length;
    }
}

static void open_made(struct xray_log *log, const struct maker *maker)
{
    struct error err = {0};
    CHECK(xray_log_open(log, maker->bytes, maker->count, &err) == STATUS_OK);
    CHECK_STR(err.text, "");
}

static void reads_every_version_in_either_byte_order(void)
{
    for (unsigned i = 0; i < 10; i++) {
        unsigned version = 1 + i % 5;
        struct maker maker = {.is_big = i >= 5};
        struct xray_log log;
        char text[512];
        put_header(&maker, version, XRAY_FDR, 32 + 5 * 16 + 40);
        size_t extents = put_preamble(&maker, version, 9, 50, 1000);
        put_function(&maker, 0, 1, 0);
        put_function(&maker, 3, 0xfffffff, 5);
        put(&maker, put_metadata(&maker, 6) + 1, 42, 8);
        put_function(&maker, 1, 0xfffffff, 0xffffffff);
        put(&maker, put_metadata(&maker, 3) + 1, 7, 8);
        put_function(&maker, 2, 1, 3);
        if (version == 1)
            put_metadata(&maker, 1);
        put_extents(&maker, extents);
        open_made(&log, &maker);
        CHECK(log.header.version == version && log.header.is_big_endian == maker.is_big);
        CHECK(log.header.constant_tsc && log.header.frequency_hz == 1000);
        CHECK(log.threads.count == 1 && log.threads.items[0].tid == 9);
        CHECK(log.threads.items[0].pid == (version >= 3 ? 77 : 0));
        CHECK(log.damage.count == 0);
        tell(&log, 0, text, sizeof text);
        CHECK_STR(text, "E1@1000 A268435455@1005 (42) X268435455@4294968300 T1@10 ");
        xray_log_close(&log);
    }
}

static void put_event(struct maker *maker, unsigned version, unsigned kind, uint64_t time)
{
    size_t at = put_metadata(maker, kind);
    put(maker, at + 1, 3, 4);
    put(maker, at + 5, time, version >= 5 ? 4 : 8);
    put(maker, at + (version >= 5 ? 9 : 13), 11, 2);
    memcpy(maker->bytes + maker->count, "abc", 3);
    maker->count += 3;
}

static void reads_events(void)
{
    for (unsigned version = 2; version <= 5; version++) {
        struct maker maker = {0};
        struct xray_log log;
        char text[512];
        put_header(&maker, version, XRAY_FDR, 0);
        size_t extents = put_preamble(&maker, version, 9, 50, 1000);
        put_event(&maker, version, 5, version >= 5 ? (uint32_t)-10 : 1002);
        put_event(&maker, version, 8, version >= 5 ? 4 : 1003);
        put_function(&maker, 0, 1, 6);
        put_extents(&maker, extents);
        open_made(&log, &maker);
        tell(&log, 0, text, sizeof text);
        CHECK_STR(text, version == 5   ? "'abc'3@990 'abc'11@994 E1@1000 "
                        : version == 4 ? "'abc'11@1002 'abc'11@1003 E1@1006 "
                                       : "'abc'3@1002 'abc'11@1003 E1@1006 ");
        xray_log_close(&log);
    }
}

// The ring is written slot by slot, sometimes a slot twice.
static void count_bytes(void *self, uint64_t size_bytes)
{
    *(uint64_t *)self += size_bytes;
}

static void orders_buffers_and_drops_duplicates(void)
{
    struct maker maker = {0};
    struct xray_log log;
    char text[512];
    static const uint64_t seconds[] = {103, 100, 101, 101};
    put_header(&maker, 5, XRAY_FDR, 0);
    for (size_t i = 0; i < ARRAY_COUNT(seconds); i++) {
        size_t extents = put_preamble(&maker, 5, i ? 9 : 4, seconds[i], seconds[i] * 10);
        put_function(&maker, 0, 1, 1);
        put_extents(&maker, extents);
    }
    size_t extents = put_preamble(&maker, 5, 9, 99, 990);
    put_extents(&maker, extents);
    put(&maker, put_metadata(&maker, 7) + 1, 0, 8); // an unused slot
    open_made(&log, &maker);
    CHECK(log.threads.count == 2 && log.threads.items[1].buffer_count == 3);
    CHECK(log.duplicate_buffers == 1 && log.unused_buffers == 1 && log.damage.count == 0);
    tell(&log, 0, text, sizeof text);
    CHECK_STR(text, "E1@1031 ");
    tell(&log, 1, text, sizeof text);
    CHECK_STR(text, "E1@1001 E1@1011 ");
    uint64_t seen_bytes = 0;
    const struct xray_log_watcher watcher = {count_bytes, &seen_bytes};
    log.watcher = &watcher;
    tell(&log, 1, text, sizeof text);
    CHECK(seen_bytes && seen_bytes == log.threads.items[1].size_bytes);
    xray_log_close(&log);
}

// A buffer with one record that `spoil` changes, followed by a good one.
static void report_spoilt(void (*spoil)(struct maker *maker), char *text, size_t size)
{
    struct maker maker = {0};
    struct xray_log log;
    put_header(&maker, 5, XRAY_FDR, 0);
    size_t extents = put_preamble(&maker, 5, 9, 50, 1000);
    put_function(&maker, 0, 1, 1);
    spoil(&maker);
    put_extents(&maker, extents);
    extents = put_preamble(&maker, 5, 9, 51, 2000);
    put_function(&maker, 1, 1, 1);
    put_extents(&maker, extents);
    open_made(&log, &maker);
    CHECK(log.damage.count == 0);
    tell(&log, 0, text, size);
    xray_log_close(&log);
}

static void spoil_kind(struct maker *maker)
{
    put_metadata(maker, 10);
}

static void spoil_action(struct maker *maker)
{
    put_function(maker, 4, 1, 1);
}

static void spoil_order(struct maker *maker)
{
    put_metadata(maker, 4);
}

static void spoil_size(struct maker *maker)
{
    put(maker, put_metadata(maker, 5) + 1, 0xffffffff, 4);
}

static void spoil_thread(struct maker *maker)
{
    put(maker, put_metadata(maker, 0) + 1, 10, 4);
}

static void spoil_event_end(struct maker *maker)
{
    put(maker, put_metadata(maker, 8) + 1, 1, 4);
}

static void spoil_record_end(struct maker *maker)
{
    maker->bytes[maker->count] = 0;
    maker->count += 7;
}

static void reads_on_behind_a_broken_buffer(void)
{
    static const struct {
        void (*spoil)(struct maker *maker);
        const char *fault;
    } cases[] = {
        {spoil_kind, "unknown kind of metadata record: 10 (120, 16)"},
        {spoil_action, "unknown action of a function record: 4 (120, 8)"},
        {spoil_order, "an unexpected record, of kind 4 (120, 16)"},
        {spoil_size, "impossible size of an event: -1 (120, 16)"},
        {spoil_thread, "a buffer inside the buffer of another thread, of thread 10 (120, 16)"},
        {spoil_event_end, "the buffer ends inside a record (120, 16)"},
        {spoil_record_end, "the buffer ends inside a record (120, 7)"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        char text[512], expected[512];
        report_spoilt(cases[i].spoil, text, sizeof text);
        snprintf(expected, sizeof expected, "E1@1001 !%s X1@2001 ", cases[i].fault);
        CHECK_STR(text, expected);
    }
}

// Junk between buffers, extents that are too large, and a truncated log.
static void finds_the_next_buffer(void)
{
    struct maker maker = {0};
    struct xray_log log;
    char text[512];
    put_header(&maker, 5, XRAY_FDR, 0);
    maker.bytes[40] = 0x0f; // like the start of extents, but nothing follows
    maker.count = 71;
    size_t extents = put_preamble(&maker, 5, 9, 50, 1000);
    put_function(&maker, 0, 1, 1);
    put(&maker, extents + 1, 1000000, 8);
    extents = put_preamble(&maker, 5, 9, 51, 2000);
    put_function(&maker, 1, 1, 1);
    put_extents(&maker, extents);
    maker.count -= 3;
    open_made(&log, &maker);
    CHECK(log.buffers.count == 2 && log.damage.count == 3);
    CHECK(log.damage.first[0].kind == XRAY_FAULT_NO_BUFFER);
    CHECK(log.damage.first[0].offset == 32 && log.damage.first[0].size_bytes == 39);
    CHECK(log.damage.first[1].kind == XRAY_FAULT_EXTENTS && log.damage.first[1].offset == 71);
    CHECK(log.damage.first[2].kind == XRAY_FAULT_LOG_ENDS && log.damage.size_bytes == 39);
    tell(&log, 0, text, sizeof text);
    CHECK_STR(text, "E1@1001 !the log ends inside the buffer (239, 5) ");
    xray_log_close(&log);
}

// Version 1: buffers of equal size, with any bytes after their ends, or of a size that the header
// does not state. A second buffer may continue the time of the first one.
static void reads_version_1(void)
{
    for (int knows_size = 0; knows_size < 2; knows_size++) {
        struct maker maker = {0};
        struct xray_log log;
        char text[512];
        put_header(&maker, 1, XRAY_FDR, knows_size ? 100 : 1);
        put_preamble(&maker, 1, 9, 50, 1000);
        put_function(&maker, 0, 1, 1);
        put_metadata(&maker, 1);
        maker.bytes[maker.count + 1] = 0xff; // filler
        maker.count = 132;
        put(&maker, put_metadata(&maker, 0) + 1, 9, 4);
        size_t wall = put_metadata(&maker, 4);
        put(&maker, wall + 1, 51, 8);
        put(&maker, wall + 9, 5, 4);
        if (!knows_size) {
            size_t cpu = put_metadata(&maker, 2);
            put(&maker, cpu + 3, 1001, 8);
        }
        put_function(&maker, 1, 1, 1);
        open_made(&log, &maker);
        CHECK(log.damage.count == 0 && log.buffers.count == 2);
        tell(&log, 0, text, sizeof text);
        CHECK_STR(text, "E1@1001 X1@1002 ");
        xray_log_close(&log);
    }
}

static void put_basic(struct maker *maker, unsigned type, unsigned action, uint32_t id,
                      uint64_t tsc, uint32_t tid)
{
    size_t at = maker->count;
    maker->count += 32;
    put(maker, at, type, 2);
    if (type == 0) {
        maker->bytes[at + 2] = 3;
        maker->bytes[at + 3] = (uint8_t)action;
    }
    put(maker, at + 4, id, 4);
    put(maker, at + (type ? 16 : 8), tsc, 8);
    put(maker, at + (type ? 8 : 16), tid, 4);
    put(maker, at + (type ? 12 : 20), 77, 4);
}

static void reads_basic_logs(void)
{
    for (int is_big = 0; is_big < 2; is_big++) {
        struct maker maker = {.is_big = is_big};
        struct xray_log log;
        char text[512];
        put_header(&maker, 3, XRAY_BASIC, 0);
        put_basic(&maker, 0, 3, 1, 1000, 9);
        put_basic(&maker, 1, 0, 1, 42, 9);
        put_basic(&maker, 0, 0, 1, 500, 8);
        put_basic(&maker, 1, 0, 2, 42, 8); // of another function
        put_basic(&maker, 2, 0, 2, 42, 8);
        put_basic(&maker, 0, 4, 2, 42, 8);
        put_basic(&maker, 0, 1, 1, 1001, 9);
        maker.count += 31;
        open_made(&log, &maker);
        CHECK(log.threads.count == 2 && log.damage.count == 4);
        CHECK(log.damage.first[0].kind == XRAY_FAULT_ARGUMENT);
        CHECK(log.damage.first[1].kind == XRAY_FAULT_RECORD_TYPE);
        CHECK(log.damage.first[2].kind == XRAY_FAULT_ACTION);
        CHECK(log.damage.first[3].kind == XRAY_FAULT_LOG_ENDS);
        tell(&log, 0, text, sizeof text);
        CHECK_STR(text, "E1@500 ");
        tell(&log, 1, text, sizeof text);
        CHECK_STR(text, "A1@1000 (42) X1@1001 ");
        xray_log_close(&log);
    }
}

static void refuses_what_is_no_log(void)
{
    struct maker maker = {0};
    struct xray_log log;
    struct error err;
    put_header(&maker, 6, XRAY_FDR, 0);
    CHECK(xray_log_is(maker.bytes, 32) && !xray_log_is(maker.bytes, 3));
    CHECK(xray_log_open(&log, maker.bytes, 32, &err) == STATUS_INPUT);
    CHECK_STR(err.text, "XRay FDR log of version 6, which trawl does not read");
    xray_log_close(&log);
    put_header(&maker, 5, XRAY_FDR, 0);
    CHECK(xray_log_open(&log, maker.bytes, 31, &err) == STATUS_INPUT && err.offset == 31);
    xray_log_close(&log);
    CHECK(!xray_log_is("120 clk IT (1)", 14));
}

// A log truncated anywhere is read up to its end, and never beyond.
static void survives_any_cut(void)
{
    struct maker maker = {0};
    put_header(&maker, 5, XRAY_FDR, 0);
    for (unsigned i = 0; i < 3; i++) {
        size_t extents = put_preamble(&maker, 5, i & 1, 50 + i, 1000);
        put_function(&maker, 3, 1, 1);
        put(&maker, put_metadata(&maker, 6) + 1, 42, 8);
        put_event(&maker, 5, 5, 1);
        put_extents(&maker, extents);
    }
    for (size_t size = 32; size <= maker.count; size++) {
        struct xray_log log;
        struct error err;
        char text[1024];
        uint8_t *copy = malloc(size); // so that sanitizers detect reads after its end
        memcpy(copy, maker.bytes, size);
        CHECK(xray_log_open(&log, copy, size, &err) == STATUS_OK);
        for (uint32_t i = 0; i < log.threads.count; i++)
            tell(&log, i, text, sizeof text);
        xray_log_close(&log);
        free(copy);
    }
}

// --- Logs that are changed while they are read ---------------------------------------------------

// Overwrites the log when its buffers are read for the second time.
struct spoiler {
    struct maker *maker;
    uint64_t entered, buffers;
    uint8_t byte;
};

static void spoil(void *self, uint64_t size_bytes)
{
    struct spoiler *spoiler = self;
    (void)size_bytes;
    if (spoiler->entered++ == spoiler->buffers)
        memset(spoiler->maker->bytes + 32, spoiler->byte, spoiler->maker->count - 32);
}

static bool count_rows(void *self, struct segment *segment, struct error *err)
{
    (void)err;
    *(uint64_t *)self += segment->event_count;
    return true;
}

// Some of the rows that were counted no longer exist when they are read: these are made up, and
// nothing is searched for after the last thread.
static void segments_of_a_changed_log_have_all_rows(void)
{
    static const uint8_t bytes[] = {0, 0xff, 0x01, 0x08, 0x02};
    for (size_t i = 0; i < ARRAY_COUNT(bytes); i++) {
        struct maker maker = {0};
        struct xray_log log;
        struct pass_result result;
        struct error err;
        uint64_t rows = 0;
        put_header(&maker, 5, XRAY_FDR, 4096);
        for (uint32_t thread = 1; thread < 4; thread++) {
            size_t extents = put_preamble(&maker, 5, thread, 50, 1000);
            for (unsigned calls = 0; calls < 20; calls++) {
                put_function(&maker, 0, thread, 1);
                put_function(&maker, 1, thread, 1);
            }
            put_extents(&maker, extents);
        }
        open_made(&log, &maker);
        struct spoiler spoiler = {&maker, 0, log.buffers.count, bytes[i]};
        const struct xray_log_watcher watcher = {spoil, &spoiler};
        log.watcher = &watcher;
        struct xray_pass pass = {
            .log = &log,
            .threads = 1,
            .range = CALL_RANGE_ALL,
            .segments = {.self = &rows, .segment_events = 1000, .write = count_rows}};
        CHECK(xray_segments_run(&pass, &result, &err) == STATUS_OK && rows == 120);
        CHECK(spoiler.entered > spoiler.buffers);
        pass_result_free(&result);
        xray_pass_free(&pass);
        xray_log_close(&log);
    }
}

static void basic_records_of_a_changed_log_are_functions(void)
{
    struct maker maker = {0};
    struct xray_log log;
    struct xray_cursor cursor;
    struct xray_record record;
    put_header(&maker, 3, XRAY_BASIC, 0);
    put_basic(&maker, 0, 1, 1, 1000, 9);
    open_made(&log, &maker);
    maker.bytes[32 + 3] = 0xff;
    xray_cursor_thread(&cursor, &log, 0);
    CHECK(xray_next(&cursor, &record) && xray_is_function(record.kind));
    xray_log_close(&log);
}

static bool count_item(void *self, unsigned worker, uint64_t item)
{
    (void)worker;
    __atomic_fetch_add(&((uint8_t *)self)[item], 1, __ATOMIC_RELAXED);
    return item != 900;
}

static void parallel_work_is_done_once(void)
{
    uint8_t done[1000] = {0};
    CHECK(parallel_run(3, 900, done, count_item));
    for (size_t i = 0; i < ARRAY_COUNT(done); i++)
        CHECK(done[i] == (i < 900));
    CHECK(!parallel_run(1, 1000, done, count_item) && done[900] == 1 && done[901] == 0);
    CHECK(parallel_run(2, 0, done, count_item));
}

const struct test_case xray_tests[] = {
    {"xray_reads_every_version_in_either_byte_order", reads_every_version_in_either_byte_order},
    {"xray_reads_events", reads_events},
    {"xray_orders_buffers_and_drops_duplicates", orders_buffers_and_drops_duplicates},
    {"xray_reads_on_behind_a_broken_buffer", reads_on_behind_a_broken_buffer},
    {"xray_finds_the_next_buffer", finds_the_next_buffer},
    {"xray_reads_version_1", reads_version_1},
    {"xray_reads_basic_logs", reads_basic_logs},
    {"xray_refuses_what_is_no_log", refuses_what_is_no_log},
    {"xray_survives_any_cut", survives_any_cut},
    {"xray_segments_of_a_changed_log_have_all_rows", segments_of_a_changed_log_have_all_rows},
    {"xray_basic_records_of_a_changed_log_are_functions",
     basic_records_of_a_changed_log_are_functions},
    {THREADED "parallel_work_is_done_once", parallel_work_is_done_once},
    {NULL, NULL},
};
