// A trace that was indexed and is read from the index: every answer of the index is that of a
// simple model of the trace, and all its bytes pass their checks.
//
// Input: two bytes of choices, then eight bytes for each line, which select its contents.
#include "indexed.h"

#include "trace/lines/pipeline.h"
#include "trace/tarmac/tarmac.h"

#define CHECK(condition) CLAIM(condition)
#include "index_model.h"

enum { LINES_MAX = 160, LINE_BYTES_MAX = 200 };

static void make_model(struct model *model, const char *path, uint32_t segment_events)
{
    struct source *source;
    struct pass_result result;
    struct error err;
    const struct pass_observer observer = {.fault = go_on};
    const struct pass_options options = {
        .threads = 1,
        .chunk_bytes = 1000000,
        .range = CALL_RANGE_ALL,
        .segments = {.self = model, .segment_events = segment_events, .write = keep_segment},
    };
    model->segment_events = segment_events;
    CLAIM(source_open(&source, path, SOURCE_RAW, &err) == STATUS_OK);
    CLAIM(pipeline_run(&tarmac_language, source, &options, &observer, &result, NULL, &err) ==
          STATUS_OK);
    pass_result_free(&result);
    source_close(source);
}

static void compare(const struct made *made, struct prng *prng)
{
    check_events(made);
    check_visits(made);
    check_calls(made);
    for (uint64_t lane = 0; lane < LANES && made->model.in_lane[lane]; lane++)
        check_registers(made, lane);
    check_memory(made, prng);
    check_series(made, prng);
    check_stored_words(made, prng);
    check_sizes(made);
    CLAIM(trawl_verify(made->open, NULL) == TRAWL_OK);
}

static void check_trace(const char *path, const struct indexed_way *way, struct prng *prng)
{
    struct made made = {0};
    struct trace *trace = indexed_trace(path, way);
    CLAIM(trace);
    struct indexed index = indexed_make(trace, way);
    trace_close(trace);
    if (index.bytes) {
        make_model(&made.model, path, way->segment_events);
        CLAIM(trawl_open_bytes(&made.open, "index", index.bytes, index.size_bytes, NULL) ==
              TRAWL_OK);
        compare(&made, prng);
        trawl_close(made.open);
    }
    free_model(&made.model);
    free(index.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    static const uint32_t sizes[] = {1, 2, 3, 5, 16, 17, 64, 5000};
    static char text[LINES_MAX * LINE_BYTES_MAX];
    if (size_bytes < 2 + sizeof(uint64_t))
        return 0;
    struct prng prng = {data[0]};
    unsigned lanes = data[0] & 1 ? LANES : 1;
    uint64_t time = 0;
    text[0] = '\0';
    for (size_t at = 2; at + 8 <= size_bytes && at / 8 < LINES_MAX; at += 8) {
        struct prng line;
        memcpy(&line, data + at, sizeof line);
        add_line(&line, text, lanes, &time);
    }
    const struct indexed_way way = {
        .threads = 1 + (data[0] >> 1 & 1),
        .chunk_bytes = data[1] < 200 ? 1 + data[1] : 1000000,
        .segment_events = sizes[data[0] >> 2 & 7],
        .simd = data[0] & 32 ? SIMD_SCALAR : simd_here(),
    };
    check_trace(fuzz_file(text, strlen(text)), &way, &prng);
    return 0;
}
