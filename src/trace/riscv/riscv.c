#include "trace/riscv/riscv.h"

#include "arch/riscv/register_layout.h"
#include "arch/riscv/riscv.h"
#include "flow/replay.h"
#include "idx/index_write.h"
#include "trace/lines/pipeline.h"
#include "trace/riscv/dialect.h"
#include "trace/riscv/examine.h"
#include "trace/riscv/language.h"
#include "trace/riscv/spike.h"
#include "trace/riscv/text.h"

struct riscv_trace {
    struct trace trace;
    uint32_t dialect; // according to its first lines
};

static uint32_t dialect_of(const struct trace *trace)
{
    return ((const struct riscv_trace *)(const void *)trace)->dialect;
}

static bool is(const void *head, size_t size_bytes)
{
    return riscv_is_log(head, size_bytes);
}

static enum status open_trace(struct trace *trace, const struct image_set *images,
                              struct error *err)
{
    char text[RISCV_DIALECT_PEEK_BYTES];
    size_t have;
    (void)images;
    enum status status = source_peek(trace->source, text, sizeof text, &have, err);
    if (status != STATUS_OK)
        return status;
    ((struct riscv_trace *)(void *)trace)->dialect = riscv_dialect_of(text, have);
    return STATUS_OK;
}

static struct reading_options reading_of(const struct trace *trace, struct reading_options how)
{
    how.dialect = dialect_of(trace);
    return how;
}

static enum status run(struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err)
{
    struct pass_options of_dialect = *options;
    if (trace->index)
        return replay_run(trace->index, options, observer, result, err);
    if (trace->progress)
        progress_begin(trace->progress, stderr, trace->meter, source_size_bytes(trace->source));
    of_dialect.how = reading_of(trace, options->how);
    enum status status =
        pipeline_run(&riscv_language, trace->source, &of_dialect, observer, result, NULL, err);
    result->readings_differ = true; // the other one does not read such logs
    return status;
}

static enum status examine(struct trace *trace, struct examination *examination, struct error *err)
{
    const struct reading_options how =
        reading_of(trace, (struct reading_options){.reading = trace->options.reading});
    if (trace->progress)
        progress_begin(trace->progress, stderr, trace->meter, source_size_bytes(trace->source));
    return riscv_examine(trace->source, &how, trace->progress, examination, err);
}

static size_t sample(struct trace *trace, struct trace_instruction *instructions, size_t capacity)
{
    const struct reading_options how =
        reading_of(trace, (struct reading_options){.reading = trace->options.reading});
    return riscv_sample(trace->source, &how, instructions, capacity);
}

static uint64_t identity(const struct trace *trace, const struct pass_options *options,
                         bool is_for_queries, uint64_t *mask)
{
    (void)trace;
    *mask = TRAWL_TELLS_TASKS | TRAWL_TELLS_UNKNOWN | TRAWL_COUNTS_INSTRUCTIONS |
            (options->has_images ? TRAWL_HAS_PROGRAMS : 0u) |
            (is_for_queries ? TRAWL_BIG_ENDIAN : 0u);
    return TRAWL_TELLS_TASKS | TRAWL_TELLS_UNKNOWN | TRAWL_TELLS_LOADS | TRAWL_COUNTS_INSTRUCTIONS |
           (options->programs ? TRAWL_HAS_PROGRAMS : 0u) |
           (options->big_endian ? TRAWL_BIG_ENDIAN : 0u);
}

static bool write_sections(struct trace *trace, struct index_writer *writer,
                           const struct register_names *names)
{
    struct parts_writer parts = {0};
    const bool is_32 = dialect_of(trace) & RISCV_IS_32;
    bool is_done = riscv_layout_write(&parts, names, is_32 ? RISCV_32 : RISCV_64) &&
                   index_writer_add_section(writer, SECTION_LAYOUT, &parts);
    parts_writer_free(&parts);
    return is_done;
}

static bool has_points(const struct trace *trace)
{
    (void)trace;
    return false;
}

// With commits and the instruction log, the line of that begins an event.
static bool begins_event(const struct trace *trace, const char *start, const char *end)
{
    const char *at;
    struct text_span hart;
    const bool has_instructions = dialect_of(trace) & RISCV_HAS_INSTRUCTIONS;
    return spike_line_of(start, end, &at, &hart) ==
           (has_instructions ? SPIKE_INSTRUCTION : SPIKE_COMMIT);
}

static const struct trace_line_reader riscv_text = {
    .look = riscv_look,
    .instruction = riscv_instruction_text,
    .exception = riscv_exception_text,
    .begins_event = begins_event,
    .has_points = has_points,
};

const struct trace_kind riscv_kind = {
    .name = "riscv",
    .words = {"a RISC-V log", "hart", "Hart", "lines"},
    .abilities = TRACE_CALLS | TRACE_REGISTERS | TRACE_MEMORY | TRACE_INSTRUCTIONS | TRACE_TIMES |
                 TRACE_LINES | TRACE_ADDRESSES | TRACE_REPLAYS | TRACE_CHUNKS | TRACE_INFERRED |
                 TRACE_TASKS | TRACE_LOADS | TRACE_COUNTS,
    .size_bytes = sizeof(struct riscv_trace),
    .is = is,
    .open = open_trace,
    .run = run,
    .registers = &riscv_registers,
    .arch = &arch_riscv,
    .indexing = {.identity = identity, .write_sections = write_sections},
    .placing = {.sample = sample},
    .telling = {.examine = examine},
    .text = &riscv_text,
    .dataflow = &riscv_dataflow,
};
