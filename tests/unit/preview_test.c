// Indexes of the part of a trace that was read so far: all their answers are also those of the
// index of the whole trace.
#include "browse/source.h"
#include "session/indexing.h"
#include "session/prefix_index.h"
#include "test.h"
#include "trace/open.h"

#include "random_lines.h"

#include <stdlib.h>
#include <unistd.h>

#define TEXT_BYTES_MAX 100000
#define REGISTER_SPACE_BYTES 1024
#define PREVIEW_MAX 200

struct collected {
    const struct source *source;
    uint64_t last_bytes;
    int files[PREVIEW_MAX];
    size_t count;
};

static bool has_news(void *self)
{
    const struct collected *collected = self;
    return collected->count < PREVIEW_MAX &&
           source_read_bytes(collected->source) > collected->last_bytes;
}

static void collect(void *self, int file, uint64_t bytes, uint64_t lines)
{
    struct collected *collected = self;
    CHECK(bytes > collected->last_bytes && lines);
    collected->last_bytes = bytes;
    collected->files[collected->count++] = file;
}

// Indexes a text, and collects the preview indexes.
static bool index_text(const char *text, uint32_t segment_events, unsigned threads,
                       struct collected *collected, struct index_view *whole)
{
    char path[] = "/tmp/trawl-unit-XXXXXX", index[sizeof path + 8];
    int fd = mkstemp(path);
    struct error err = {0};
    struct trace *trace;
    struct pass_result result;
    const struct pass_observer observer = {0};
    bool is_written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    snprintf(index, sizeof index, "%s.index", path);
    *collected = (struct collected){0};
    if (!is_written || trace_open(&trace, path, READING_TRUE, &err) != STATUS_OK)
        return false;
    collected->source = trace->source;
    struct prefix_indexes previews = {.self = collected,
                                      .are_previews = true,
                                      .is_wanted = has_news,
                                      .published = collect,
                                      .is_eager = true};
    const struct pass_options options = {.how = {.reading = READING_TRUE},
                                         .threads = threads,
                                         .chunk_bytes = 300,
                                         .range = CALL_RANGE_ALL};
    const struct indexing_options how = {.path = index,
                                         .trace = "trace",
                                         .io = FILE_WRITER_PWRITE,
                                         .segment_events = segment_events,
                                         .prefix_indexes = &previews};
    bool is_made = indexing_run(trace, &options, &observer, &how, &result, &err) == STATUS_OK;
    pass_result_free(&result);
    trace_close(trace);
    is_made = is_made && index_view_open(whole, index, READING_TRUE, &err) == STATUS_OK;
    if (!is_made)
        test_fail(__FILE__, __LINE__, err.text);
    unlink(path);
    unlink(index);
    return is_made;
}

static void compare_event(struct trawl_index *preview, struct trawl_index *whole, uint64_t event)
{
    struct trawl_event a, b;
    uint8_t values[2][REGISTER_SPACE_BYTES] = {{0}}, known[2][REGISTER_SPACE_BYTES] = {{0}};
    CHECK(trawl_event(preview, event, &a, NULL) == TRAWL_OK);
    CHECK(trawl_event(whole, event, &b, NULL) == TRAWL_OK);
    CHECK(a.lane == b.lane && a.in_lane == b.in_lane && a.time == b.time && a.line == b.line);
    CHECK(a.position == b.position && a.pc == b.pc && a.flags == b.flags);
    CHECK(trawl_registers(preview, a.lane, event, 0, REGISTER_SPACE_BYTES, values[0], known[0],
                          NULL) == TRAWL_OK);
    CHECK(trawl_registers(whole, a.lane, event, 0, REGISTER_SPACE_BYTES, values[1], known[1],
                          NULL) == TRAWL_OK);
    CHECK(memcmp(known[0], known[1], sizeof known[0]) == 0);
    for (size_t i = 0; i < REGISTER_SPACE_BYTES; i++)
        CHECK(!known[0][i] || values[0][i] == values[1][i]);
    CHECK(trawl_memory(preview, event, MEMORY_FIRST, MEMORY_BYTES, values[0], known[0], NULL) ==
          TRAWL_OK);
    CHECK(trawl_memory(whole, event, MEMORY_FIRST, MEMORY_BYTES, values[1], known[1], NULL) ==
          TRAWL_OK);
    for (size_t i = 0; i < MEMORY_BYTES; i++) // later loads may show more, or contradict it
        CHECK(!known[0][i] || !known[1][i] || values[0][i] == values[1][i]);
}

// Returns the number of events that were compared.
static uint64_t compare(int file, const struct index_view *whole)
{
    struct index_view preview;
    struct growth growth = {0};
    struct error err;
    bool is_open = index_view_open_file(&preview, file, "early", READING_TRUE, &err) == STATUS_OK;
    CHECK(is_open);
    if (is_open) {
        growth_take(&growth, &preview, 0);
        CHECK(growth.known_events < preview.info.events);
        for (uint64_t event = 0; event < growth.known_events; event++)
            compare_event(preview.index, whole->index, event);
        index_view_close(&preview);
    }
    return growth.known_events;
}

static void what_is_known_preview_stays(void)
{
    static const uint32_t sizes[] = {1, 3, 16, 64, 5000};
    struct prng prng = {23};
    char *text = malloc(TEXT_BYTES_MAX);
    uint64_t compared = 0;
    for (unsigned round = 0; round < 24; round++) {
        uint64_t time = 0;
        unsigned lanes = round % 2 ? LANES : 1, lines = 1 + prng_below(&prng, 160);
        struct collected collected;
        struct index_view whole;
        text[0] = 0;
        for (unsigned i = 0; i < lines; i++)
            add_line(&prng, text, lanes, &time);
        bool is_made =
            index_text(text, sizes[round % ARRAY_COUNT(sizes)], 1 + round % 3, &collected, &whole);
        for (size_t i = 0; i < collected.count; i++) {
            compared += is_made ? compare(collected.files[i], &whole) : 0;
            close(collected.files[i]);
        }
        if (is_made)
            index_view_close(&whole);
    }
    CHECK(compared > 1000);
    free(text);
}

// If there is no directory for the files of preview indexes.
static void an_index_is_made_without_preview_ones(void)
{
    static const char text[] = "1 clk IT (1) 00008000 e1a00000 A svc_s : NOP\n"
                               "1 clk R r0 00000001\n";
    struct collected collected;
    struct index_view whole;
    char *long_text = calloc(1, 100 * sizeof text);
    for (unsigned i = 0; i < 100; i++)
        strcat(long_text, text);
    setenv("TMPDIR", "/nonexistent", 1);
    CHECK(index_text(long_text, 16, 1, &collected, &whole) && !collected.count);
    unsetenv("TMPDIR");
    index_view_close(&whole);
    free(long_text);
}

const struct test_case preview_tests[] = {
    {"an index is made without early ones", an_index_is_made_without_preview_ones},
    {THREADED "what is known before an index is whole stays so", what_is_known_preview_stays},
    {0},
};
