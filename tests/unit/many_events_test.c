// An index of more than 2^32 events: numbers of events, lines, bytes and times that do not fit 32
// bits. Reading a trace of that size takes minutes (tests/run.py limits --thorough); the writer
// accepts the same segment any number of times.
#include "idx/index_write.h"
#include "idx/trawl.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SEGMENT_EVENTS (UINT32_C(1) << 20)
#define SEGMENTS 4097 // only the last begins at 2^32
#define EVENTS (UINT64_C(1) << 32 | SEGMENT_EVENTS)
#define LINE_BYTES 100

// Every event is an instruction at another address, with ascending times and lines.
static uint64_t pc_of(uint64_t event)
{
    return 0xffff800000000000 + 4 * event;
}

struct rows {
    struct segment_events events;
    uint64_t *cells;
    uint8_t *flags;
    uint16_t *lanes;
};

static bool rows_begin(struct rows *rows)
{
    size_t count = SEGMENT_EVENTS;
    rows->cells = calloc(5 * count, sizeof *rows->cells);
    rows->flags = calloc(count, sizeof *rows->flags);
    rows->lanes = calloc(count, sizeof *rows->lanes);
    rows->events = (struct segment_events){.time = rows->cells,
                                           .line = rows->cells + count,
                                           .position = rows->cells + 2 * count,
                                           .pc = rows->cells + 3 * count,
                                           .instruction_position = rows->cells + 4 * count,
                                           .flags = rows->flags,
                                           .lane = rows->lanes,
                                           .capacity = count};
    return rows->cells && rows->flags && rows->lanes;
}

static void rows_fill(struct rows *rows, uint64_t first)
{
    for (uint64_t i = 0; i < SEGMENT_EVENTS; i++) {
        rows->events.time[i] = 2 * (first + i);
        rows->events.line[i] = first + i + 1;
        rows->events.position[i] = LINE_BYTES * (first + i);
        rows->events.instruction_position[i] = LINE_BYTES * (first + i);
        rows->events.pc[i] = pc_of(first + i);
        rows->events.flags[i] = EVENT_ISA_A64 | EVENT_HAS_INSTRUCTION | EVENT_EXECUTED;
    }
}

static void rows_free(struct rows *rows)
{
    free(rows->cells);
    free(rows->flags);
    free(rows->lanes);
}

// One segment; in the last one, event 7 writes a register and a word.
static bool build(struct segment_writer *segment, const struct rows *rows, bool has_writes)
{
    static const struct segment_register x0 = {.value = 0x1234, .event = 7, .mask = 0xff};
    static const struct segment_access store = {
        .address = UINT64_MAX - 7, .value = 0x5678, .event = 7, .size_bytes = 8, .is_known = true};
    struct error err;
    const struct segment_input input = {.events = &rows->events,
                                        .event_count = SEGMENT_EVENTS,
                                        .registers = &x0,
                                        .register_count = has_writes,
                                        .accesses = &store,
                                        .access_count = has_writes};
    return segment_write(segment, &input, &err) == STATUS_OK;
}

static bool add(struct index_writer *writer, struct segment_writer *segment, struct rows *rows)
{
    const struct segment_input input = {.events = &rows->events, .event_count = SEGMENT_EVENTS};
    rows_fill(rows, 0);
    bool is_added = build(segment, rows, false);
    for (uint64_t i = 0; i < SEGMENTS - 1 && is_added; i++)
        is_added = index_writer_add_segment(writer, segment, &input);
    rows_fill(rows, EVENTS - SEGMENT_EVENTS);
    return is_added && build(segment, rows, true) &&
           index_writer_add_segment(writer, segment, &input);
}

static bool end(struct index_writer *writer)
{
    struct index_lane lane = {.name = ""};
    const struct index_call call = {
        .entry = EVENTS - 10, .exit = EVENTS - 2, .pc = pc_of(EVENTS - 10), .depth = 1};
    struct index_ending ending = {.kind = "tarmac", .lanes = &lane, .lane_count = 1};
    lane.figures[LANE_EVENTS] = lane.figures[LANE_INSTRUCTIONS] = EVENTS;
    lane.figures[LANE_CALLS] = 1;
    ending.identity[IDENTITY_EVENTS] = ending.identity[IDENTITY_LINES] = EVENTS;
    ending.identity[IDENTITY_SEGMENT_EVENTS] = SEGMENT_EVENTS;
    return index_writer_add_call(writer, &call) && index_writer_end(writer, &ending);
}

static bool make(const char *path)
{
    struct index_writer *writer;
    struct segment_writer segment = {0};
    struct rows rows;
    struct error err;
    if (index_writer_open(&writer, FILE_WRITER_TARGET(path), FILE_WRITER_PWRITE, SEGMENT_EVENTS,
                          SIMD_SCALAR, &err) != STATUS_OK)
        return false;
    bool is_made = rows_begin(&rows) && add(writer, &segment, &rows) && end(writer);
    segment_writer_free(&segment);
    rows_free(&rows);
    if (!is_made)
        index_writer_abandon(writer);
    return is_made && index_writer_publish(writer, false, &err) == STATUS_OK;
}

static void numbers_beyond_32_bits_are_kept(struct trawl_index *index)
{
    struct trawl_error err;
    struct trawl_info info;
    struct trawl_event about;
    uint64_t event, wanted = (UINT64_C(1) << 32) + 5;
    trawl_info(index, &info);
    CHECK(info.events == EVENTS && info.lines == EVENTS && info.segments == SEGMENTS);
    CHECK(trawl_event(index, wanted, &about, &err) == TRAWL_OK);
    CHECK(about.event == wanted && about.in_lane == wanted && about.time == 2 * wanted);
    CHECK(about.line == wanted + 1 && about.position == LINE_BYTES * wanted);
    CHECK(about.pc == pc_of(wanted));
    CHECK(trawl_event_of_lane(index, 0, wanted, &event, &err) == TRAWL_OK && event == wanted);
    CHECK(trawl_event(index, EVENTS - 1, &about, &err) == TRAWL_OK && about.line == EVENTS);
    CHECK(trawl_event(index, EVENTS, &about, &err) == TRAWL_NOT_FOUND);
}

static void places_beyond_32_bits_are_found(struct trawl_index *index)
{
    struct trawl_error err;
    uint64_t event, wanted = (UINT64_C(1) << 32) + 5;
    CHECK(trawl_event_at_line(index, wanted + 1, &event, &err) == TRAWL_OK && event == wanted);
    CHECK(trawl_event_at_position(index, LINE_BYTES * wanted + 3, &event, &err) == TRAWL_OK &&
          event == wanted);
    CHECK(trawl_event_at_time(index, 0, 2 * wanted + 1, &event, &err) == TRAWL_OK &&
          event == wanted);
    CHECK(trawl_visit(index, 0, pc_of(wanted), TRAWL_START, TRAWL_FORWARD, &event, &err) ==
              TRAWL_OK &&
          event == wanted);
}

// What event 7 of the last segment wrote, about which the 4096 previous segments contain nothing.
static void what_is_written_there_is_known_there(struct trawl_index *index)
{
    struct trawl_error err;
    struct trawl_write write;
    struct trawl_call call;
    uint8_t values[8], known[8];
    uint64_t event, wanted = (UINT64_C(1) << 32) + 7;
    CHECK(trawl_registers(index, 0, wanted, TRAWL_X(0), 8, values, known, &err) == TRAWL_OK);
    CHECK(values[0] == 0x34 && values[1] == 0x12 && known[7]);
    CHECK(trawl_registers(index, 0, wanted - 1, TRAWL_X(0), 8, values, known, &err) == TRAWL_OK);
    CHECK(!known[0]);
    CHECK(trawl_register_written(index, 0, TRAWL_START, TRAWL_FORWARD, TRAWL_X(0), 8, &event,
                                 &err) == TRAWL_OK &&
          event == wanted);
    CHECK(trawl_memory(index, EVENTS - 1, UINT64_MAX - 7, 8, values, known, &err) == TRAWL_OK);
    CHECK(values[0] == 0x78 && values[1] == 0x56 && known[7]);
    CHECK(trawl_memory_written(index, EVENTS - 1, TRAWL_BACKWARD, UINT64_MAX, 1, &write, &err) ==
              TRAWL_OK &&
          write.event == wanted && write.kind == TRAWL_STORE);
    CHECK(trawl_call_at(index, 0, EVENTS - 5, &call, &err) == TRAWL_OK);
    CHECK(call.entry == EVENTS - 10 && call.exit == EVENTS - 2 && call.pc == pc_of(EVENTS - 10));
}

static void an_index_has_more_events_than_32_bits_count(void)
{
    char path[] = "/tmp/trawl-unit-XXXXXX";
    struct trawl_index *index;
    struct trawl_error err;
    int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(make(path));
    CHECK(trawl_open(&index, path, &err) == TRAWL_OK);
    numbers_beyond_32_bits_are_kept(index);
    places_beyond_32_bits_are_found(index);
    what_is_written_there_is_known_there(index);
    trawl_close(index);
    unlink(path);
}

const struct test_case many_events_tests[] = {
    {"an_index_has_more_events_than_32_bits_count", an_index_has_more_events_than_32_bits_count},
    {0},
};
