// Any bytes as a trace for which an index of the Tarmac Trace Utilities is written: the index is
// the same for any division into chunks and any number of threads, and no other file is left.
//
// Input: two bytes of choices, then the trace.
#include "indexed.h"

#include "compat/ttu/ttu_index.h"

#include <stdio.h>

enum { SIZE_BYTES_MAX = 1 << 16 };

static char directory[] = "/tmp/trawl-ttu-fuzz-XXXXXX", path[64];

static void remove_directory(void)
{
    rmdir(directory);
}

static void make_directory(void)
{
    if (path[0])
        return;
    CLAIM(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/index", directory);
    atexit(remove_directory);
}

struct written {
    char *bytes; // NULL: none was written
    size_t size_bytes;
};

static struct written take_file(void)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CLAIM(fd >= 0);
    const struct indexed made = indexed_read(fd);
    CLAIM(made.bytes && unlink(path) == 0);
    close(fd);
    return (struct written){made.bytes, made.size_bytes};
}

static bool run(struct trace *trace, const struct indexed_way *way, struct ttu_index *index,
                struct ttu_index_end *end)
{
    const struct pass_observer observer = {.fault = go_on};
    struct pass_options options = indexed_pass(way);
    struct pass_result result;
    struct error err;
    options.consumer = ttu_index_calls(index);
    options.segments = ttu_index_segments(index);
    bool is_done = trace->kind->run(trace, &options, &observer, &result, &err) == STATUS_OK;
    if (!is_done)
        return false;
    bool has_events = pass_result_has_events(&result);
    *end = (struct ttu_index_end){result.lines, result.bytes};
    pass_result_free(&result);
    return has_events;
}

static struct written write_index(const char *trace_path, const struct indexed_way *way,
                                  uint8_t choices)
{
    struct ttu_index *index;
    struct ttu_index_end end;
    struct error err;
    struct trace *trace = indexed_trace(trace_path, way);
    const struct ttu_index_options options = {.path = path,
                                              .like = -1,
                                              .big_endian = choices & 2,
                                              .implicit_thumb = choices & 1,
                                              .threads = way->threads};
    struct written written = {NULL, 0};
    if (!trace)
        return written;
    CLAIM(ttu_index_begin(&index, &options, &err) == STATUS_OK);
    bool is_run = trace_can(trace, TRACE_TTU) && run(trace, way, index, &end);
    if (is_run && ttu_index_end(index, &end, &err) == STATUS_OK)
        written = take_file();
    ttu_index_free(index);
    CLAIM(access(path, F_OK) != 0);
    trace_close(trace);
    return written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    if (size_bytes < 3 || size_bytes > SIZE_BYTES_MAX)
        return 0;
    const struct indexed_way usual = {
        .how = {.reading = READING_TTU, .implicit_state = data[0] & 1},
        .threads = 1,
        .chunk_bytes = 1 << 20,
        .simd = simd_here(),
    };
    struct indexed_way other = usual;
    other.threads = 1 + (data[0] >> 2 & 3);
    other.chunk_bytes = 1 + fuzz_mix(data[0], data[1]) % 500;
    make_directory();
    const char *trace = fuzz_file(data + 2, size_bytes - 2);
    struct written first = write_index(trace, &usual, data[0]);
    struct written second = write_index(trace, &other, data[0]);
    CLAIM(first.size_bytes == second.size_bytes);
    CLAIM(!first.bytes || memcmp(first.bytes, second.bytes, first.size_bytes) == 0);
    free(first.bytes);
    free(second.bytes);
    return 0;
}
