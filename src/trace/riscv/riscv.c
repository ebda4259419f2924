#include "trace/riscv/riscv.h"

#include "arch/riscv/control.h"
#include "arch/riscv/register_layout.h"
#include "arch/riscv/riscv.h"
#include "flow/replay.h"
#include "idx/index_write.h"
#include "trace/lines/pipeline.h"
#include "trace/riscv/access.h"
#include "trace/riscv/examine.h"
#include "trace/riscv/forms.h"
#include "trace/riscv/ibex.h"
#include "trace/riscv/log_line.h"
#include "trace/riscv/spike.h"
#include "trace/riscv/text.h"

#include <stdio.h>

// --- Lines, for the room that reads them (trace/lines/language.h) --------------------------------

static struct branch branch(uint64_t pc, uint32_t encoding, uint32_t size_bytes, enum isa_state isa)
{
    struct branch branch = riscv_branch(pc, encoding, (enum riscv_isa)isa);
    if (size_bytes == 2) // whose code may be that of what it stands for
        branch.next = isa == (enum isa_state)RISCV_32 ? (uint32_t)(pc + 2) : pc + 2;
    return branch;
}

static bool opens_frame(uint32_t encoding, uint32_t size_bytes, enum isa_state isa)
{
    (void)size_bytes;
    return riscv_opens_frame(encoding, (enum riscv_isa)isa);
}

// Where exceptions return, as their lines show it. A trap writes mepc without a line; what
// instructions write there is where a handler goes, perhaps to another task.
static const char *const exception_returns[] = {"epc", NULL};
static const char *const vector_bases[] = {"mtvec", "stvec", "vstvec", NULL};

#define RISCV_LANGUAGE                                                                             \
    .lane_prefix = RISCV_LANE_PREFIX, .has_several_records = true, .study = riscv_study,           \
    .add_access = riscv_add_access, .branch = branch, .opens_frame = opens_frame,                  \
    .exceptions = &riscv_exceptions, .exception_returns = exception_returns,                       \
    .vector_bases = vector_bases

const struct line_language riscv_language = {RISCV_LANGUAGE, .counts_instructions = true,
                                             .first_record_end = ')'};

const struct line_language riscv_timed_language = {RISCV_LANGUAGE};

// --- The kinds -----------------------------------------------------------------------------------

struct riscv_trace {
    struct trace trace;
    uint32_t dialect; // according to its first lines
};

static uint32_t dialect_of(const struct trace *trace)
{
    return ((const struct riscv_trace *)(const void *)trace)->dialect;
}

static bool has_times(const struct trace *trace)
{
    return riscv_form_of(dialect_of(trace))->row == RISCV_TIMED;
}

static bool is(const void *head, size_t size_bytes)
{
    return riscv_is_log(head, size_bytes, RISCV_COUNTED);
}

static bool is_timed(const void *head, size_t size_bytes)
{
    return riscv_is_log(head, size_bytes, RISCV_TIMED);
}

static bool is_for_comparison(const void *head, size_t size_bytes)
{
    return riscv_is_log(head, size_bytes, RISCV_FOR_COMPARISON);
}

// How many bits the harts have: what the log shows, or else an image, or else what the user says.
// If nothing does, and there are codes that mean something else in each, nothing is guessed.
static enum status find_width(const struct trace *trace, const struct image_set *images,
                              uint32_t *dialect, struct error *err)
{
    const uint32_t shown = *dialect & (RISCV_IS_32 | RISCV_IS_64);
    uint32_t width = shown;
    if (!width && images && images->members.count)
        width = images->members.items[0].address_mask == UINT32_MAX ? RISCV_IS_32 : RISCV_IS_64;
    const uint32_t said = trace->options.isa_bits == 32   ? RISCV_IS_32
                          : trace->options.isa_bits == 64 ? RISCV_IS_64
                                                          : 0;
    if (said && shown && said != shown)
        return error_set(err, STATUS_INPUT, "%s: its harts have %d bits, whatever --isa says",
                         trace->path, shown == RISCV_IS_32 ? 32 : 64);
    if (said)
        width = said;
    if (!width && (*dialect & RISCV_NEEDS_WIDTH))
        return error_set(err, STATUS_INPUT,
                         "%s: neither the log nor an image shows how many bits its harts have; say "
                         "--isa rv32 or --isa rv64",
                         trace->path);
    *dialect = (*dialect & ~(uint32_t)(RISCV_IS_32 | RISCV_IS_64)) | width;
    return STATUS_OK;
}

static enum status open_trace(struct trace *trace, const struct image_set *images,
                              struct error *err)
{
    char text[RISCV_DIALECT_PEEK_BYTES];
    size_t have;
    enum status status = source_peek(trace->source, text, sizeof text, &have, err);
    if (status != STATUS_OK)
        return status;
    uint32_t dialect = riscv_dialect_of(text, have);
    status = find_width(trace, images, &dialect, err);
    ((struct riscv_trace *)(void *)trace)->dialect = dialect;
    // Single lines of Spike are read as what they look like.
    trace->dialect = dialect & ~(uint32_t)(RISCV_HAS_COMMITS | RISCV_HAS_INSTRUCTIONS |
                                           RISCV_HAS_NO_HARTS | RISCV_IS_RTL);
    return status;
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
    enum status status = pipeline_run(has_times(trace) ? &riscv_timed_language : &riscv_language,
                                      trace->source, &of_dialect, observer, result, NULL, err);
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
    const uint64_t counts = has_times(trace) ? 0 : TRAWL_COUNTS_INSTRUCTIONS;
    *mask = TRAWL_TELLS_TASKS | TRAWL_TELLS_UNKNOWN | TRAWL_COUNTS_INSTRUCTIONS |
            (options->has_images ? TRAWL_HAS_PROGRAMS : 0u) |
            (is_for_queries ? TRAWL_BIG_ENDIAN : 0u);
    return TRAWL_TELLS_TASKS | TRAWL_TELLS_UNKNOWN | TRAWL_TELLS_LOADS | counts |
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

static bool begins_event(const struct trace *trace, const char *start, const char *end)
{
    return riscv_form_of(dialect_of(trace))->begins_event(dialect_of(trace), start, end);
}

static bool takes_hart(const char *name)
{
    char word[LIMIT_LANE_NAME_BYTES + 2];
    struct text_span number;
    if (strlen(name) >= LIMIT_LANE_NAME_BYTES)
        return false;
    snprintf(word, sizeof word, "%s ", name);
    return log_skip_hart(word, word + strlen(word), &number) != NULL;
}

static void sum_up(const struct trace *trace, const struct pass_result *result,
                   const struct trace_reporter *reporter)
{
    (void)result;
    if (trace->is_merged && !has_times(trace))
        reporter->warn(reporter->self,
                       "the files have no times: in which order instructions of different harts "
                       "were executed is unknown, and they take turns here");
}

static const struct trace_line_reader riscv_text = {
    .look = riscv_look,
    .instruction = riscv_instruction_text,
    .exception = riscv_exception_text,
    .line_stamp = spike_line_stamp,
    .takes_core = takes_hart,
    .begins_event = begins_event,
    .has_points = has_points,
};

static const struct trace_line_reader timed_text = {
    .look = riscv_look,
    .instruction = riscv_instruction_text,
    .exception = riscv_exception_text,
    .line_stamp = ibex_line_stamp,
    .takes_core = takes_hart,
    .has_points = has_points,
};

#define RISCV_ABILITIES                                                                            \
    (TRACE_CALLS | TRACE_CONTEXTS | TRACE_EVENTS | TRACE_REGISTERS | TRACE_MEMORY |                \
     TRACE_INSTRUCTIONS | TRACE_TIMES | TRACE_LINES | TRACE_ADDRESSES | TRACE_REPLAYS |            \
     TRACE_CHUNKS | TRACE_INFERRED | TRACE_TASKS | TRACE_LOADS)

#define RISCV_KIND                                                                                 \
    .size_bytes = sizeof(struct riscv_trace), .open = open_trace, .run = run,                      \
    .registers = &riscv_registers, .arch = &arch_riscv,                                            \
    .indexing = {.identity = identity, .write_sections = write_sections},                          \
    .placing = {.sample = sample}, .telling = {.examine = examine, .sum_up = sum_up},              \
    .dataflow = &riscv_dataflow

static const char riscv_words[] = "a RISC-V log";

const struct trace_kind riscv_kind = {
    RISCV_KIND,
    .name = "riscv",
    .words = {riscv_words, "hart", "Hart", "lines"},
    .abilities = RISCV_ABILITIES | TRACE_COUNTS,
    .is = is,
    .text = &riscv_text,
};

const struct trace_kind riscv_timed_kind = {
    RISCV_KIND,
    .name = "riscv-timed",
    .words = {riscv_words, "hart", "Hart", "lines"},
    .abilities = RISCV_ABILITIES,
    .is = is_timed,
    .text = &timed_text,
};

const struct trace_kind riscv_table_kind = {
    RISCV_KIND,
    .name = "riscv-table",
    .words = {"a table of riscv-dv", "hart", "Hart", "lines"},
    .abilities = TRACE_EVENTS | TRACE_REGISTERS | TRACE_INSTRUCTIONS | TRACE_LINES |
                 TRACE_ADDRESSES | TRACE_REPLAYS | TRACE_CHUNKS | TRACE_COUNTS,
    .is = is_for_comparison,
    .text = &riscv_text,
};
