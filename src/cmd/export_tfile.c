// States of a trace as a trace file for GDB.
#include "base/limits.h"
#include "cmd/export.h"
#include "cmd/query.h"

#include "export/tfile_export.h"

#include <inttypes.h>

struct tfile_command {
    struct command *common; // which asks the index
    const struct export_tfile_options *options;
    struct point_choice points;
    struct tfile_export export;
};

// What is in a frame without --memory.
#define MEMORY_DEFAULT "sp:4096"

// --- Requested points and memory -----------------------------------------------------------------

static bool add_point(struct tfile_command *command, enum point_way way, uint64_t value)
{
    return point_choice_add(&command->points, way, value) || command_no_memory(command->common);
}

static bool add_points(struct tfile_command *command)
{
    const struct export_tfile_options *options = command->options;
    struct command *query = command->common;
    const struct trawl_event nowhere = {.event = TRAWL_START};
    uint64_t value;
    for (size_t i = 0; i < options->at.count; i++) {
        if (!query_point(query, "--at", options->at.items[i], &value) ||
            !add_point(command, POINT_AT, value))
            return false;
    }
    for (size_t i = 0; i < options->visits.count; i++) {
        if (!query_value(query, options->visits.items[i], &nowhere, command->points.lane,
                         TRAWL_START, &value) ||
            !add_point(command, POINT_VISIT, value & ~UINT64_C(1)))
            return false;
    }
    if (options->every && !add_point(command, POINT_EVERY, options->every))
        return false;
    return command->points.sources.count || // otherwise the default of --at
           add_point(command, POINT_AT, query->event);
}

static bool add_memory(struct tfile_command *command, const char *text)
{
    struct tfile_export *export = &command->export;
    // Only for the names of registers.
    const struct trawl_event at = {.flags = TRAWL_HAS_INSTRUCTION | (export->aarch64 ? 2u : 0u)};
    struct tfile_export_memory memory = {0};
    uint64_t sum = 0;
    if (!query_memory(command->common, text, &at, &memory.location))
        return false;
    for (size_t i = 0; i < export->memory.count; i++)
        sum += export->memory.items[i].location.size_bytes;
    if (memory.location.size_bytes > LIMIT_TFILE_EXPORT_MEMORY_BYTES - sum) {
        command_fail_with(command->common, STATUS_LIMIT,
                          "--memory '%.200s': more than %d MB in a frame", text,
                          (int)(LIMIT_TFILE_EXPORT_MEMORY_BYTES >> 20));
        command->common->status = EXIT_STATUS_USAGE;
        return false;
    }
    if (!VEC_ROOM(&export->memory, 1))
        return command_no_memory(command->common);
    export->memory.items[export->memory.count++] = memory;
    return true;
}

static bool add_all_memory(struct tfile_command *command)
{
    const struct export_tfile_options *options = command->options;
    for (size_t i = 0; i < options->memory.count; i++) {
        if (!add_memory(command, options->memory.items[i]))
            return false;
    }
    return options->memory.count || add_memory(command, MEMORY_DEFAULT);
}

// --- The file ------------------------------------------------------------------------------------

static void warn(const struct tfile_command *command)
{
    const struct tfile_export *export = &command->export;
    struct command *common = command->common;
    if (export->left_out_count)
        diag_warning(&common->diag,
                     "%" PRIu64 " point%s left out: the core is in %s state there, and in the "
                     "first frame in the other",
                     export->left_out_count, export->left_out_count == 1 ? " is" : "s are",
                     export->aarch64 ? "AArch32" : "AArch64");
    // The default memory may be missing.
    for (size_t i = 0; i < command->options->memory.count; i++) {
        const struct tfile_export_memory *memory = &export->memory.items[i];
        if (memory->missing_count)
            diag_warning(&common->diag,
                         "memory '%.200s' is missing from %" PRIu64 " of %" PRIu64 " frame%s: %s",
                         memory->location.address.text, memory->missing_count, export->frame_count,
                         plural(export->frame_count), memory->why.text);
    }
    if (common->verbose)
        fprintf(common->diag.out, "trawl: %" PRIu64 " frame%s, %zu%s address%s\n",
                export->frame_count, plural(export->frame_count), export->addresses.count,
                export->has_more_addresses ? " and more" : "",
                export->addresses.count == 1 && !export->has_more_addresses ? "" : "es");
}

static bool plan(struct tfile_command *command)
{
    struct command *query = command->common;
    struct error err;
    enum status result = query_one_lane(query, "a trace file", &command->points.lane, &err);
    if (result == STATUS_OK) {
        if (!add_points(command))
            return false;
        result = tfile_export_plan(&command->export, &err);
    }
    if (result == STATUS_NOT_FOUND)
        error_set(&err, result, "%s: none of the points is in it", query->session.path);
    return result == STATUS_OK || command_fail(query, &err);
}

bool export_tfile(struct command *common, const struct export_tfile_options *options)
{
    struct tfile_command command = {.common = common, .options = options};
    const char *trace = common->session.path, *slash = strrchr(trace, '/');
    struct error err;
    command.points =
        (struct point_choice){.view = &common->session.view, .range = common->session.filter.range};
    command.export =
        (struct tfile_export){.points = &command.points, .note = slash ? slash + 1 : trace};
    bool is_done = plan(&command) && add_all_memory(&command) && command_output(common);
    if (is_done)
        is_done = tfile_export_write(&command.export, &common->out, &err) == STATUS_OK ||
                  command_fail(common, &err);
    if (is_done)
        warn(&command);
    tfile_export_free(&command.export);
    point_choice_free(&command.points);
    return is_done;
}
