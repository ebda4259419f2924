// The index is compared with a simple model of the same trace: every register byte, some memory,
// every write, visit and call, at every event, for any segment size.
#include "session/indexing.h"
#include "test.h"
#include "trace/lines/pipeline.h"
#include "trace/open.h"
#include "trace/tarmac/tarmac.h"

#include "index_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TEXT_BYTES_MAX 100000

// --- Building an index
// -----------------------------------------------------------------------------

static bool write_trace(const char *text, char *path)
{
    int fd = mkstemp(path);
    bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return is_written;
}

static struct pass_options options_of(unsigned threads, uint64_t chunk_bytes)
{
    return (struct pass_options){.how = {.reading = READING_TRUE},
                                 .threads = threads,
                                 .chunk_bytes = chunk_bytes,
                                 .range = CALL_RANGE_ALL};
}

static bool make_index_by(unsigned threads, struct made *made, const char *text,
                          uint32_t segment_events, uint64_t chunk_bytes)
{
    struct error err = {0};
    struct source *source;
    struct pass_result result;
    const struct pass_observer observer = {0};
    struct pass_options options = options_of(1, 1000000);
    *made = (struct made){.trace = "/tmp/trawl-unit-XXXXXX",
                          .model = {.segment_events = segment_events}};
    bool is_made = write_trace(text, made->trace) &&
                   source_open(&source, made->trace, SOURCE_RAW, &err) == STATUS_OK;
    snprintf(made->index, sizeof made->index, "%s.index", made->trace);
    if (!is_made)
        return false;
    options.segments = (struct segment_consumer){
        .self = &made->model, .segment_events = segment_events, .write = keep_segment};
    is_made = pipeline_run(&tarmac_language, source, &options, &observer, &result, NULL, &err) ==
              STATUS_OK;
    pass_result_free(&result);
    source_close(source);
    struct trace *trace;
    if (!is_made || trace_open(&trace, made->trace, READING_TRUE, &err) != STATUS_OK)
        return false;
    options = options_of(threads, chunk_bytes);
    const struct indexing_options how = {.path = made->index,
                                         .trace = "trace",
                                         .io = FILE_WRITER_PWRITE,
                                         .segment_events = segment_events};
    is_made = indexing_run(trace, &options, &observer, &how, &result, &err) == STATUS_OK;
    pass_result_free(&result);
    trace_close(trace);
    is_made = is_made &&
              trawl_open(&made->open, made->index, (struct trawl_error *)(void *)&err) == TRAWL_OK;
    if (!is_made)
        test_fail(__FILE__, __LINE__, err.text);
    return is_made;
}

static bool make_index(struct made *made, const char *text, uint32_t segment_events)
{
    return make_index_by(1, made, text, segment_events, 100);
}

static void free_made(struct made *made)
{
    trawl_close(made->open);
    free_model(&made->model);
    unlink(made->trace);
    unlink(made->index);
}

// --- Whole indexes
// ---------------------------------------------------------------------------------

static void the_index_says_what_the_trace_said(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 5, 16, 17, 64, 5000};
    struct prng prng = {11};
    char *text = malloc(TEXT_BYTES_MAX);
    uint64_t calls = 0;
    for (unsigned round = 0; round < 120; round++) {
        uint64_t time = 0;
        unsigned lanes = round % 4 ? 1 : LANES, lines = 1 + prng_below(&prng, 160);
        struct made made;
        struct trawl_error err = {0};
        text[0] = 0;
        for (unsigned i = 0; i < lines; i++)
            add_line(&prng, text, lanes, &time);
        if (make_index_by(2, &made, text, sizes[round % ARRAY_COUNT(sizes)], 100)) {
            check_events(&made);
            check_visits(&made);
            calls += check_calls(&made);
            for (uint64_t lane = 0; lane < LANES && made.model.in_lane[lane]; lane++)
                check_registers(&made, lane);
            check_memory(&made, &prng);
            check_series(&made, &prng);
            check_stored_words(&made, &prng);
            check_sizes(&made);
        }
        CHECK(trawl_verify(made.open, &err) == TRAWL_OK);
        free_made(&made);
    }
    CHECK(calls > 100);
    free(text);
}

// --- Host calls ----------------------------------------------------------------------------------

static bool byte_at(struct trawl_index *index, uint64_t event, uint64_t address, uint8_t *value)
{
    uint8_t known = 0;
    CHECK(trawl_memory(index, event, address, 1, value, &known, NULL) == TRAWL_OK);
    return known;
}

#define HLT "IT 1000 d45e0000 O : hlt\n"
#define NOP "IT 1004 d503201f O : nop\n"

static void host_calls_hide_what_they_may_have_written(void)
{
    static const char text[] = "1 " NOP "MW8 2000 1111111111111111\n" // 0
                               "2 " NOP "MW8 3008 0000000000002000\n" // 1: the buffer
                               "3 " NOP "MW8 3010 0000000000000004\n" // 2: its length
                               "4 " NOP "R x0 0000000000000006\n"     // 3: READ
                               "R x1 0000000000003000\n"
                               "5 " HLT                        // 4
                               "6 " NOP "MR1 2001 77\n"        // 5: shows a byte
                               "7 " NOP "MW1 2002 99\n"        // 6
                               "8 " HLT                        // 7
                               "9 " NOP "MR4 2000 44332211\n"; // 8
    for (uint32_t size = 1; size < 12; size++) {
        struct made made;
        struct trawl_write write;
        uint8_t value = 0;
        CHECK(make_index(&made, text, size));
        CHECK(byte_at(made.open, 3, 0x2001, &value) && value == 0x11);
        CHECK(!byte_at(made.open, 4, 0x2000, &value));
        CHECK(byte_at(made.open, 4, 0x2001, &value) && value == 0x77); // shown later
        CHECK(!byte_at(made.open, 5, 0x2002, &value)); // stored to before it is loaded
        CHECK(byte_at(made.open, 6, 0x2002, &value) && value == 0x99);
        CHECK(byte_at(made.open, 7, 0x2002, &value) && value == 0x33);
        CHECK(byte_at(made.open, 7, 0x2001, &value) && value == 0x22);
        CHECK(byte_at(made.open, 7, 0x2004, &value) && value == 0x11);
        CHECK(trawl_memory_written(made.open, 8, TRAWL_BACKWARD, 0x2003, 1, &write, NULL) ==
              TRAWL_OK);
        CHECK(write.event == 7 && write.kind == TRAWL_HOST_WRITE);
        CHECK(trawl_memory_written(made.open, 0, TRAWL_FORWARD, 0x2003, 1, &write, NULL) ==
              TRAWL_OK);
        CHECK(write.event == 4 && write.kind == TRAWL_HOST_WRITE);
        CHECK(trawl_verify(made.open, NULL) == TRAWL_OK);
        free_made(&made);
    }
}

// What an event does on lines before its host call is hidden by the call; what it does on later
// lines remains.
static void accesses_go_by_lines_around_a_host_call(void)
{
    static const char text[] = "1 " NOP "R x0 0000000000000030\n" // 0: ELAPSED, of 16 bytes
                               "R x1 0000000000002000\n"
                               "2 MW8 2000 1111111111111111\n" // 1
                               "2 MR1 2010 33\n"
                               "2 " HLT "MW8 2008 2222222222222222\n"
                               "3 " NOP "MR1 2001 77\n" // 2
                               "MR1 2008 22\n";
    for (uint64_t chunk_bytes = 20; chunk_bytes < 300; chunk_bytes += 20) {
        struct made made;
        struct trawl_write write;
        uint8_t value = 0;
        CHECK(make_index_by(2, &made, text, 2, chunk_bytes));
        CHECK(!byte_at(made.open, 1, 0x2000, &value));
        CHECK(byte_at(made.open, 1, 0x2001, &value) && value == 0x77);
        CHECK(byte_at(made.open, 1, 0x2008, &value) && value == 0x22);
        CHECK(trawl_memory_written(made.open, 2, TRAWL_BACKWARD, 0x2000, 8, &write, NULL) ==
              TRAWL_OK);
        CHECK(write.event == 1 && write.kind == TRAWL_HOST_WRITE);
        CHECK(trawl_memory_written(made.open, 2, TRAWL_BACKWARD, 0x2000, 16, &write, NULL) ==
              TRAWL_OK);
        CHECK(write.kind == TRAWL_STORE && write.address == 0x2000 && write.size_bytes == 16);
        CHECK(trawl_memory_written(made.open, 0, TRAWL_FORWARD, 0x2000, 8, &write, NULL) ==
              TRAWL_OK);
        CHECK(write.event == 1 && write.kind == TRAWL_STORE);
        CHECK(trawl_memory_written(made.open, 0, TRAWL_FORWARD, 0x2008, 8, &write, NULL) ==
              TRAWL_OK);
        CHECK(write.event == 1 && write.kind == TRAWL_HOST_WRITE);
        free_made(&made);
    }
}

// --- Damage --------------------------------------------------------------------------------------

// The sum of all possible answers; UINT64_MAX: a question was refused.
static uint64_t ask_all(struct trawl_index *index)
{
    struct trawl_info info;
    struct trawl_lane lane;
    struct trawl_event event;
    struct trawl_call call;
    struct trawl_write write;
    uint64_t sum = 0, found;
    trawl_info(index, &info);
    sum = info.events * 31 + info.lines * 17 + info.options + info.trace_bytes;
    for (uint64_t i = 0; i < info.lanes; i++) {
        if (trawl_lane(index, i, &lane, NULL) != TRAWL_OK)
            return UINT64_MAX;
        sum = sum * 31 + lane.events + lane.calls * 7 + lane.instructions;
        for (uint64_t c = 0; c < lane.calls && c < 50; c++) {
            if (trawl_call(index, i, c, &call, NULL) != TRAWL_OK)
                return UINT64_MAX;
            sum = sum * 31 + call.entry + call.exit * 5 + call.pc + call.depth;
        }
    }
    for (uint64_t i = 0; i < info.events && i < 40; i++) {
        uint8_t values[MEMORY_BYTES], known[MEMORY_BYTES];
        if (trawl_event(index, i, &event, NULL) != TRAWL_OK ||
            trawl_registers(index, event.lane, i, 0, 64, values, known, NULL) != TRAWL_OK)
            return UINT64_MAX;
        for (size_t b = 0; b < 64; b++)
            sum = sum * 31 + values[b] + known[b] * 256u;
        if (trawl_memory(index, i, MEMORY_FIRST, MEMORY_BYTES, values, known, NULL) != TRAWL_OK)
            return UINT64_MAX;
        for (size_t b = 0; b < MEMORY_BYTES; b++)
            sum = sum * 31 + values[b] + known[b] * 256u;
        enum trawl_status status =
            trawl_visit(index, TRAWL_ANY_LANE, 0x1040, i, TRAWL_FORWARD, &found, NULL);
        if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
            return UINT64_MAX;
        sum = sum * 31 + (status == TRAWL_OK ? found : 99);
        status = trawl_memory_written(index, i, TRAWL_BACKWARD, MEMORY_FIRST + 8, 16, &write, NULL);
        if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
            return UINT64_MAX;
        sum = sum * 31 + (status == TRAWL_OK ? write.event : 99);
        status = trawl_register_written(index, event.lane, i, TRAWL_FORWARD, 0, 8, &found, NULL);
        if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
            return UINT64_MAX;
        sum = sum * 31 + (status == TRAWL_OK ? found : 99);
    }
    return sum == UINT64_MAX ? 0 : sum;
}

static void no_flipped_byte_gives_a_wrong_answer(void)
{
    struct prng prng = {5};
    struct made made;
    char text[8000] = "";
    uint64_t time = 0;
    for (unsigned i = 0; i < 80; i++)
        add_line(&prng, text, 2, &time);
    CHECK(make_index(&made, text, 8));
    uint64_t right = ask_all(made.open);
    CHECK(right != UINT64_MAX);
    FILE *file = fopen(made.index, "r+b");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    for (long at = 0; at < size; at++) {
        struct trawl_index *index = NULL;
        fseek(file, at, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 1 << (at % 8), file);
        fflush(file);
        if (trawl_open(&index, made.index, NULL) == TRAWL_OK) {
            uint64_t got = ask_all(index);
            CHECK(got == right || got == UINT64_MAX);
            CHECK(trawl_verify(index, NULL) == TRAWL_DAMAGED);
            trawl_close(index);
        }
        fseek(file, at, SEEK_SET);
        fputc(byte, file);
    }
    if (file)
        fclose(file);
    free_made(&made);
}

static void a_cut_index_is_refused(void)
{
    struct made made;
    struct trawl_index *index;
    CHECK(make_index(&made, "1 IT 1000 d503201f O : x\n2 IT 1004 d503201f O : x\n", 1));
    for (long size = 4000; size >= 0; size -= 7) {
        long length = size;
        FILE *file = fopen(made.index, "rb");
        fseek(file, 0, SEEK_END);
        bool shortens = ftell(file) > length;
        fclose(file);
        if (!shortens)
            continue;
        CHECK(truncate(made.index, length) == 0);
        CHECK(trawl_open(&index, made.index, NULL) == TRAWL_DAMAGED);
    }
    free_made(&made);
}

static void an_index_tells_whether_both_readings_agree(void)
{
    static const struct {
        const char *text;
        bool agree;
    } traces[] = {
        {"1 " NOP "R x0 0000000000000001\nR cpsr 00000000\nR v0 1_0\n", false}, // v0 is too short
        {"1 " NOP "R x0 0000000000000001\nR cpsr 00000000\n2 BR\n", true},
        {"1 " NOP "FOO\n", false},
        {"1 cpu0 " NOP "2 cpu0 " NOP, true},
        {"1 cpu0 " NOP "2 cpu1 " NOP, false},
        {"1 " NOP "2 cpu1 " NOP, false},
        {"1 " NOP "R S3_0_C15_C2_1 00000001\n", false},
        {"1 " NOP "R E40 0000000000000001\n", false},
        {"1 " NOP "R w3 00000001\n", false}, // clears the rest of x3
        {"1 IT 1000 e1a00000 A : nop\nR r3 00000001\nR s3 00000001\n", true},
        {"1.5 " NOP, true},
        {"9007199254.740993us " NOP, false},
        {"1 " NOP "R x0 123\n", false}, // damage
    };
    for (size_t i = 0; i < ARRAY_COUNT(traces); i++) {
        struct made made;
        struct trawl_info info = {0};
        CHECK(make_index(&made, traces[i].text, 8));
        trawl_info(made.open, &info);
        if (!(info.options & TRAWL_READINGS_AGREE) == traces[i].agree)
            test_fail(__FILE__, __LINE__, traces[i].text);
        free_made(&made);
    }
}

const struct test_case index_tests[] = {
    {THREADED "the index says what the trace said", the_index_says_what_the_trace_said},
    {THREADED "host calls hide what they may have written",
     host_calls_hide_what_they_may_have_written},
    {THREADED "accesses go by lines around a host call", accesses_go_by_lines_around_a_host_call},
    {"no flipped byte gives a wrong answer", no_flipped_byte_gives_a_wrong_answer},
    {"a cut index is refused", a_cut_index_is_refused},
    {THREADED "an index tells whether both readings agree",
     an_index_tells_whether_both_readings_agree},
    {0},
};
