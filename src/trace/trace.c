#include "trace/trace.h"

#include <stdlib.h>

void trace_close(struct trace *trace)
{
    if (!trace)
        return;
    trace_forget_index(trace);
    if (trace->kind->close)
        trace->kind->close(trace);
    source_close(trace->source);
    free(trace);
}

void trace_forget_index(struct trace *trace)
{
    trawl_close(trace->index);
    trace->index = NULL;
}

enum status trace_take_index(struct trace *trace, struct trawl_index *index, struct error *err)
{
    const struct trace_indexing *indexing = &trace->kind->indexing;
    enum status status = indexing->read ? indexing->read(trace, index, err) : STATUS_OK;
    return status == STATUS_OK && indexing->check_rows ? indexing->check_rows(trace, index, err)
                                                       : status;
}

const char *trace_lacks(const struct trace_kind *kind, unsigned abilities)
{
    static const struct {
        unsigned ability;
        const char *name;
    } names[] = {
        {TRACE_CALLS, "calls"},           {TRACE_REGISTERS, "registers"},
        {TRACE_MEMORY, "memory"},         {TRACE_INSTRUCTIONS, "instructions"},
        {TRACE_TIMES, "times"},           {TRACE_LINES, "lines"},
        {TRACE_ADDRESSES, "addresses"},   {TRACE_TASKS, "tasks"},
        {TRACE_LOADS, "reads of memory"}, {TRACE_CONTEXTS, "calls"},
        {TRACE_EVENTS, "single events"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (abilities & ~kind->abilities & names[i].ability)
            return names[i].name;
    }
    return NULL;
}

bool trace_is_understood(const struct trace *trace, const struct pass_result *result)
{
    return !trace_can(trace, TRACE_LINES) || trace->options.reading == READING_TTU ||
           pass_result_is_understood(result);
}

uint64_t trace_frequency_hz(const struct trace *trace)
{
    return trace->kind->frequency_hz ? trace->kind->frequency_hz(trace) : 0;
}

#define COUNTED_UNIT "instructions"

const char *tick_unit(uint64_t frequency_hz)
{
    static const char *const units[] = {"s", "ms", "us", "ns", "ps", "fs"};
    uint64_t hz = 1;
    for (size_t i = 0; i < ARRAY_COUNT(units); i++, hz *= 1000) {
        if (hz == frequency_hz)
            return units[i];
    }
    return "ticks";
}

const char *trace_tick_unit(const struct trace *trace)
{
    return trace_can(trace, TRACE_COUNTS) ? COUNTED_UNIT : tick_unit(trace_frequency_hz(trace));
}

const char *index_tick_unit(const struct trawl_info *info)
{
    return info->options & TRAWL_COUNTS_INSTRUCTIONS ? COUNTED_UNIT
                                                     : tick_unit(info->ticks_per_second);
}

enum time_points trace_time_points(const struct trace *trace)
{
    if (trace->options.reading == READING_TTU)
        return TIME_POINTS_MILLIONTHS;
    if (trace_can(trace, TRACE_BY_LANES) && trace_frequency_hz(trace))
        return TIME_POINTS_SECONDS;
    return trace->kind->text && trace->kind->text->has_points(trace) ? TIME_POINTS_MILLIONTHS
                                                                     : TIME_POINTS_NONE;
}

enum status trace_first_time(struct trace *trace, uint64_t *time, struct error *err)
{
    const struct pass_options options = {
        .how = {.reading = trace->options.reading},
        .threads = trace->options.threads,
        .chunk_bytes = PASS_CHUNK_BYTES_DEFAULT,
        .range = CALL_RANGE_ALL,
    };
    const struct pass_observer silent = {0};
    struct pass_result result = {0};
    *time = UINT64_MAX;
    enum status status = trace->kind->run(trace, &options, &silent, &result, err);
    for (size_t i = 0; status == STATUS_OK && i < result.lane_count; i++) {
        if (result.lanes[i].has_root)
            *time = u64_min(*time, result.lanes[i].root.time);
    }
    pass_result_free(&result);
    return status;
}

static void keep(struct trace_damage *damage, uint64_t kept, const struct trace_fault *fault)
{
    uint64_t at = kept;
    while (at && damage->first[at - 1].offset > fault->offset)
        at--;
    if (at == LIMIT_DAMAGE_KEPT)
        return;
    kept = u64_min(kept, LIMIT_DAMAGE_KEPT - 1);
    memmove(&damage->first[at + 1], &damage->first[at], (kept - at) * sizeof *damage->first);
    damage->first[at] = *fault;
}

void trace_damage_add(struct trace_damage *damage, const struct trace_fault *fault)
{
    keep(damage, u64_min(damage->count, LIMIT_DAMAGE_KEPT), fault);
    damage->count++;
    damage->size_bytes += fault->size_bytes;
}

void trace_damage_merge(struct trace_damage *damage, const struct trace_damage *other)
{
    uint64_t kept = u64_min(damage->count, LIMIT_DAMAGE_KEPT);
    for (uint64_t i = 0; i < u64_min(other->count, LIMIT_DAMAGE_KEPT); i++) {
        keep(damage, kept, &other->first[i]);
        kept = u64_min(kept + 1, LIMIT_DAMAGE_KEPT);
    }
    damage->count += other->count;
    damage->size_bytes += other->size_bytes;
}
