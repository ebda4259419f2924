// Makes plans: finds the traces, and decides how many shards each is split into.
#include "base/limits.h"
#include "cmd/farm/commands.h"
#include "cmd/index.h"
#include "trace/open.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARD_BYTES (UINT64_C(2) << 30) // of a trace, unless the number of shards is given

const struct option_spec farm_plan_options[] = {
    {FARM_DIR, 0, "dir", "DIR",
     "where to write plan, parts and logs: on a file system that all machines share (default "
     "trawl-farm)"},
    {FARM_SHARDS, 0, "shards", "N",
     "pieces that each trace is cut into (default: one for every 2 GB, at most 64)"},
    {FARM_OUTPUT_DIR, 0, "output-dir", "OUT",
     "where to write indexes (default: next to the traces); as for 'trawl index --output-dir'"},
    {FARM_PATTERN, 0, "pattern", "PATTERN", "which files of a directory are traces"},
    {0},
};

const struct option_spec farm_index_options[] = {
    {FARM_THREADS, 0, "threads", "N", "worker threads of each task (default 4)"},
    {FARM_IMAGE, 0, "image", "FILE[@OFFSET]", "as for 'trawl index'; may be given several times"},
    {FARM_BIG_ENDIAN, 0, "bi", NULL, "the traces are of big-endian cores"},
    {FARM_IMPLICIT_THUMB, 0, "implicit-thumb", NULL,
     "instruction lines may lack the instruction-set state: it is Thumb"},
    {FARM_STRIP_PREFIX, 0, "strip-prefix", "REGEX", "as for 'trawl index'"},
    {0},
};

// Adds an image by its absolute path, because tasks run elsewhere; an offset may follow the last @.
static bool add_image(struct farm_plan *plan, const char *value)
{
    char real[PATH_MAX], name[PATH_MAX], image[2 * PATH_MAX];
    const char *at = strrchr(value, '@');
    size_t length = at ? (size_t)(at - value) : strlen(value);
    if (realpath(value, real)) // the @, if any, is part of the name
        return farm_plan_add_option(plan, "--image", real);
    if (!at || length >= sizeof name)
        return farm_plan_add_option(plan, "--image", value);
    memcpy(name, value, length);
    name[length] = '\0';
    snprintf(image, sizeof image, "%s%s", realpath(name, real) ? real : name, at);
    return farm_plan_add_option(plan, "--image", image);
}

static bool parse(const char *text, uint64_t max, uint64_t *number)
{
    char *end;
    if (*text < '0' || *text > '9' || strlen(text) > 18)
        return false;
    *number = strtoull(text, &end, 10);
    return !*end && *number && *number <= max;
}

int farm_planner_take(struct farm_planner *planner, struct options_parser *parser, int option,
                      const struct option_match *match)
{
    bool has_memory = true;
    switch (option) {
    case FARM_DIR:
        planner->directory = match->value;
        break;
    case FARM_OUTPUT_DIR:
        planner->output_dir = match->value;
        break;
    case FARM_PATTERN:
        planner->pattern = match->value;
        break;
    case FARM_SHARDS:
        if (!parse(match->value, LIMIT_SHARDS, &planner->shards))
            return options_bad_value(parser, match, "a number from 1 to " TEXT_OF(LIMIT_SHARDS));
        break;
    case FARM_THREADS:
        if (!parse(match->value, LIMIT_THREADS, &planner->threads))
            return options_bad_value(parser, match, "a number from 1 to " TEXT_OF(LIMIT_THREADS));
        break;
    case FARM_IMAGE:
        has_memory = add_image(&planner->plan, match->value);
        break;
    case FARM_BIG_ENDIAN:
        has_memory = farm_plan_add_option(&planner->plan, "--bi", NULL);
        break;
    case FARM_IMPLICIT_THUMB:
        has_memory = farm_plan_add_option(&planner->plan, "--implicit-thumb", NULL);
        break;
    case FARM_STRIP_PREFIX:
        has_memory = farm_plan_add_option(&planner->plan, "--strip-prefix", match->value);
        break;
    default:
        if ((has_memory = VEC_ROOM(&planner->words, 1)))
            planner->words.items[planner->words.count++] = match->value;
        break;
    }
    return has_memory ? OPTION_END : options_no_memory(parser);
}

// Counts the shards of a trace. 0: it cannot be split, or its lines begin at unknown positions.
static enum status count_shards(const struct farm_planner *planner, const char *path,
                                uint32_t *shards, struct error *err)
{
    struct trace *trace;
    enum status status = trace_open(&trace, path, READING_TRUE, err);
    if (status != STATUS_OK)
        return status;
    uint64_t wanted = planner->shards;
    if (!wanted)
        wanted = u64_min(source_size_bytes(trace->source) / SHARD_BYTES + 1, LIMIT_SHARDS_BY_SIZE);
    bool can_cut = trace_can(trace, TRACE_CHUNKS) && !source_is_synthesized(trace->source) &&
                   source_is_file(trace->source);
    *shards = can_cut && wanted > 1 ? (uint32_t)wanted : 0;
    trace_close(trace);
    return STATUS_OK;
}

static enum status add_trace(struct farm_planner *planner, const struct index_input *input,
                             struct error *err)
{
    char real[PATH_MAX], index[PATH_MAX + 8];
    uint32_t shards;
    enum status status = count_shards(planner, input->trace, &shards, err);
    if (status != STATUS_OK)
        return status;
    if (!realpath(input->trace, real))
        return error_set(err, STATUS_INPUT, "%s: no such file", input->trace);
    snprintf(index, sizeof index, "%s.index", real);
    if (input->index && planner->is_dry) {
        snprintf(index, sizeof index, "%s", input->index);
    } else if (input->index) {
        char directory[PATH_MAX], *slash = strrchr(input->index, '/');
        *slash = '\0'; // the directory exists by now
        bool is_there = realpath(input->index, directory);
        *slash = '/';
        if (!is_there || snprintf(index, sizeof index, "%s%s", directory, slash) < 0)
            return error_set(err, STATUS_INPUT, "%s: no such directory", input->index);
    }
    if (planner->plan.traces.count == LIMIT_FARM_TRACES)
        return error_set(err, STATUS_LIMIT, "more than " TEXT_OF(LIMIT_FARM_TRACES) " traces");
    return farm_plan_add_trace(&planner->plan, real, index, shards)
               ? STATUS_OK
               : error_set(err, STATUS_MEMORY, "no memory for the plan");
}

enum status farm_planner_make(struct farm_planner *planner, struct error *err)
{
    struct index_inputs inputs = {0};
    enum status status = STATUS_OK;
    char threads[24];
    planner->plan.directory = strdup(planner->directory ? planner->directory : "trawl-farm");
    snprintf(threads, sizeof threads, "%u", (unsigned)(planner->threads ? planner->threads : 4));
    if (!planner->plan.directory || !farm_plan_add_option(&planner->plan, "--threads", threads))
        return error_set(err, STATUS_MEMORY, "no memory for the plan");
    for (size_t i = 0; i < planner->words.count && status == STATUS_OK; i++)
        status = index_inputs_add(&inputs, planner->words.items[i], planner->pattern, err);
    if (status == STATUS_OK)
        status = index_inputs_leave_out_same(&inputs, err);
    if (status == STATUS_OK && planner->output_dir)
        status = index_inputs_place(&inputs, planner->output_dir, !planner->is_dry, err);
    for (size_t i = 0; i < inputs.items.count && status == STATUS_OK; i++)
        status = add_trace(planner, &inputs.items.items[i], err);
    index_inputs_free(&inputs);
    return status;
}

void farm_planner_free(struct farm_planner *planner)
{
    farm_plan_free(&planner->plan);
    free(planner->words.items);
}
