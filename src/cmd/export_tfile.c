// States of a trace as a trace file for GDB.
#include "base/limits.h"
#include "cmd/export.h"
#include "cmd/query.h"

#include "cmd/driver.h"
#include "cmd/trace_pass.h"
#include "export/call_writers.h"
#include "export/tfile_export.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct tfile_command {
    struct command *common; // which asks the index
    const struct export_tfile_options *options;
    struct point_choice points;
    struct tfile_export export;
    char default_memory[128]; // as if it had been typed
};

// What is in a frame without --memory.
#define MEMORY_DEFAULT_BYTES 4096 // from the stack pointer on

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
    const struct trawl_event at = {.flags = TRAWL_HAS_INSTRUCTION | export->isa};
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
    const struct tfile_export *export = &command->export;
    struct trawl_register sp;
    if (options->memory.count ||
        trawl_register_with(query_view(command->common)->index, export->isa, TRAWL_REGISTER_SP, &sp,
                            NULL) != TRAWL_OK)
        return true;
    snprintf(command->default_memory, sizeof command->default_memory, "%.100s:%d", sp.name,
             MEMORY_DEFAULT_BYTES);
    return add_memory(command, command->default_memory);
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
                     export->other_state ? export->other_state : "another");
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

// --- The Common Trace Format ---------------------------------------------------------------------

// Calls in the Common Trace Format, which is a directory.

static bool is_empty(const char *path)
{
    DIR *directory = opendir(path);
    size_t count = 0;
    if (!directory)
        return false;
    while (readdir(directory) && count < 3)
        count++;
    closedir(directory);
    return count == 2; // "." and ".."
}

// Whether the directory is empty, or can be made: it is when there is something to write, so that
// none is left if a signal ends the program before.
static bool check_directory(struct command *command)
{
    struct error err;
    struct stat about;
    char around[PATH_MAX];
    const char *path = command->output;
    if (!path)
        return command_fail_with(command, STATUS_INPUT,
                                 "%s: --format ctf makes a directory: -o DIRECTORY",
                                 command->session.path);
    if (is_empty(path))
        return true;
    if (stat(path, &about) == 0 || errno == ENOTDIR)
        return command_fail_with(command, STATUS_INPUT,
                                 "%s: already exists and is not an empty directory", path);
    snprintf(around, sizeof around, "%s", path);
    if (access(dirname(around), W_OK | X_OK) == 0)
        return true;
    error_set_errno(&err, path, "make the directory");
    return command_fail(command, &err);
}

static bool ctf_state(void *self, uint64_t from, uint64_t until, const char *name)
{
    return ctf_span(self, from, until, name);
}

bool export_ctf(struct command *command)
{
    struct ctf ctf;
    if (!command_ensure_open(command) || !check_directory(command))
        return false;
    ctf_init(&ctf, command->output, &command->session.names);
    const struct call_sink sink = ctf_sink(&ctf);
    const struct state_sink states = {&ctf, sink.lane, ctf_state};
    bool is_whole = export_stream(command, &sink) && export_states(command, &states);
    bool is_written = ctf_end(&ctf, is_whole);
    if (is_written)
        return command_end(command);
    return is_whole &&
           (ctf.lacks_memory ? command_no_memory(command) : command_fail(command, &ctf.failure));
}

// --- Tables of events, registers and memory ------------------------------------------------------

// Tables of events, registers and memory, as the trace is read.

static bool write_table(struct command *command, enum event_table_kind kind,
                        const struct image_places *images)
{
    const struct session *session = &command->session;
    size_t column_count;
    const struct table_column *columns = event_table_columns(kind, images, &column_count);
    const struct event_table_options options = {kind,
                                                session->filter.range,
                                                session->filter.lane,
                                                session->trace->kind->registers,
                                                trace_arch(session->trace->kind),
                                                &command->session.names,
                                                images};
    if (!command_table(command, columns, column_count))
        return false;
    struct event_table *rows = event_table_new(&options, &command->table);
    if (!rows)
        return command_no_memory(command);
    struct pass_request request = session_calls(&command->session, NULL, NULL);
    request.options.range = CALL_RANGE_ALL;
    request.options.segments = event_table_consumer(rows);
    bool is_done = command_request(command, &request);
    if (is_done && rows->late_count)
        diag_warning(&command->diag,
                     "%s: %" PRIu64 " instruction%s joined an event of %d events before: the rows "
                     "of these events do not include them",
                     session->path, rows->late_count, plural(rows->late_count),
                     EVENT_TABLE_SEGMENT_EVENTS);
    is_done = is_done && command_require_shown(command, rows->has_rows);
    event_table_free(rows);
    return is_done;
}

bool export_event_table(struct command *command, enum event_table_kind kind)
{
    const struct trace *trace;
    struct image_places images;
    if (!command_ensure_open(command))
        return false;
    // The kind of trace must have events line by line, from which these tables are made; kinds that
    // cut their own segments pass no state from one to the next.
    trace = command->session.trace;
    if (!trace_can(trace, TRACE_INSTRUCTIONS | TRACE_CHUNKS) || !trace->kind->registers) {
        command_fail_with(command, STATUS_INPUT, "%s: is %s, which has only --table calls",
                          command->session.path, trace->kind->words.a);
        command->status = EXIT_STATUS_USAGE;
        return false;
    }
    if (command->table_format != TABLE_PARQUET)
        return write_table(command, kind, NULL);
    bool is_done = image_places_init(&images, &command->session.names.images)
                       ? write_table(command, kind, &images)
                       : command_no_memory(command);
    image_places_free(&images);
    return is_done;
}
