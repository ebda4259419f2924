// What a segment of the index refuses.
#include "idx/segment_write.h"
#include "test.h"

#define ACCESSES_MAX 12

// Writes a segment of one event with `count` stores to one word.
static enum status write_stores(struct segment_writer *writer, size_t count, struct error *err)
{
    uint64_t zero = 0, line = 1, pc = EVENT_WITHOUT_PC;
    uint8_t nothing = 0;
    uint16_t lane = 0;
    const struct segment_events events = {.time = &zero,
                                          .line = &line,
                                          .position = &zero,
                                          .pc = &pc,
                                          .instruction_position = &zero,
                                          .flags = &nothing,
                                          .lane = &lane,
                                          .capacity = 1};
    struct segment_access accesses[ACCESSES_MAX];
    for (size_t i = 0; i < count; i++)
        accesses[i] = (struct segment_access){
            .address = 0x1000, .value = i, .size_bytes = 8, .is_known = true};
    const struct segment_input input = {
        .events = &events, .event_count = 1, .accesses = accesses, .access_count = count};
    return segment_write(writer, &input, err);
}

static void segment_refuses_more_records_than_its_limit(void)
{
    struct segment_writer writer = {.record_max = 10};
    struct error err;
    CHECK(write_stores(&writer, 10, &err) == STATUS_OK && writer.bytes.count > 0);
    CHECK(write_stores(&writer, 11, &err) == STATUS_LIMIT);
    CHECK_STR(err.text, "more than 10 accesses to memory in one segment");
    CHECK(write_stores(&writer, 3, &err) == STATUS_OK && writer.stored.count == 1);
    segment_writer_free(&writer);
}

const struct test_case segment_write_tests[] = {
    {"segment_refuses_more_records_than_its_limit", segment_refuses_more_records_than_its_limit},
    {0},
};
