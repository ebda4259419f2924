// The contents of segments, which do not depend on chunks and threads.
#include "random.h"
#include "test.h"
#include "trace/lines/pipeline.h"
#include "trace/tarmac/tarmac.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TEXT_BYTES_MAX 200000

// All segments of a trace as text, in the order in which they arrive.
struct written {
    char *text;
    size_t length;
    uint64_t segments;
    uint32_t segment_events;
};

PRINTF_LIKE(2, 3) static void put(struct written *written, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    written->length += (size_t)vsnprintf(written->text + written->length,
                                         8 * TEXT_BYTES_MAX - written->length, format, args);
    va_end(args);
}

static void write_lane(struct written *written, const struct segment *segment, unsigned lane)
{
    for (size_t i = 0; i < segment->registers.count; i++) {
        const struct segment_register *reg = &segment->registers.items[i];
        if (reg->lane == lane)
            put(written, "R %" PRIu64 " lane %u cell %x mask %x %" PRIx64 "\n",
                segment->first_event + reg->event, lane, reg->cell, reg->mask, reg->value);
    }
}

static void write_instructions(struct written *written, const struct segment *segment,
                               unsigned lane)
{
    for (size_t i = 0; i < segment->instructions.count; i++) {
        const struct segment_instruction *instruction = &segment->instructions.items[i];
        if (instruction->lane == lane)
            put(written, "I %" PRIu64 " lane %u %" PRIx64 " %x text %" PRIu64 "+%u%s%s\n",
                segment->first_event + instruction->event, lane, instruction->address,
                instruction->encoding, instruction->text, instruction->text_bytes,
                instruction->is_aarch64 ? " aarch64" : "",
                instruction->is_executed ? "" : " skipped");
    }
}

static bool write_segment(void *self, struct segment *segment, struct error *err)
{
    struct written *written = self;
    const struct segment_events *events = &segment->events;
    (void)err;
    CHECK(segment->number == written->segments++);
    CHECK(segment->first_event == segment->number * written->segment_events);
    for (uint32_t i = 0; i < segment->event_count; i++)
        put(written,
            "E %" PRIu64 " t %" PRIu64 " l %" PRIu64 " p %" PRIu64 " %" PRIx64 " at %" PRIu64
            " flags %x lane %u\n",
            segment->first_event + i, events->time[i], events->line[i], events->position[i],
            events->pc[i], events->instruction_position[i], events->flags[i], events->lane[i]);
    for (unsigned lane = 0; lane < 4; lane++)
        write_lane(written, segment, lane);
    for (unsigned lane = 0; lane < 4; lane++)
        write_instructions(written, segment, lane);
    for (size_t i = 0; i < segment->accesses.count; i++) {
        const struct segment_access *access = &segment->accesses.items[i];
        put(written, "M %" PRIu64 " lane %u %s%s %" PRIx64 "+%u %" PRIx64 "\n",
            segment->first_event + access->event, access->lane, access->is_read ? "load" : "store",
            access->is_known ? "" : " unknown", access->address, access->size_bytes, access->value);
    }
    for (size_t i = 0; i < segment->late.count; i++)
        put(written, "L %" PRIu64 " %" PRIx64 " flags %x\n", segment->late.items[i].event,
            segment->late.items[i].pc, segment->late.items[i].flags);
    return true;
}

static bool write_trace(struct written *written, const char *text, enum reading reading,
                        unsigned threads, uint64_t chunk_bytes, uint32_t segment_events,
                        bool keeps_instructions)
{
    struct error err;
    struct pass_result result;
    const struct pass_observer observer = {0};
    struct source *source = NULL;
    char path[] = "/tmp/trawl-unit-XXXXXX";
    int fd = mkstemp(path);
    bool is_there = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
                    source_open(&source, path, SOURCE_RAW, &err) == STATUS_OK;
    close(fd);
    unlink(path);
    written->length = written->segments = 0;
    written->text[0] = 0;
    written->segment_events = segment_events;
    if (!is_there)
        return false;
    const struct pass_options options = {
        .how = {.reading = reading},
        .threads = threads,
        .chunk_bytes = chunk_bytes,
        .range = CALL_RANGE_ALL,
        .segments = {.self = written,
                     .segment_events = segment_events,
                     .keeps_instructions = keeps_instructions,
                     .write = write_segment},
    };
    bool is_done = pipeline_run(&tarmac_language, source, &options, &observer, &result, NULL,
                                &err) == STATUS_OK;
    pass_result_free(&result);
    source_close(source);
    return is_done;
}

#define IT(address) "IT " address " d503201f O : x\n"

static void segments_hold_what_lines_say(void)
{
    struct written written = {.text = malloc(8 * TEXT_BYTES_MAX)};
    CHECK(write_trace(
        &written,
        "header\n"
        "10 R x1 00000000000000ff\n"
        "10 " IT("1000") "R s3 3f800000\n"
                         "10 MW4 2000 1234abcd\n"
                         "11 " IT(
                             "1004") "MR16 3000 11 22\n"
                                     "LD 00000000000f0010 ........ 000ffbb8 ........ ####....\n"
                                     "12 EXC\n"
                                     "12 IS 1008 d45e0000 O : hlt\n"
                                     "12 IT 1008 d45e0000 O : hlt\n",
        READING_TTU, 1, 1000, 3, true));
    CHECK_STR(written.text, "E 0 t 0 l 1 p 0 2 at 0 flags 0 lane 0\n"
                            "E 1 t 10 l 2 p 7 1000 at 32 flags e lane 0\n"
                            "E 2 t 11 l 6 p 93 1004 at 93 flags e lane 0\n"
                            "R 1 lane 0 cell 1 mask ff ff\n"
                            "R 1 lane 0 cell 80 mask f 3f800000\n"
                            "I 1 lane 0 1000 d503201f text 56+1 aarch64\n"
                            "I 2 lane 0 1004 d503201f text 117+1 aarch64\n"
                            "M 1 lane 0 store 2000+4 1234abcd\n"
                            "M 2 lane 0 load 3000+8 22\n"
                            "M 2 lane 0 load 3008+8 11\n"
                            "M 2 lane 0 load f0018+4 ffbb8\n"
                            "M 2 lane 0 load unknown f0012+2 0\n"
                            "E 3 t 12 l 9 p 191 1008 at 198 flags 26 lane 0\n"
                            "E 4 t 12 l 11 p 226 1008 at 226 flags 1e lane 0\n"
                            "I 3 lane 0 1008 d45e0000 text 222+3 aarch64 skipped\n"
                            "I 4 lane 0 1008 d45e0000 text 250+3 aarch64\n");
    free(written.text);
}

// --- Random traces -------------------------------------------------------------------------------

static void add_line(struct prng *prng, char *text, unsigned lanes, uint64_t *time)
{
    char *at = text + strlen(text);
    unsigned pick = prng_below(prng, 100);
    if (prng_percent(prng, 60)) {
        *time += prng_percent(prng, 50) ? prng_below(prng, 3) : 0;
        at += sprintf(at, "%" PRIu64 " ", *time);
    }
    if (lanes > 1)
        at += sprintf(at, "cpu%u ", prng_below(prng, lanes));
    if (pick < 40)
        sprintf(at, "IT %x %s O : x\n", 0x1000 + 4 * prng_below(prng, 8),
                prng_percent(prng, 10) ? "d45e0000" : "d503201f");
    else if (pick < 45)
        sprintf(at, "IS %x e1a00000 A : x\n", 0x1000 + 4 * prng_below(prng, 8));
    else if (pick < 60)
        sprintf(at, "R x%u %016x\n", prng_below(prng, 31), prng_below(prng, 1000));
    else if (pick < 70)
        sprintf(at, "R %c%u %0*x\n", "sd"[pick & 1], prng_below(prng, 32), pick & 1 ? 16 : 8, pick);
    else if (pick < 90)
        sprintf(at, "M%c%u %x %02x\n", "RW"[pick & 1], 1u << prng_below(prng, 4),
                0x2000 + prng_below(prng, 64), pick);
    else if (pick < 95)
        sprintf(at, "ST %016x ........ 000ffbb8 ....#### ........\n", prng_below(prng, 4096));
    else
        sprintf(at, "EXC\n");
}

static void segments_are_the_same_for_all_chunks_and_threads(void)
{
    struct prng prng = {7};
    struct written one = {.text = malloc(8 * TEXT_BYTES_MAX)};
    struct written other = {.text = malloc(8 * TEXT_BYTES_MAX)};
    char *text = malloc(TEXT_BYTES_MAX);
    for (unsigned round = 0; round < 40; round++) {
        uint64_t time = 0;
        unsigned lanes = 1 + round % 3, lines = 1 + prng_below(&prng, 120);
        static const uint32_t sizes[] = {1, 2, 3, 7, 20, 1000};
        static const uint64_t chunks[] = {1, 40, 300, 1000000};
        text[0] = 0;
        for (unsigned i = 0; i < lines; i++)
            add_line(&prng, text, lanes, &time);
        enum reading reading = round % 2 ? READING_TTU : READING_TRUE;
        for (size_t size = 0; size < ARRAY_COUNT(sizes); size++) {
            CHECK(write_trace(&one, text, reading, 1, 1000000, sizes[size], true));
            for (size_t chunk = 0; chunk < ARRAY_COUNT(chunks); chunk++) {
                CHECK(write_trace(&other, text, reading, 1 + (unsigned)chunk % 3, chunks[chunk],
                                  sizes[size], true));
                CHECK_STR(other.text, one.text);
            }
        }
    }
    free(text);
    free(one.text);
    free(other.text);
}

const struct test_case segment_tests[] = {
    {"segments hold what lines say", segments_hold_what_lines_say},
    {THREADED "segments are the same for all chunks and threads",
     segments_are_the_same_for_all_chunks_and_threads},
    {0},
};
