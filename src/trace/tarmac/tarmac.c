#include "trace/tarmac/tarmac.h"

#include "flow/replay.h"

static enum status run(struct trace *trace, const struct pipeline_options *options,
                       const struct pipeline_observer *observer, struct pipeline_result *result,
                       struct error *err)
{
    if (trace->index)
        return replay_run(trace->index, options, observer, result, err);
    if (trace->progress)
        progress_begin(trace->progress, stderr, trace->meter, source_size_bytes(trace->source));
    return pipeline_run(trace->source, options, observer, result, err);
}

// Reports do not look at memory, so that its byte order matters to others alone.
static uint64_t identity(const struct trace *trace, const struct pipeline_options *options,
                         bool is_for_queries, uint64_t *mask)
{
    (void)trace;
    *mask = TRAWL_READ_AS_TTU | TRAWL_IMPLICIT_THUMB | (is_for_queries ? TRAWL_BIG_ENDIAN : 0u);
    return (options->how.reading == READING_TTU ? TRAWL_READ_AS_TTU : 0u) |
           (options->how.implicit_thumb ? TRAWL_IMPLICIT_THUMB : 0u) |
           (options->big_endian ? TRAWL_BIG_ENDIAN : 0u);
}

const struct trace_kind tarmac_kind = {
    .id = "tarmac",
    .words = {"Tarmac trace", "a Tarmac trace", "core", "Core", "event", "lines"},
    .abilities = TRACE_CALLS | TRACE_REGISTERS | TRACE_MEMORY | TRACE_INSTRUCTIONS | TRACE_TIMES |
                 TRACE_LINES | TRACE_ADDRESSES | TRACE_REPLAYS | TRACE_HASHES | TRACE_ARM,
    .size_bytes = sizeof(struct trace),
    .run = run,
    .identity = identity,
};
