// An index of any bytes: every question has an answer or is refused, in bounded time. The checks of
// columns and tables always fit in builds for fuzzing, so that changed bytes get past them; size
// and version of the header are put right here.
//
// Input: the bytes of an index.
#include "fuzz.h"

#include "idx/index_format.h"
#include "idx/trawl.h"

enum { EVENTS_MAX = 24, LANES_MAX = 3, CALLS_MAX = 64, SIZE_BYTES_MAX = 1 << 16 };

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
        (void)is_answer(trawl_event_at_line(index, about.line, &found, NULL));
        (void)is_answer(trawl_event_at_position(index, about.position, &found, NULL));
        (void)is_answer(trawl_event_at_time(index, about.lane, about.time, &found, NULL));
        (void)is_answer(trawl_event_at_time(index, TRAWL_ANY_LANE, about.time, &found, NULL));
    }
    for (size_t i = 0; i < ARRAY_COUNT(pcs); i++) {
        uint64_t lane = i % 2 ? TRAWL_ANY_LANE : i;
        if (is_answer(trawl_next_visit(index, lane, pcs[i], event, &found, NULL)))
            CLAIM(found < info->events);
        if (is_answer(trawl_previous_visit(index, lane, pcs[i], event, &found, NULL)))
            CLAIM(found < info->events);
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
            (void)is_answer(trawl_register_written(index, lane, event, offset, 16, &found, NULL));
            (void)is_answer(
                trawl_register_written_next(index, lane, event, offset, 16, &found, NULL));
        }
    }
}

// Words ascend from where they are asked for.
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
        (void)is_answer(trawl_memory_written(index, event, addresses[i], 24, &write, NULL));
        (void)is_answer(trawl_memory_written_next(index, event, addresses[i], 24, &write, NULL));
        ask_stored_words(index, i % 2 ? TRAWL_START : event / 2, event, addresses[i]);
    }
    struct trawl_write writes[40];
    size_t count = 0;
    for (int back = 0; back < 2; back++) {
        if (is_answer(trawl_memory_writes(index, event, back, 0, UINT64_MAX, writes,
                                          ARRAY_COUNT(writes), &count, NULL)))
            CLAIM(count <= ARRAY_COUNT(writes));
        for (size_t i = 1; i < count; i++)
            CLAIM(back ? writes[i].event < writes[i - 1].event
                       : writes[i].event > writes[i - 1].event);
    }
}

static void ask_calls(struct trawl_index *index, uint64_t lane, uint64_t calls, uint64_t event)
{
    struct trawl_call call;
    for (uint64_t i = 0; i < CALLS_MAX && i < calls; i++) {
        if (is_answer(trawl_call(index, lane, i, &call, NULL)))
            CLAIM(call.parent == TRAWL_NONE || call.parent < i);
        (void)is_answer(trawl_call(index, lane, calls - 1 - i, &call, NULL));
    }
    if (is_answer(trawl_call_at(index, lane, event, &call, NULL)))
        CLAIM(call.call < calls && call.entry <= event && call.exit >= event);
}

static void ask_all(struct trawl_index *index)
{
    struct trawl_info info;
    struct trawl_lane lane;
    trawl_info(index, &info);
    uint64_t step = info.events / EVENTS_MAX + 1;
    for (uint64_t event = 0; event < info.events; event += step) {
        ask_events(index, &info, event);
        ask_registers(index, event);
        ask_memory(index, event);
        for (uint64_t i = 0; i < LANES_MAX; i++) {
            if (is_answer(trawl_lane(index, i, &lane, NULL)))
                ask_calls(index, i, lane.calls, event);
        }
        if (event > UINT64_MAX - step)
            break;
    }
    ask_events(index, &info, TRAWL_START);
    ask_registers(index, TRAWL_START);
    ask_memory(index, TRAWL_START);
    struct trawl_size sizes[64];
    size_t count;
    if (is_answer(trawl_sizes(index, sizes, ARRAY_COUNT(sizes), &count, NULL)))
        CLAIM(count < 64);
    (void)is_answer(trawl_verify(index, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct trawl_index *index;
    if (size_bytes < INDEX_HEADER_BYTES || size_bytes > SIZE_BYTES_MAX)
        return 0;
    char *bytes = fuzz_copy(data, size_bytes);
    memcpy(bytes, INDEX_MAGIC "\1\0", 10);
    for (unsigned i = 0; i < 8; i++)
        bytes[16 + i] = (char)((uint64_t)size_bytes >> 8 * i);
    if (trawl_open_bytes(&index, "fuzz", bytes, size_bytes, NULL) == TRAWL_OK) {
        ask_all(index);
        trawl_close(index);
    }
    free(bytes);
    return 0;
}
