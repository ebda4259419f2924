// A simple model of a trace, and the comparison of an index with it: every register byte, some
// memory, every write, visit and call, at every event. To be included once, after a definition of
// CHECK.
#ifndef TRAWL_TESTS_UNIT_INDEX_MODEL_H
#define TRAWL_TESTS_UNIT_INDEX_MODEL_H

#include "flow/segment.h"
#include "idx/memory_series.h"
#include "idx/rows.h"
#include "idx/trawl.h"
#include "random_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// --- The model: everything that the pipeline reports
// ----------------------------------------------

// With several lanes, the event of a line at the end of a segment depends on the segment size, so
// the model uses the same size as the index.
struct model {
    uint64_t event_count, segment_events;
    uint64_t in_lane[LANES];
    VEC(, struct trawl_event) events;
    VEC(, struct segment_register) registers;
    VEC(, struct segment_access) accesses;
};

static bool keep_segment(void *self, struct segment *segment, struct error *err)
{
    struct model *model = self;
    uint64_t first = model->event_count;
    (void)err;
    CHECK(segment->first_event == first && VEC_ROOM(&model->events, segment->event_count));
    for (size_t i = 0; i < segment->event_count; i++) {
        const struct segment_events *events = &segment->events;
        model->events.items[model->events.count++] = (struct trawl_event){
            .event = first + i,
            .lane = events->lane[i],
            .in_lane = model->in_lane[events->lane[i]]++,
            .time = events->time[i],
            .line = events->line[i],
            .position = events->position[i],
            .pc = events->pc[i],
            .flags = events->flags[i],
        };
    }
    model->event_count = model->events.count;
    CHECK(VEC_ROOM(&model->registers, segment->registers.count));
    CHECK(VEC_ROOM(&model->accesses, segment->accesses.count));
    for (size_t i = 0; i < segment->registers.count; i++) {
        model->registers.items[model->registers.count] = segment->registers.items[i];
        model->registers.items[model->registers.count++].event += (uint32_t)first;
    }
    for (size_t i = 0; i < segment->accesses.count; i++) {
        model->accesses.items[model->accesses.count] = segment->accesses.items[i];
        model->accesses.items[model->accesses.count++].event += (uint32_t)first;
    }
    segment_late_sort(segment->late.items, segment->late.count);
    for (size_t i = 0; i < segment->late.count; i++) {
        const struct segment_late *late = &segment->late.items[i];
        struct trawl_event *event = &model->events.items[late->event];
        if (late->flags & EVENT_HAS_INSTRUCTION)
            event->pc = late->pc;
        event->flags |= late->flags;
    }
    return true;
}

static void free_model(struct model *model)
{
    free(model->events.items);
    free(model->registers.items);
    free(model->accesses.items);
    *model = (struct model){0};
}

struct made {
    char trace[40], index[48];
    struct model model;
    struct trawl_index *open;
};

// --- Comparing -----------------------------------------------------------------------------------

// Checks the registers of one lane at every event of the trace.
static void check_registers(const struct made *made, uint64_t lane)
{
    static const struct {
        uint64_t offset;
        size_t size_bytes;
    } places[] = {{TRAWL_X(0), 32}, {TRAWL_Z(0), 16},    {TRAWL_Z(1), 16},
                  {TRAWL_Z(5), 16}, {TRAWL_Z(2) + 4, 4}, {TRAWL_X(3) + 4, 4}};
    const struct model *model = &made->model;
    struct trawl_error err;
    for (size_t p = 0; p < ARRAY_COUNT(places); p++) {
        uint8_t values[32] = {0}, known[32] = {0}, got[32], got_known[32];
        size_t size_bytes = places[p].size_bytes;
        size_t next = 0;
        uint64_t last = TRAWL_NONE;
        for (uint64_t event = 0; event < model->event_count; event++) {
            for (; next < model->registers.count; next++) {
                const struct segment_register *reg = &model->registers.items[next];
                if (reg->lane != lane)
                    continue;
                if (reg->event != event)
                    break;
                for (unsigned i = 0; i < 8; i++) {
                    uint64_t at = reg->cell * UINT64_C(8) + i - places[p].offset;
                    if (!(reg->mask >> i & 1) || at >= size_bytes)
                        continue;
                    values[at] = (uint8_t)(reg->value >> (8 * i));
                    known[at] = 1;
                    last = event;
                }
            }
            uint64_t written = TRAWL_NONE;
            CHECK(trawl_registers(made->open, lane, event, places[p].offset, size_bytes, got,
                                  got_known, &err) == TRAWL_OK);
            CHECK(memcmp(got, values, size_bytes) == 0 &&
                  memcmp(got_known, known, size_bytes) == 0);
            enum trawl_status status =
                trawl_register_written(made->open, lane, event, TRAWL_BACKWARD, places[p].offset,
                                       size_bytes, &written, &err);
            CHECK(last == TRAWL_NONE ? status == TRAWL_NOT_FOUND
                                     : status == TRAWL_OK && written == last);
            // The next write after some earlier event is this one.
            if (last == event) {
                CHECK(trawl_register_written(made->open, lane, event - 1, TRAWL_FORWARD,
                                             places[p].offset, size_bytes, &written,
                                             &err) == TRAWL_OK);
                CHECK(written == event);
            }
        }
        uint64_t behind;
        CHECK(trawl_register_written(made->open, lane, last == TRAWL_NONE ? TRAWL_START : last,
                                     TRAWL_FORWARD, places[p].offset, size_bytes, &behind,
                                     &err) == TRAWL_NOT_FOUND);
    }
}

struct model_byte {
    bool is_known;
    bool may_be_unknown; // something outside of the trace changes it, and segments do not say when
    uint8_t value;
};

static bool model_touches(const struct segment_access *access, uint64_t address, uint8_t *value)
{
    if (address - access->address >= access->size_bytes)
        return false;
    *value = (uint8_t)(access->value >> (8 * (address - access->address)));
    return access->is_known || !access->is_read;
}

// A byte at an event, found by walking all accesses.
static struct model_byte model_byte(const struct model *model, uint64_t event, uint64_t address)
{
    struct model_byte byte = {false, false, 0};
    uint8_t value;
    size_t i = 0;
    for (; i < model->accesses.count && model->accesses.items[i].event <= event; i++) {
        if (!model_touches(&model->accesses.items[i], address, &value))
            continue;
        byte.is_known = model->accesses.items[i].is_known;
        byte.value = value;
    }
    bool is_learned = !byte.is_known; // by the next access
    for (; i < model->accesses.count; i++) {
        if (!model_touches(&model->accesses.items[i], address, &value))
            continue;
        if (!model->accesses.items[i].is_read)
            break;
        if (is_learned)
            byte = (struct model_byte){true, false, value};
        is_learned = false;
    }
    bool is_known = false;
    uint8_t before = 0;
    for (i = 0; i < model->accesses.count && !byte.may_be_unknown; i++) {
        if (!model_touches(&model->accesses.items[i], address, &value))
            continue;
        byte.may_be_unknown = model->accesses.items[i].is_read && is_known && before != value;
        is_known = model->accesses.items[i].is_known;
        before = value;
    }
    return byte;
}

// Whether access `i` shows that a byte was changed by something else than a store of the trace.
static bool model_shows_change(const struct model *model, size_t i, uint64_t address)
{
    const struct segment_access *access = &model->accesses.items[i];
    const uint64_t segment = access->event / model->segment_events;
    uint8_t value, before;
    if (!access->is_read || !model_touches(access, address, &value))
        return false;
    while (i-- && model->accesses.items[i].event / model->segment_events == segment) {
        if (model_touches(&model->accesses.items[i], address, &before))
            return model->accesses.items[i].is_known && before != value;
    }
    return false;
}

// Finds the first and the last of the bytes [address, address + size) that an access stores to, or
// shows to be changed. False: none.
static bool model_written(const struct model *model, size_t i, uint64_t address,
                          uint64_t size_bytes, uint64_t *first, uint64_t *last)
{
    const struct segment_access *access = &model->accesses.items[i];
    bool is_any = false;
    for (uint64_t at = access->address; at < access->address + access->size_bytes; at++) {
        if (at - address >= size_bytes || (access->is_read && !model_shows_change(model, i, at)))
            continue;
        *first = is_any ? *first : at;
        *last = at;
        is_any = true;
    }
    return is_any;
}

// The writes to the bytes, nearest first; the kind is that of the lowest written word.
static size_t model_writes(const struct model *model, uint64_t event, bool back, uint64_t address,
                           uint64_t size_bytes, struct trawl_write *writes, size_t capacity)
{
    size_t count = 0, accesses = model->accesses.count;
    for (size_t k = 0; k < accesses; k++) {
        size_t i = back ? accesses - 1 - k : k;
        const uint64_t at = model->accesses.items[i].event;
        uint64_t first, last;
        if (!model_written(model, i, address, size_bytes, &first, &last) ||
            (back ? at > event : at + 1 <= event + 1))
            continue;
        bool joins = count && writes[count - 1].event == at;
        if (!joins && count == capacity)
            break;
        struct trawl_write *write = &writes[joins ? count - 1 : count++];
        if (joins) {
            first = u64_min(first, write->address);
            last = u64_max(last, write->address + write->size_bytes - 1);
        }
        *write = (struct trawl_write){at, TRAWL_STORE, first, last - first + 1, 0};
    }
    return count;
}

#define WRITES_MAX 100

static void check_writes(const struct made *made, uint64_t event, struct prng *prng)
{
    struct trawl_write expected[WRITES_MAX], got[WRITES_MAX];
    bool back = prng_percent(prng, 50), is_all = prng_percent(prng, 10);
    uint64_t address = MEMORY_FIRST + prng_below(prng, MEMORY_BYTES - 16);
    uint64_t size_bytes = 1 + prng_below(prng, prng_percent(prng, 50) ? 16 : MEMORY_BYTES);
    size_t capacity = 1 + (prng_percent(prng, 50) ? 0 : prng_below(prng, WRITES_MAX)), count;
    struct trawl_error err;
    if (is_all) {
        address = 0;
        size_bytes = UINT64_MAX;
    }
    CHECK(trawl_memory_writes(made->open, event, back ? TRAWL_BACKWARD : TRAWL_FORWARD, address,
                              size_bytes, got, capacity, &count, &err) == TRAWL_OK);
    CHECK(count ==
          model_writes(&made->model, event, back, address, size_bytes, expected, capacity));
    for (size_t i = 0; i < count; i++)
        CHECK(got[i].event == expected[i].event && got[i].address == expected[i].address &&
              got[i].size_bytes == expected[i].size_bytes && got[i].kind != TRAWL_HOST_WRITE);
    enum trawl_status status = trawl_memory_written(
        made->open, event, back ? TRAWL_BACKWARD : TRAWL_FORWARD, address, size_bytes, got, &err);
    CHECK(count ? status == TRAWL_OK && got[0].event == expected[0].event
                : status == TRAWL_NOT_FOUND);
}

static void check_memory(const struct made *made, struct prng *prng)
{
    const struct model *model = &made->model;
    struct trawl_error err;
    for (uint64_t event = 0; event < model->event_count; event++) {
        uint8_t got[MEMORY_BYTES], known[MEMORY_BYTES];
        CHECK(trawl_memory(made->open, event, MEMORY_FIRST, MEMORY_BYTES, got, known, &err) ==
              TRAWL_OK);
        for (size_t i = 0; i < MEMORY_BYTES; i++) {
            const struct model_byte byte = model_byte(model, event, MEMORY_FIRST + i);
            CHECK(known[i] ? byte.is_known && got[i] == byte.value
                           : !byte.is_known || byte.may_be_unknown);
        }
        uint64_t first = prng_below(prng, MEMORY_BYTES), size = prng_below(prng, MEMORY_BYTES);
        uint8_t part[MEMORY_BYTES], part_known[MEMORY_BYTES];
        size = u64_min(size, MEMORY_BYTES - first);
        CHECK(trawl_memory(made->open, event, MEMORY_FIRST + first, (size_t)size, part, part_known,
                           &err) == TRAWL_OK);
        CHECK(memcmp(part, got + first, (size_t)size) == 0);
        CHECK(memcmp(part_known, known + first, (size_t)size) == 0);
        check_writes(made, event, prng);
    }
}

// A place's values in a segment are those that a lookup has at each of its events; bytes that a row
// leaves open may be known or not.
static void check_series(const struct made *made, struct prng *prng)
{
    const struct model *model = &made->model;
    struct memory_series series = {0};
    struct error err;
    for (uint64_t first = 0; first < model->event_count; first += model->segment_events) {
        const uint64_t end = u64_min(first + model->segment_events, model->event_count);
        const uint64_t at = MEMORY_FIRST + prng_below(prng, MEMORY_BYTES);
        const size_t size = 1 + (size_t)prng_below(prng, 8 - at % 8);
        size_t row = 0;
        const enum status status = index_memory_series(made->open, first / model->segment_events,
                                                       at, size, SIZE_MAX, &series, &err);
        CHECK(status == STATUS_OK || status == STATUS_LIMIT);
        CHECK(status != STATUS_OK || series.rows.items[0].event == first);
        for (uint64_t event = first; event < end && status == STATUS_OK; event++) {
            uint8_t got[8], known[8];
            while (row + 1 < series.rows.count && series.rows.items[row + 1].event <= event)
                row++;
            CHECK(trawl_memory(made->open, event, at, size, got, known, NULL) == TRAWL_OK);
            for (size_t i = 0; i < size; i++) {
                if (series.rows.items[row].known >> i & 1)
                    CHECK(known[i] && got[i] == (uint8_t)(series.rows.items[row].value >> 8 * i));
            }
            // Until the next row, what is open stays as it is.
            if (event > series.rows.items[row].event) {
                uint8_t before[8], known_before[8];
                CHECK(trawl_memory(made->open, event - 1, at, size, before, known_before, NULL) ==
                      TRAWL_OK);
                CHECK(!memcmp(got, before, size) && !memcmp(known, known_before, size));
            }
        }
    }
    free(series.rows.items);
}

static bool model_stores_between(const struct model *model, uint64_t after, uint64_t until,
                                 uint64_t word)
{
    for (size_t i = 0; i < model->accesses.count; i++) {
        const struct segment_access *access = &model->accesses.items[i];
        if (!access->is_read && access->event + 1 > after + 1 && access->event <= until &&
            access->address < word + 8 && access->address + access->size_bytes > word)
            return true;
    }
    return false;
}

static void check_stored_words(const struct made *made, struct prng *prng)
{
    const struct model *model = &made->model;
    for (int i = 0; i < 8 && model->event_count; i++) {
        uint64_t until = prng_below(prng, (uint32_t)model->event_count);
        uint64_t after = i ? prng_below(prng, (uint32_t)until + 1) : TRAWL_START, words[3];
        size_t capacity = 1 + prng_below(prng, 3), count = 0, next = 0;
        for (uint64_t word = MEMORY_FIRST; word < MEMORY_FIRST + MEMORY_BYTES; word += 8) {
            if (!model_stores_between(model, after, until, word))
                continue;
            while (next < count && words[next] < word) // something outside of the trace changed it
                next++;
            if (next == count) {
                CHECK(trawl_stored_words(made->open, after, until, word - 7, words, capacity,
                                         &count, NULL) == TRAWL_OK);
                next = 0;
            }
            CHECK(next < count && words[next] == word);
            next++;
        }
    }
}

static bool model_visits(const struct trawl_event *event, uint64_t pc)
{
    if (pc == TRAWL_EXCEPTIONS && (event->flags & TRAWL_EXCEPTION))
        return true;
    return (event->flags & TRAWL_HAS_INSTRUCTION) && event->pc / 2 == pc / 2;
}

// The visits that come by the block are those that come one by one, in both directions.
static void check_blocks_of_visits(const struct made *made, uint64_t pc)
{
    struct visit_rows *rows = malloc(sizeof *rows);
    CHECK(rows);
    for (int back = TRAWL_FORWARD; back <= TRAWL_BACKWARD; back++) {
        const uint64_t last = made->model.event_count - 1;
        uint64_t at = back ? last : TRAWL_START, found;
        struct error err;
        while (index_visits(made->open, pc, at, (enum trawl_direction)back, rows, &err) ==
               STATUS_OK) {
            CHECK(rows->count > 0);
            for (size_t i = 0; i < rows->count; i++) {
                CHECK(trawl_visit(made->open, TRAWL_ANY_LANE, pc, at, (enum trawl_direction)back,
                                  &found, NULL) == TRAWL_OK);
                CHECK(found == rows->events[i]);
                CHECK(made->model.events.items[found].lane == rows->lanes[i]);
                at = back ? found - 1 : found;
            }
            if (back && at == TRAWL_START)
                break;
        }
        CHECK(err.status == STATUS_NOT_FOUND || at == TRAWL_START);
        CHECK((back && at == TRAWL_START) ||
              trawl_visit(made->open, TRAWL_ANY_LANE, pc, at, (enum trawl_direction)back, &found,
                          NULL) == TRAWL_NOT_FOUND);
    }
    free(rows);
}

static void check_visits(const struct made *made)
{
    static const uint64_t pcs[] = {0x1000, 0x1040, 0x1240, 0x9999, TRAWL_EXCEPTIONS};
    const struct model *model = &made->model;
    struct trawl_error err;
    for (size_t p = 0; p < ARRAY_COUNT(pcs); p++) {
        uint64_t at = TRAWL_START, found;
        for (uint64_t event = 0; event < model->event_count; event++) {
            if (!model_visits(&model->events.items[event], pcs[p]))
                continue;
            CHECK(trawl_visit(made->open, TRAWL_ANY_LANE, pcs[p], at, TRAWL_FORWARD, &found,
                              &err) == TRAWL_OK);
            CHECK(found == event);
            if (at != TRAWL_START) {
                CHECK(trawl_visit(made->open, TRAWL_ANY_LANE, pcs[p], event - 1, TRAWL_BACKWARD,
                                  &found, &err) == TRAWL_OK);
                CHECK(found == at);
            }
            at = event;
        }
        CHECK(trawl_visit(made->open, TRAWL_ANY_LANE, pcs[p], at, TRAWL_FORWARD, &found, &err) ==
              TRAWL_NOT_FOUND);
        if (at != TRAWL_START)
            CHECK(trawl_visit(made->open, TRAWL_ANY_LANE, pcs[p], model->event_count - 1,
                              TRAWL_BACKWARD, &found, &err) == TRAWL_OK &&
                  found == at);
        check_blocks_of_visits(made, pcs[p]);
    }
}

// Compares the innermost call at each event, found in the whole list, and the list itself. Returns
// the number of calls.
static uint64_t check_calls(const struct made *made)
{
    const struct model *model = &made->model;
    struct trawl_info info;
    uint64_t calls_seen = 0;
    trawl_info(made->open, &info);
    for (uint64_t lane = 0; lane < info.lanes; lane++) {
        struct trawl_lane about;
        struct trawl_error err;
        CHECK(trawl_lane(made->open, lane, &about, &err) == TRAWL_OK);
        struct trawl_call *calls = calloc((size_t)about.calls + 1, sizeof *calls), got;
        for (uint64_t i = 0; i < about.calls; i++) {
            CHECK(trawl_call(made->open, lane, i, &calls[i], &err) == TRAWL_OK);
            const struct trawl_call *call = &calls[i];
            CHECK(call->call == i && (i == 0 || call->entry >= calls[i - 1].entry));
            CHECK(call->parent == TRAWL_NONE
                      ? call->depth == 1
                      : call->parent < i && calls[call->parent].depth + 1 == call->depth);
        }
        for (uint64_t event = 0; event < about.events && event < model->event_count; event++) {
            uint64_t innermost = TRAWL_NONE;
            for (uint64_t i = 0; i < about.calls; i++) {
                if (calls[i].entry <= event && event <= calls[i].exit)
                    innermost = i;
            }
            enum trawl_status status = trawl_call_at(made->open, lane, event, &got, &err);
            CHECK(innermost == TRAWL_NONE ? status == TRAWL_NOT_FOUND
                                          : status == TRAWL_OK && got.call == innermost);
        }
        free(calls);
        calls_seen += about.calls;
    }
    return calls_seen;
}

static void check_events(const struct made *made)
{
    const struct model *model = &made->model;
    struct trawl_error err;
    struct trawl_event got;
    uint64_t found;
    for (uint64_t event = 0; event < model->event_count; event++) {
        const struct trawl_event *expected = &model->events.items[event];
        CHECK(trawl_event(made->open, event, &got, &err) == TRAWL_OK);
        CHECK(got.event == event && got.lane == expected->lane &&
              got.in_lane == expected->in_lane && got.time == expected->time &&
              got.line == expected->line && got.position == expected->position &&
              got.pc == expected->pc && got.flags == expected->flags);
        CHECK(trawl_event_of_lane(made->open, expected->lane, expected->in_lane, &found, &err) ==
                  TRAWL_OK &&
              found == event);
        CHECK(trawl_event_at_line(made->open, expected->line, &found, &err) == TRAWL_OK &&
              found == event);
        CHECK(trawl_event_at_position(made->open, expected->position + 1, &found, &err) ==
                  TRAWL_OK &&
              found == event);
        uint64_t latest = event;
        for (uint64_t i = event; i < model->event_count; i++) {
            if (model->events.items[i].lane == expected->lane &&
                model->events.items[i].time <= expected->time)
                latest = i;
        }
        CHECK(trawl_event_at_time(made->open, expected->lane, expected->time, &found, &err) ==
                  TRAWL_OK &&
              found == latest);
    }
    CHECK(trawl_event(made->open, model->event_count, &got, &err) == TRAWL_NOT_FOUND);
}

static void check_sizes(const struct made *made)
{
    struct trawl_info info;
    struct trawl_size sizes[64];
    size_t count;
    uint64_t sum = 0;
    trawl_info(made->open, &info);
    CHECK(trawl_sizes(made->open, sizes, ARRAY_COUNT(sizes), &count, NULL) == TRAWL_OK);
    for (size_t i = 0; i < count; i++)
        sum += sizes[i].bytes;
    CHECK(sum == info.index_bytes);
}

#endif
