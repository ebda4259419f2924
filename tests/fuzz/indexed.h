// Builds an index in memory from a trace of any kind, as `trawl index` does.
#ifndef TRAWL_TESTS_FUZZ_INDEXED_H
#define TRAWL_TESTS_FUZZ_INDEXED_H

#include "fuzz.h"

#include "session/indexing.h"
#include "trace/open.h"

#include <fcntl.h>

struct indexed {
    char *bytes; // NULL: the trace cannot have one
    size_t size_bytes;
};

struct indexed_way {
    struct reading_options how;
    unsigned threads;
    uint64_t chunk_bytes;
    uint32_t segment_events;
    enum simd simd;
};

static inline enum simd simd_here(void)
{
    enum simd simd;
    CLAIM(simd_choose(&simd, NULL) == STATUS_OK);
    return simd;
}

static inline bool go_on(void *self, const struct line_fault *fault)
{
    (void)self, (void)fault;
    return true;
}

static inline struct pass_options indexed_pass(const struct indexed_way *way)
{
    return (struct pass_options){.how = way->how,
                                 .threads = way->threads,
                                 .chunk_bytes = way->chunk_bytes,
                                 .range = CALL_RANGE_ALL,
                                 .simd = way->simd};
}

// Opens the trace for passes; NULL: it cannot be read.
static inline struct trace *indexed_trace(const char *path, const struct indexed_way *way)
{
    static const struct image_set no_images;
    struct trace *trace;
    struct error err;
    if (trace_open(&trace, path, way->how.reading, &err) != STATUS_OK)
        return NULL;
    trace->options = (struct trace_options){.reading = way->how.reading, .threads = way->threads};
    if (!trace->kind->open || trace->kind->open(trace, &no_images, &err) == STATUS_OK)
        return trace;
    CLAIM(err.text[0]);
    trace_close(trace);
    return NULL;
}

static inline struct indexed indexed_read(int fd)
{
    struct indexed made = {.size_bytes = (size_t)lseek(fd, 0, SEEK_END)};
    if (made.size_bytes == 0)
        return made;
    made.bytes = malloc(made.size_bytes);
    CLAIM(made.bytes && pread(fd, made.bytes, made.size_bytes, 0) == (ssize_t)made.size_bytes);
    return made;
}

// Builds the index of the trace, to be freed by free(made.bytes).
static inline struct indexed indexed_make(struct trace *trace, const struct indexed_way *way)
{
    const struct pass_observer observer = {.fault = go_on};
    const struct pass_options options = indexed_pass(way);
    struct pass_result result;
    struct indexed made = {0};
    struct error err;
    int fd = memfd_create("index", MFD_CLOEXEC);
    const struct indexing_options how = {.path = "index",
                                         .file = &fd,
                                         .trace = "trace",
                                         .io = FILE_WRITER_PWRITE,
                                         .segment_events = way->segment_events};
    CLAIM(fd >= 0);
    bool can = !trace->kind->indexing.lacks || !trace->kind->indexing.lacks(trace);
    if (can && indexing_run(trace, &options, &observer, &how, &result, &err) == STATUS_OK)
        made = indexed_read(fd);
    else if (can)
        CLAIM(err.text[0]);
    if (can)
        pass_result_free(&result);
    close(fd);
    return made;
}

#endif
