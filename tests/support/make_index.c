// Builds the index of a trace, for tests of the library.
//
//     make-index [--ttu] [--bi] [--implicit-thumb] [--segment-events N] TRACE INDEX
#include "session/indexing.h"
#include "trace/open.h"

#include <stdio.h>
#include <stdlib.h>

static bool skip_fault(void *self, const struct line_fault *fault)
{
    (void)self;
    (void)fault;
    return true;
}

static enum status make_index(const char *path, const struct pass_options *options,
                              const struct indexing_options *how, struct error *err)
{
    const struct pass_observer observer = {.fault = skip_fault};
    struct pass_result result = {0};
    struct trace *trace;
    enum status status = trace_open(&trace, path, options->how.reading, err);
    if (status != STATUS_OK)
        return status;
    status = indexing_run(trace, options, &observer, how, &result, err);
    pass_result_free(&result);
    trace_close(trace);
    return status;
}

int main(int argc, char **argv)
{
    struct pass_options options = {
        .threads = 2, .chunk_bytes = PASS_CHUNK_BYTES_DEFAULT, .range = CALL_RANGE_ALL};
    struct indexing_options how = {.io = FILE_WRITER_PWRITE,
                                   .segment_events = SEGMENT_EVENTS_DEFAULT};
    int i = 1;
    for (; i < argc - 2; i++) {
        if (strcmp(argv[i], "--ttu") == 0)
            options.how.reading = READING_TTU;
        else if (strcmp(argv[i], "--bi") == 0)
            options.big_endian = true;
        else if (strcmp(argv[i], "--implicit-thumb") == 0)
            options.how.implicit_state = STATE_IS_THUMB;
        else if (strcmp(argv[i], "--segment-events") == 0)
            how.segment_events = (uint32_t)strtoul(argv[++i], NULL, 10);
        else
            break;
    }
    if (i != argc - 2) {
        fprintf(stderr, "make-index: see tests/support/make_index.c\n");
        return 2;
    }
    struct error err;
    how.trace = argv[i];
    how.path = argv[i + 1];
    if (make_index(argv[i], &options, &how, &err) == STATUS_OK)
        return 0;
    fprintf(stderr, "make-index: %s\n", err.text);
    return 1;
}
