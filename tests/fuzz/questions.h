// All questions of libtrawl, for an index that may be anything: answers must be consistent in
// themselves, or the question is refused because of damage.
#ifndef TRAWL_TESTS_FUZZ_QUESTIONS_H
#define TRAWL_TESTS_FUZZ_QUESTIONS_H

#include "fuzz.h"

#include "idx/trawl.h"

enum { EVENTS_MAX = 24, LANES_MAX = 3, CALLS_MAX = 64 };

static const uint64_t pcs[] = {0x1000, 0x1040, 0x1240, 0x80000, TRAWL_EXCEPTIONS};
static const uint64_t addresses[] = {0, 0x1ff0, 0x2008, 0x203d, 0x100000, UINT64_MAX - 7};

static bool is_answer(enum trawl_status status)
{
    CLAIM(status == TRAWL_OK || status == TRAWL_DAMAGED || status == TRAWL_NOT_FOUND);
    return status == TRAWL_OK;
}

static void ask_events(struct trawl_index *index, const struct trawl_info *info, uint64_t event)
{
    struct trawl_event about;
    uint64_t found;
    if (is_answer(trawl_event(index, event, &about, NULL))) {
        (void)is_answer(trawl_event_of_lane(index, about.lane, about.in_lane, &found, NULL));
        (void)is_answer(trawl_instruction_of(index, event, &found, NULL));
        (void)is_answer(trawl_instruction_before(index, about.lane, about.in_lane, &found, NULL));
        (void)is_answer(trawl_event_at_line(index, about.line, &found, NULL));
        (void)is_answer(trawl_event_at_position(index, about.position, &found, NULL));
        (void)is_answer(trawl_event_at_time(index, about.lane, about.time, &found, NULL));
        (void)is_answer(trawl_event_at_time(index, TRAWL_ANY_LANE, about.time, &found, NULL));
    }
    for (size_t i = 0; i < ARRAY_COUNT(pcs); i++) {
        uint64_t lane = i % 2 ? TRAWL_ANY_LANE : i;
        if (is_answer(trawl_visit(index, lane, pcs[i], event, TRAWL_FORWARD, &found, NULL)))
            CLAIM(found < info->events);
        if (is_answer(trawl_visit(index, lane, pcs[i], event, TRAWL_BACKWARD, &found, NULL)))
            CLAIM(found < info->events);
    }
}

// Blocks give the same answers as single questions, if the index is sound. A block of steps stores
// some values twice, and only trawl_verify can find that they differ.
static void ask_event_columns(struct trawl_index *index, uint64_t event, bool is_sound)
{
    uint64_t rows[7][8];
    const struct trawl_event_columns columns = {rows[0], rows[1], rows[2], rows[3],
                                                rows[4], rows[5], rows[6]};
    size_t count;
    if (!is_answer(trawl_events(index, event, 8, &columns, &count, NULL)))
        return;
    CLAIM(count <= 8);
    for (size_t i = 0; i < count; i++) {
        struct trawl_event about;
        if (is_answer(trawl_event(index, event + i, &about, NULL)) && is_sound)
            CLAIM(about.lane == rows[0][i] && about.in_lane == rows[1][i] &&
                  about.time == rows[2][i] && about.line == rows[3][i] &&
                  about.position == rows[4][i] && about.pc == rows[5][i] &&
                  about.flags == rows[6][i]);
    }
}

// By event, and not more than fit.
static void ask_accesses(struct trawl_index *index, uint64_t event)
{
    uint64_t rows[6][5];
    const struct trawl_access_columns columns = {rows[0], rows[1], rows[2],
                                                 rows[3], rows[4], rows[5]};
    struct trawl_access_cursor place = {event, 0};
    for (int round = 0; round < 3; round++) {
        size_t count;
        if (!is_answer(trawl_accesses(index, &place, UINT64_MAX, 5, &columns, &count, NULL)))
            return;
        CLAIM(count <= 5);
        for (size_t i = 0; i < count; i++) {
            CLAIM(rows[0][i] >= event && rows[2][i] >= 1 && rows[2][i] <= 8);
            CLAIM(rows[1][i] / 8 == (rows[1][i] + rows[2][i] - 1) / 8 && rows[3][i] & 1);
            event = rows[0][i];
        }
    }
}

// Reads are the same for an event, for an address and in blocks.
static void ask_loads(struct trawl_index *index, const struct trawl_info *info, uint64_t event)
{
    uint64_t rows[3][5];
    const struct trawl_load_columns columns = {rows[0], rows[1], rows[2]};
    struct trawl_access_cursor place = {event, 0};
    struct trawl_read reads[3];
    struct trawl_memory_access access;
    size_t count;
    if (is_answer(trawl_loads(index, &place, UINT64_MAX, 5, &columns, &count, NULL))) {
        CLAIM(count <= 5);
        for (size_t i = 0; i < count; i++) {
            struct trawl_load loads[2];
            uint8_t values[UINT8_MAX], known[UINT8_MAX];
            size_t found;
            CLAIM(rows[0][i] >= event && rows[0][i] < info->events && rows[2][i] >= 1 &&
                  rows[2][i] <= UINT8_MAX);
            if (is_answer(trawl_loads_of(index, rows[0][i], loads, 2, &found, NULL)))
                CLAIM(found >= 1 && loads[0].event == rows[0][i]);
            (void)is_answer(
                trawl_loaded(index, rows[0][i], rows[1][i], rows[2][i], values, known, NULL));
        }
    }
    for (size_t i = 0; i < 2 * ARRAY_COUNT(addresses); i++) {
        const enum trawl_direction way = i % 2 ? TRAWL_FORWARD : TRAWL_BACKWARD;
        const uint64_t address = addresses[i / 2];
        if (is_answer(trawl_memory_reads(index, event, way, address, 9, reads, 3, &count, NULL))) {
            CLAIM(count <= 3);
            for (size_t k = 0; k < count; k++)
                CLAIM(reads[k].event < info->events && reads[k].address - address < 9 &&
                      reads[k].size_bytes - 1 < 9);
        }
        if (is_answer(trawl_memory_accessed(index, event, way, address, 9, &access, NULL)))
            CLAIM(access.event < info->events && (access.is_read || access.is_written));
    }
}

// By segment, and not more than fit.
static void ask_register_log(struct trawl_index *index, uint64_t event)
{
    uint64_t rows[6][5];
    const struct trawl_register_write_columns columns = {rows[0], rows[1], rows[2],
                                                         rows[3], rows[4], rows[5]};
    struct trawl_info info;
    trawl_info(index, &info);
    struct trawl_register_cursor place = {event / info.segment_events, 0, 0};
    for (int round = 0; round < 3; round++) {
        size_t count;
        if (!is_answer(trawl_register_log(index, &place, UINT64_MAX, 5, &columns, &count, NULL)))
            return;
        CLAIM(count <= 5);
        for (size_t i = 0; i < count; i++) {
            CLAIM(rows[0][i] < info.events && rows[2][i] < TRAWL_REGISTER_SPACE_MAX);
            CLAIM(rows[3][i] & 1 && rows[3][i] < 256);
        }
    }
}

static void ask_register_writes(struct trawl_index *index, uint64_t event)
{
    uint64_t events[10];
    size_t count = 0;
    for (int way = TRAWL_FORWARD; way <= TRAWL_BACKWARD; way++) {
        if (!is_answer(trawl_register_writes(index, 0, event, way, 0, 0x300, events,
                                             ARRAY_COUNT(events), &count, NULL)))
            continue;
        CLAIM(count <= ARRAY_COUNT(events));
        for (size_t i = 1; i < count; i++)
            CLAIM(way == TRAWL_BACKWARD ? events[i] < events[i - 1] : events[i] > events[i - 1]);
    }
}

static void ask_register_values(struct trawl_index *index, uint64_t event)
{
    uint64_t rows[3][5];
    const struct trawl_register_value_columns columns = {rows[0], rows[1], rows[2]};
    for (int round = 0; round < 3; round++) {
        size_t count;
        if (!is_answer(trawl_register_values(index, 0, event, UINT64_MAX, 0xfa, 5, 5, &columns,
                                             &count, NULL)))
            return;
        CLAIM(count <= 5);
        for (size_t i = 0; i < count; i++) {
            CLAIM(rows[0][i] >= event + 1 && rows[2][i] < 32 && rows[1][i] < UINT64_C(1) << 40);
            event = rows[0][i];
        }
    }
}

static void ask_register_within(struct trawl_index *index, uint64_t event)
{
    uint64_t found;
    if (is_answer(
            trawl_register_within(index, 0, event, UINT64_MAX, 0xfa, 5, 1, 0xff, &found, NULL)))
        CLAIM(found >= event + 1);
}

// Names of registers are complete, and looking them up finds the same register.
static void ask_layout(struct trawl_index *index)
{
    uint64_t count = trawl_register_count(index);
    for (uint64_t i = 0; i < count; i += count / 64 + 1) {
        struct trawl_register about, found;
        CLAIM(trawl_register(index, i, &about, NULL) == TRAWL_OK);
        CLAIM(about.offset + about.size_bytes <= TRAWL_REGISTER_SPACE_MAX);
        size_t length = strlen(about.name);
        for (uint32_t isa = 0; isa < 5; isa++)
            (void)is_answer(trawl_register_named(index, isa, about.name, length, &found, NULL));
    }
}

static void ask_registers(struct trawl_index *index, uint64_t event)
{
    static uint8_t values[TRAWL_REGISTER_BYTES], known[TRAWL_REGISTER_BYTES];
    uint64_t found;
    for (uint64_t lane = 0; lane < LANES_MAX; lane++) {
        (void)is_answer(
            trawl_registers(index, lane, event, 0, TRAWL_REGISTER_BYTES, values, known, NULL));
        (void)is_answer(trawl_registers(index, lane, event, 13, 40, values, known, NULL));
        for (uint64_t offset = 0; offset < 0x400; offset += 0x58) {
            (void)is_answer(trawl_register_written(index, lane, event, TRAWL_BACKWARD, offset, 16,
                                                   &found, NULL));
            (void)is_answer(trawl_register_written(index, lane, event, TRAWL_FORWARD, offset, 16,
                                                   &found, NULL));
        }
    }
}

// Words ascend from the requested address.
static void ask_stored_words(struct trawl_index *index, uint64_t after, uint64_t event,
                             uint64_t address)
{
    uint64_t words[5];
    size_t count;
    if (!is_answer(trawl_stored_words(index, after, event, address, words, ARRAY_COUNT(words),
                                      &count, NULL)))
        return;
    CLAIM(count <= ARRAY_COUNT(words));
    for (size_t i = 0; i < count; i++)
        CLAIM(words[i] % 8 == 0 && words[i] >= (i ? words[i - 1] + 8 : address & ~UINT64_C(7)));
}

static void ask_memory(struct trawl_index *index, uint64_t event)
{
    uint8_t values[64], known[64];
    struct trawl_write write;
    for (size_t i = 0; i < ARRAY_COUNT(addresses); i++) {
        (void)is_answer(trawl_memory(index, event, addresses[i], 64, values, known, NULL));
        (void)is_answer(
            trawl_memory_written(index, event, TRAWL_BACKWARD, addresses[i], 24, &write, NULL));
        (void)is_answer(
            trawl_memory_written(index, event, TRAWL_FORWARD, addresses[i], 24, &write, NULL));
        ask_stored_words(index, i % 2 ? TRAWL_START : event / 2, event, addresses[i]);
    }
    struct trawl_write writes[40];
    size_t count = 0;
    for (int back = TRAWL_FORWARD; back <= TRAWL_BACKWARD; back++) {
        if (is_answer(trawl_memory_writes(index, event, back, 0, UINT64_MAX, writes,
                                          ARRAY_COUNT(writes), &count, NULL)))
            CLAIM(count <= ARRAY_COUNT(writes));
        for (size_t i = 1; i < count; i++)
            CLAIM(back ? writes[i].event < writes[i - 1].event
                       : writes[i].event > writes[i - 1].event);
    }
}

static void ask_call_columns(struct trawl_index *index, uint64_t lane, uint64_t calls,
                             uint64_t first)
{
    uint64_t rows[8][6];
    const struct trawl_call_columns columns = {rows[0], rows[1], rows[2], rows[3],
                                               rows[4], rows[5], rows[6], rows[7]};
    size_t count;
    if (is_answer(trawl_calls(index, lane, first, 6, &columns, &count, NULL))) {
        CLAIM(count <= 6);
        for (size_t i = 0; i < count; i++)
            CLAIM(rows[0][i] == first + i && rows[7][i] < calls);
    }
    if (is_answer(trawl_siblings(index, lane, first, 6, &columns, &count, NULL))) {
        CLAIM(count <= 6);
        for (size_t i = 1; i < count; i++)
            CLAIM(rows[0][i] == rows[0][i - 1] + rows[7][i - 1] + 1 && rows[4][i] == rows[4][0]);
    }
}

static void ask_symbols(struct trawl_index *index)
{
    uint64_t count;
    if (!is_answer(trawl_symbol_count(index, &count, NULL)))
        return;
    for (uint64_t i = 0; i < count; i += count / 16 + 1) {
        struct trawl_symbol symbol, found;
        CLAIM(trawl_symbol(index, i, &symbol, NULL) == TRAWL_OK);
        CLAIM(trawl_symbol_named(index, symbol.name, &found, NULL) == TRAWL_OK &&
              strcmp(found.name, symbol.name) == 0);
        (void)is_answer(trawl_symbol_at(index, symbol.address, &found, NULL));
    }
    for (size_t i = 0; i < ARRAY_COUNT(addresses); i++) {
        struct trawl_symbol found;
        (void)is_answer(trawl_symbol_at(index, addresses[i], &found, NULL));
    }
}

static void ask_lines(struct trawl_index *index)
{
    uint64_t count;
    struct trawl_line piece, found;
    if (!is_answer(trawl_line_count(index, &count, NULL)))
        return;
    for (uint64_t i = 0; i < count; i += count / 16 + 1) {
        if (!is_answer(trawl_line(index, i, &piece, NULL)))
            continue;
        CLAIM(!piece.end || piece.address < piece.end);
        (void)is_answer(trawl_line_at(index, piece.address, &found, NULL));
    }
    for (size_t i = 0; i < ARRAY_COUNT(addresses); i++) {
        if (trawl_line_at(index, addresses[i], &found, NULL) == TRAWL_OK)
            CLAIM(found.file && found.address <= addresses[i]);
    }
}

static void ask_functions(struct trawl_index *index, uint64_t lane)
{
    uint64_t pcs_of[9], calls[9];
    size_t count;
    if (!is_answer(
            trawl_functions(index, lane, 2, pcs_of, calls, ARRAY_COUNT(calls), &count, NULL)))
        return;
    for (size_t i = 0; i < count; i++)
        CLAIM(calls[i] && pcs_of[i] >= (i ? pcs_of[i - 1] + 1 : 2));
}

static void ask_calls(struct trawl_index *index, uint64_t lane, uint64_t calls, uint64_t event)
{
    struct trawl_call call;
    ask_call_columns(index, lane, calls, event);
    for (uint64_t i = 0; i < CALLS_MAX && i < calls; i++) {
        if (is_answer(trawl_call(index, lane, i, &call, NULL)))
            CLAIM(call.parent == TRAWL_NONE || call.parent < i);
        (void)is_answer(trawl_call(index, lane, calls - 1 - i, &call, NULL));
    }
    uint64_t entered;
    bool tells_entered = is_answer(trawl_calls_entered(index, lane, event, &entered, NULL));
    if (tells_entered)
        CLAIM(entered <= calls);
    if (is_answer(trawl_call_at(index, lane, event, &call, NULL)))
        CLAIM(call.call < calls && call.entry <= event && call.exit >= event &&
              (!tells_entered || call.call < entered));
}

static void ask_all(struct trawl_index *index)
{
    struct trawl_info info;
    struct trawl_lane lane;
    trawl_info(index, &info);
    bool is_sound = is_answer(trawl_verify(index, NULL));
    uint64_t step = info.events / EVENTS_MAX + 1;
    for (uint64_t event = 0; event < info.events; event += step) {
        ask_events(index, &info, event);
        ask_event_columns(index, event, is_sound);
        ask_registers(index, event);
        ask_register_writes(index, event);
        ask_register_values(index, event);
        ask_register_within(index, event);
        ask_memory(index, event);
        ask_accesses(index, event);
        ask_loads(index, &info, event);
        ask_register_log(index, event);
        for (uint64_t i = 0; i < LANES_MAX; i++) {
            if (is_answer(trawl_lane(index, i, &lane, NULL)))
                ask_calls(index, i, lane.calls, event);
        }
        if (event > UINT64_MAX - step)
            break;
    }
    ask_events(index, &info, TRAWL_START);
    ask_registers(index, TRAWL_START);
    ask_register_writes(index, TRAWL_START);
    ask_layout(index);
    ask_symbols(index);
    ask_lines(index);
    ask_functions(index, TRAWL_ANY_LANE);
    ask_functions(index, 0);
    ask_memory(index, TRAWL_START);
    struct trawl_size sizes[64];
    size_t count;
    if (is_answer(trawl_sizes(index, sizes, ARRAY_COUNT(sizes), &count, NULL)))
        CLAIM(count < 64);
}

#endif
