#include "trace/tarmac/tarmac.h"

#include "arch/arm/arm.h"
#include "arch/arm/control.h"
#include "arch/arm/two_stacks.h"
#include "flow/reading.h"
#include "flow/replay.h"
#include "idx/index_write.h"
#include "trace/lines/pipeline.h"
#include "trace/tarmac/access.h"
#include "trace/tarmac/event_text.h"
#include "trace/tarmac/line_read.h"
#include "trace/tarmac/unit.h"
#include "trace/unknown_text.h"

#include "base/characters.h"

// --- The stack pointer of cores with two ---------------------------------------------------------

static void name_stack(void *state, uint32_t number, const char *name)
{
    two_stacks_name(state, number, name);
}

static bool has_stacks(void *state)
{
    struct two_stacks *stacks = state;
    return atomic_load(&stacks->has_roles);
}

static bool carry_stacks(void *state, struct segment *segment)
{
    return two_stacks_carry(state, segment);
}

static void free_stacks(void *state)
{
    two_stacks_free(state);
}

static const struct line_carry stacks = {
    .size_bytes = sizeof(struct two_stacks),
    .name = name_stack,
    .is_needed = has_stacks,
    .carry = carry_stacks,
    .free = free_stacks,
};

// --- The kind ------------------------------------------------------------------------------------

const struct line_language tarmac_language = {
    .study = tarmac_line_study,
    .add_access = access_add,
    .branch = control_decode,
    .opens_frame = control_opens_frame,
    .exceptions = &arm_exceptions,
    .exception_returns = arm_exception_returns,
    .carry = &stacks,
};

struct tarmac_trace {
    struct trace trace;
    struct tarmac_dialect dialect; // according to its first lines
    bool has_points;               // likewise: times have a point
    char prefix[TARMAC_PREFIX_BYTES];
};

static const struct tarmac_dialect *dialect_of(const struct trace *trace)
{
    return &((const struct tarmac_trace *)(const void *)trace)->dialect;
}

// Whether a line begins with a number that has a point, perhaps after its unit.
static bool has_point(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || (uint8_t)*at >= 0x80)) // a byte order mark
        at++;
    for (const char *word = at; at < end && is_letter(*at); at++) {
        if (at - word > 3) // no unit is longer
            return false;
    }
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    const char *digits = at;
    while (at < end && is_digit(*at))
        at++;
    return at > digits && at + 1 < end && *at == '.' && is_digit(at[1]);
}

static bool has_points(const char *text, size_t size_bytes, const struct line_prefix *prefix)
{
    const char *end = text + size_bytes, *newline;
    for (; (newline = memchr(text, '\n', (size_t)(end - text))); text = newline + 1) {
        size_t seen_bytes;
        const char *at = prefix ? line_prefix_end(prefix, text, newline, &seen_bytes) : text;
        if (has_point(at, newline))
            return true;
    }
    return text < end && has_point(text, end);
}

static bool trace_has_points(const struct trace *trace)
{
    return ((const struct tarmac_trace *)(const void *)trace)->has_points;
}

static enum status open_trace(struct trace *trace, const struct image_set *images,
                              struct error *err)
{
    struct tarmac_trace *tarmac = (struct tarmac_trace *)(void *)trace;
    char text[TARMAC_DIALECT_PEEK_BYTES];
    size_t have;
    (void)images;
    bool is_ttu = trace->options.reading == READING_TTU;
    if (is_ttu && !source_is_file(trace->source))
        return STATUS_OK;
    enum status status = source_peek(trace->source, text, sizeof text, &have, err);
    if (status != STATUS_OK)
        return status;
    if (is_ttu) {
        tarmac->dialect.scale = tarmac_time_scale(text, have, trace->options.prefix);
        return STATUS_OK;
    }
    tarmac->dialect = tarmac_dialect_of(text, have, trace->options.prefix);
    tarmac->has_points = has_points(text, have, trace->options.prefix);
    trace->first_world = tarmac->dialect.first_world;
    trace->seems = unknown_text_seems(text, (size_t)u64_min(have, UNKNOWN_TEXT_BYTES));
    if (!trace->options.prefix && tarmac_find_prefix(text, have, tarmac->prefix)) {
        trace->seems = "Tarmac text with something else before each line";
        trace->prefix_hint = tarmac->prefix;
    }
    return STATUS_OK;
}

static uint64_t frequency_hz(const struct trace *trace)
{
    return trace->options.reading == READING_TTU
               ? 0
               : tarmac_ticks_per_second(&dialect_of(trace)->scale);
}

// The observer of a pass that begins again: it was already told about the first lines.
struct told {
    const struct pass_observer *observer;
    uint64_t lines;
};

static void tell_note(void *self, const struct line_note_report *note)
{
    const struct told *told = self;
    if (note->line > told->lines && told->observer->note)
        told->observer->note(told->observer->self, note);
}

static bool tell_fault(void *self, const struct line_fault *fault)
{
    const struct told *told = self;
    return fault->line <= told->lines || !told->observer->fault ||
           told->observer->fault(told->observer->self, fault);
}

static void tell_advance(void *self, const struct source_chunk *chunk)
{
    const struct told *told = self;
    if (told->observer->advanced)
        told->observer->advanced(told->observer->self, chunk);
}

// If a time is finer than the first lines of the trace showed, the pass begins again in its unit.
static enum status run(struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err)
{
    if (trace->index)
        return replay_run(trace->index, options, observer, result, err);
    if (trace->progress)
        progress_begin(trace->progress, stderr, trace->meter, source_size_bytes(trace->source));
    struct pass_options of_dialect = *options;
    struct told told = {observer, 0};
    const struct pass_observer again = {
        .self = &told, .note = tell_note, .fault = tell_fault, .advanced = tell_advance};
    struct time_unit *unit = &((struct tarmac_trace *)(void *)trace)->dialect.scale.unit;
    bool may_begin_again = options->how.reading == READING_TRUE && source_is_file(trace->source) &&
                           pass_may_begin_again(options, observer);
    for (;;) {
        int finer = unit->exponent;
        of_dialect.how = tarmac_dialect_reading(dialect_of(trace), &options->how);
        enum status status = pipeline_run(&tarmac_language, trace->source, &of_dialect,
                                          told.lines ? &again : observer, result,
                                          may_begin_again ? &finer : NULL, err);
        if (status != STATUS_STOPPED || finer == unit->exponent)
            return status;
        told.lines = u64_max(told.lines, result->lines);
        unit->exponent = finer;
        pass_result_free(result);
        source_rewind(trace->source);
        if ((status = pass_begin_again(options, err)) != STATUS_OK)
            return status;
    }
}

// The times in an index may be finer than the first lines of the trace show.
static enum status read_index(struct trace *trace, struct trawl_index *index, struct error *err)
{
    struct time_unit *unit = &((struct tarmac_trace *)(void *)trace)->dialect.scale.unit;
    struct trawl_info info;
    (void)err;
    trawl_info(index, &info);
    for (int digits = 0; unit->base == TIME_SECONDS && power_of_ten(digits); digits++) {
        if (power_of_ten(digits) == info.ticks_per_second)
            unit->exponent = -digits;
    }
    return STATUS_OK;
}

static enum status examine(struct trace *trace, struct examination *examination, struct error *err)
{
    const struct reading_options written = {.reading = trace->options.reading,
                                            .prefix = trace->options.prefix};
    const struct reading_options how = tarmac_dialect_reading(dialect_of(trace), &written);
    if (trace->progress)
        progress_begin(trace->progress, stderr, trace->meter, source_size_bytes(trace->source));
    return tarmac_examine(trace->source, &how, dialect_of(trace), trace->progress, examination,
                          err);
}

static size_t sample(struct trace *trace, struct trace_instruction *instructions, size_t capacity)
{
    const struct reading_options written = {.reading = trace->options.reading,
                                            .prefix = trace->options.prefix};
    const struct reading_options how = tarmac_dialect_reading(dialect_of(trace), &written);
    return tarmac_sample(trace->source, &how, instructions, capacity);
}

// Reports do not read memory, so its byte order only matters to other commands.
static uint64_t identity(const struct trace *trace, const struct pass_options *options,
                         bool is_for_queries, uint64_t *mask)
{
    (void)trace;
    const struct line_prefix *prefix = options->how.prefix;
    *mask = TRAWL_READ_AS_TTU | TRAWL_IMPLICIT_THUMB | TRAWL_TELLS_TASKS | TRAWL_TELLS_UNKNOWN |
            TRAWL_PREFIX_HASH |
            (options->has_images || options->how.reading == READING_TTU ? TRAWL_HAS_PROGRAMS : 0u) |
            (is_for_queries ? TRAWL_BIG_ENDIAN : 0u);
    return TRAWL_TELLS_TASKS | TRAWL_TELLS_UNKNOWN | TRAWL_TELLS_LOADS |
           (options->how.reading == READING_TTU ? TRAWL_READ_AS_TTU : 0u) |
           (options->programs ? TRAWL_HAS_PROGRAMS : 0u) |
           (options->how.implicit_state == STATE_IS_THUMB ? TRAWL_IMPLICIT_THUMB : 0u) |
           (options->big_endian ? TRAWL_BIG_ENDIAN : 0u) |
           (prefix ? (uint64_t)prefix->hash << 32 : 0);
}

static bool write_sections(struct trace *trace, struct index_writer *writer,
                           const struct register_names *names)
{
    struct parts_writer parts = {0};
    const enum reading reading = trace->options.reading;
    bool is_done = tarmac_layout_write(&parts, names, reading) &&
                   index_writer_add_section(writer, SECTION_LAYOUT, &parts);
    parts_writer_free(&parts);
    return is_done;
}

static const struct trace_line_reader tarmac_text = {
    .look = tarmac_look,
    .instruction = tarmac_instruction_text,
    .exception = tarmac_exception_text,
    .line_stamp = tarmac_line_stamp,
    .has_points = trace_has_points,
};

const struct trace_kind tarmac_kind = {
    .name = "tarmac",
    .words = {"a Tarmac trace", "core", "Core", "lines"},
    .abilities = TRACE_CALLS | TRACE_CONTEXTS | TRACE_EVENTS | TRACE_REGISTERS | TRACE_MEMORY |
                 TRACE_INSTRUCTIONS | TRACE_TIMES | TRACE_LINES | TRACE_ADDRESSES | TRACE_REPLAYS |
                 TRACE_CHUNKS | TRACE_INFERRED | TRACE_TTU | TRACE_TASKS | TRACE_LOADS,
    .size_bytes = sizeof(struct tarmac_trace),
    .open = open_trace,
    .run = run,
    .frequency_hz = frequency_hz,
    .registers = &tarmac_registers,
    .arch = &arch_arm,
    .indexing = {.identity = identity, .write_sections = write_sections, .read = read_index},
    .placing = {.sample = sample},
    .telling = {.examine = examine},
    .text = &tarmac_text,
    .dataflow = &tarmac_dataflow,
};
