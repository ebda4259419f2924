// The whole pass: what it reports, in which order, and how it ends after an error.
#include "trace/lines/pipeline.h"
#include "trace/tarmac/tarmac.h"

#include "base/map.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct trace_file {
    char path[40];
    struct source *source;
};

static bool open_file(struct trace_file *file, const char *text, size_t length)
{
    struct error err;
    strcpy(file->path, "/tmp/trawl-unit-XXXXXX");
    int fd = mkstemp(file->path);
    bool is_written = fd >= 0 && write(fd, text, length) == (ssize_t)length;
    close(fd);
    return is_written && source_open(&file->source, file->path, SOURCE_RAW, &err) == STATUS_OK;
}

static void close_file(struct trace_file *file)
{
    source_close(file->source);
    unlink(file->path);
}

static struct pass_options options_of(unsigned threads, uint64_t chunk_bytes)
{
    return (struct pass_options){.how = {.reading = READING_TRUE},
                                 .threads = threads,
                                 .chunk_bytes = chunk_bytes,
                                 .range = CALL_RANGE_ALL};
}

// Records what it receives.
struct heard {
    char text[4000];
    bool stops;
    const char *path; // of a file to truncate while it is read
};

static void hear_note(void *self, const struct line_note_report *note)
{
    struct heard *heard = self;
    sprintf(heard->text + strlen(heard->text), "%llu note %.*s\n", (unsigned long long)note->line,
            (int)note->subject_length, note->subject);
}

static bool hear_fault(void *self, const struct line_fault *fault)
{
    struct heard *heard = self;
    sprintf(heard->text + strlen(heard->text), "%llu fault at %llu '%.*s'%s\n",
            (unsigned long long)fault->line, (unsigned long long)fault->offset, (int)fault->length,
            fault->text, fault->is_partial ? " partial" : "");
    return !heard->stops;
}

static void hear_advance(void *self, const struct source_chunk *chunk)
{
    struct heard *heard = self;
    (void)chunk;
    if (heard->path)
        CHECK(truncate(heard->path, 10) == 0);
    heard->path = NULL;
}

static enum status run(const char *text, const struct pass_options *options, struct heard *heard,
                       struct pass_result *result, struct error *err)
{
    struct trace_file file;
    const struct pass_observer observer = {heard, hear_note, hear_fault, hear_advance, NULL};
    heard->text[0] = 0;
    if (!open_file(&file, text, strlen(text)))
        return STATUS_IO;
    enum status status =
        pipeline_run(&tarmac_language, file.source, options, &observer, result, NULL, err);
    close_file(&file);
    return status;
}

static const char text[] =
    "Tarmac\nFOO 1\n5 cpu0 IT 1000 d503201f O : x\n{\nBAR\nFOO\n7 cpu1 IT zz\nR DC\n"
    "8 cpu1 IT 2000 d503201f O : x\n9 BR\nBAR\n[";

static void reports_come_in_the_order_of_the_trace(void)
{
    static const char expected[] = "2 note FOO\n4 fault at 43 '{'\n5 note BAR\n"
                                   "7 fault at 53 '7 cpu1 IT zz'\n8 note DC\n12 note \n";
    for (unsigned threads = 1; threads <= 8; threads += 7) {
        for (uint64_t chunk_bytes = 1; chunk_bytes < 200; chunk_bytes += 7) {
            struct heard heard = {.stops = false};
            struct pass_result result;
            struct error err;
            const struct pass_options options = options_of(threads, chunk_bytes);
            CHECK(run(text, &options, &heard, &result, &err) == STATUS_OK);
            CHECK_STR(heard.text, expected);
            CHECK(result.lines == 12 && result.bytes == sizeof text - 1);
            CHECK(result.damaged_lines == 2 && result.damaged_bytes == 1 + 12);
            CHECK(result.header_lines == 2 && !result.stopped_at_fault);
            CHECK(result.unknown_events == 5);
            CHECK(result.lane_count == 3 && result.lanes[1].events == 1);
            CHECK(result.lanes[2].instructions == 1 && result.lanes[2].nodes == 2);
            CHECK_STR(result.lanes[2].name, "cpu1");
            pass_result_free(&result);
        }
    }
}

static void observer_may_stop_at_a_fault(void)
{
    for (uint64_t chunk_bytes = 1; chunk_bytes < 200; chunk_bytes += 9) {
        struct heard heard = {.stops = true};
        struct pass_result result;
        struct error err;
        struct pass_options options = options_of(3, chunk_bytes);
        options.stop_at_fault = true;
        CHECK(run(text, &options, &heard, &result, &err) == STATUS_OK);
        CHECK(result.stopped_at_fault);
        CHECK_STR(heard.text, "2 note FOO\n4 fault at 43 '{'\n");
        pass_result_free(&result);
    }
}

static void trace_that_is_cut_while_it_is_read_is_an_error(void)
{
    char *bytes = malloc(400001);
    struct trace_file file;
    struct heard heard = {.stops = false};
    const struct pass_observer observer = {&heard, hear_note, hear_fault, hear_advance, NULL};
    const struct pass_options options = options_of(2, 4096);
    struct pass_result result;
    struct error err;
    map_guard_install();
    for (size_t i = 0; i < 400000; i += 5)
        memcpy(bytes + i, "5 BR\n", 6);
    CHECK(open_file(&file, bytes, 400000));
    heard.path = file.path;
    CHECK(pipeline_run(&tarmac_language, file.source, &options, &observer, &result, NULL, &err) ==
          STATUS_INPUT);
    CHECK_STR(err.text, "the trace was changed while it was read");
    pass_result_free(&result);
    close_file(&file);
    free(bytes);
}

static bool refuse(void *self, struct call_content *into, const struct call *call,
                   const struct call_content *inner)
{
    (void)self, (void)into, (void)call, (void)inner;
    return false;
}

static bool agree(void *self, struct call_content *into, const struct call_content *from)
{
    (void)self, (void)into, (void)from;
    return true;
}

static void consumer_without_memory_fails_the_run(void)
{
    static const char call[] =
        "1 IT 1000 d503201f O : x\nR X30 0000000000001004\n2 IT 5000 d503201f O : x\n"
        "3 IT 1004 d503201f O : x\n";
    struct heard heard = {.stops = false};
    struct pass_result result;
    struct error err;
    struct pass_options options = options_of(2, 1);
    options.consumer = (struct call_consumer){.fold = refuse, .merge = agree};
    CHECK(run(call, &options, &heard, &result, &err) == STATUS_MEMORY);
    CHECK_STR(err.text, "no memory for the calls of the trace");
    pass_result_free(&result);
}

const struct test_case pipeline_tests[] = {
    {THREADED "reports_come_in_the_order_of_the_trace", reports_come_in_the_order_of_the_trace},
    {THREADED "observer_may_stop_at_a_fault", observer_may_stop_at_a_fault},
    {THREADED "trace_that_is_cut_while_it_is_read_is_an_error",
     trace_that_is_cut_while_it_is_read_is_an_error},
    {THREADED "consumer_without_memory_fails_the_run", consumer_without_memory_fails_the_run},
    {NULL, NULL},
};
