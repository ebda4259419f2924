#include "cmd/xray_trace.h"

#include "analysis/xray_contexts.h"
#include "analysis/xray_profile.h"
#include "analysis/xray_section.h"
#include "cmd/trace_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

// What building an index reads: calls are measured, rows are filled, calls are listed.
enum { INDEX_PASSES = 3 };

// --- Opening -------------------------------------------------------------------------------------

static enum status open_log(struct trace_command *command, struct error *err)
{
    struct xray_trace *xray = command->xray;
    struct source *source = command->source;
    struct error cause;
    const char *bytes;
    uint64_t size_bytes;
    enum status status = source_read_all(source, &bytes, &size_bytes, err);
    if (status != STATUS_OK)
        return status;
    status = xray_log_open(&xray->log, bytes, size_bytes, &cause);
    if (status == STATUS_OK)
        return status;
    error_set_at(err, status, cause.offset, "%s: %.400s", command->trace, cause.text);
    err->line = cause.line;
    return status;
}

// Whether the command reads logs, and nothing is asked for that they do not have. False: told.
static bool takes_log(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    if (command->takes_xray || command->is_indexing)
        return true;
    error_set(&err, STATUS_INPUT, "%s: is an XRay log, which 'trawl %s' does not read",
              command->trace, command->spec->name);
    *status = trace_command_error(command, &err);
    return false;
}

static bool begin(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    if (!takes_log(command, status))
        return false;
    command->xray = calloc(1, sizeof *command->xray);
    if (!command->xray)
        error_set(&err, STATUS_MEMORY, "%s: no memory", command->trace);
    else if (open_log(command, &err) == STATUS_OK)
        return true;
    *status = trace_command_error(command, &err);
    return false;
}

bool xray_trace_open(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    uint8_t magic[XRAY_MAGIC_BYTES];
    size_t have;
    if (command->reading == READING_TTU || !command->trace || command->xray || command->source)
        return true;
    enum status opened = source_open(&command->source, command->trace, true, &err);
    if (opened == STATUS_MEMORY) {
        *status = trace_command_error(command, &err);
        return false;
    }
    if (opened != STATUS_OK) // which is reported when it is needed
        return true;
    if (source_peek(command->source, magic, sizeof magic, &have, &err) != STATUS_OK) {
        *status = trace_command_error(command, &err);
        return false;
    }
    return !xray_log_is(magic, have) || begin(command, status);
}

void xray_trace_free(struct trace_command *command)
{
    if (!command->xray)
        return;
    trawl_close(command->xray->index);
    free(command->xray->known);
    xray_pass_free(&command->xray->pass);
    xray_log_close(&command->xray->log);
    free(command->xray);
    command->xray = NULL;
}

// --- The pass ------------------------------------------------------------------------------------

static void show_progress(struct trace_command *command, unsigned passes)
{
    struct xray_trace *xray = command->xray;
    xray_meter_begin(&xray->meter, &command->progress, progress_meter_for(stderr, command->quiet),
                     &xray->log, passes);
}

struct xray_pass *xray_trace_begin_pass(struct trace_command *command,
                                        const struct watch_list *watch)
{
    struct xray_trace *xray = command->xray;
    if (!xray)
        return NULL;
    show_progress(command, 1);
    xray_pass_free(&xray->pass);
    xray->pass = (struct xray_pass){
        .log = &xray->log,
        .deduce = command->deduce_siblings,
        .threads = command->threads,
        .range = command->range,
        .watch = watch ? *watch : (struct watch_list){0},
        .index = xray->index,
        .known = xray->known,
        .damage = xray->known_damage,
    };
    return &xray->pass;
}

// With --strict the first damage ends the run.
static bool tell_damage(struct trace_command *command)
{
    bool goes_on = trace_command_tell_damage(command, &command->xray->pass.damage, xray_fault_text);
    command->has_fatal_fault |= !goes_on;
    return goes_on;
}

static bool end_pass(struct trace_command *command, enum status result, struct error *err,
                     enum exit_status *status)
{
    struct error named;
    if (result == STATUS_OK && !source_is_intact(command->source))
        result = error_set(err, STATUS_INPUT, "the trace was changed while it was read");
    if (result != STATUS_OK)
        error_set(&named, result, "%s: %.400s", command->trace, err->text);
    else if (!command->xray->is_told)
        tell_damage(command);
    return trace_command_judge(command, result, &named, status);
}

// Decides, once, whether the log or its index is read. False: the command ends with *status.
static bool decide(struct trace_command *command, enum exit_status *status)
{
    const struct pipeline_options options = trace_command_pass_options(command, NULL, NULL);
    if (command->xray->is_decided)
        return true;
    command->xray->is_decided = true;
    return trace_index_use(command, command->source, &options, status) != TRACE_INDEX_ENDS;
}

bool xray_trace_pass(struct trace_command *command, const struct call_consumer *consumer,
                     const struct watch_list *watch, enum exit_status *status)
{
    struct error err;
    if (!decide(command, status))
        return false;
    if (command->xray->pass.buffer_events) // the index was built, and that was all
        return true;
    enum status result = xray_pass_run_calls(xray_trace_begin_pass(command, watch), consumer,
                                             &command->result, &err);
    return end_pass(command, result, &err, status);
}

bool xray_trace_contexts(struct trace_command *command, struct context_tree *tree,
                         enum exit_status *status)
{
    struct error err;
    if (!decide(command, status))
        return false;
    enum status result =
        xray_contexts_run(xray_trace_begin_pass(command, NULL), tree, &command->result, &err);
    return end_pass(command, result, &err, status);
}

bool xray_trace_walk(struct trace_command *command, unsigned workers, void *self, xray_walk *walk,
                     enum exit_status *status)
{
    struct error err;
    if (!decide(command, status))
        return false;
    struct xray_pass *pass = xray_trace_begin_pass(command, NULL);
    pass->threads = workers;
    if (isatty(STDOUT_FILENO)) // the walk may write
        progress_end(&command->progress);
    enum status result = xray_pass_run(pass, &command->result, self, walk, &err);
    return end_pass(command, result, &err, status);
}

bool xray_trace_profile(struct trace_command *command, struct profile *profile,
                        enum exit_status *status)
{
    struct error err;
    if (!decide(command, status))
        return false;
    enum status result = xray_profile_run(xray_trace_begin_pass(command, NULL), command->lane,
                                          profile, &command->result, &err);
    return end_pass(command, result, &err, status);
}

// --- The index -----------------------------------------------------------------------------------

enum status xray_trace_read_index(struct trace_command *command, struct trawl_index *index,
                                  bool is_silent, struct error *err)
{
    struct xray_trace *xray = command->xray;
    size_t lanes = xray->log.threads.count;
    xray->known = calloc(lanes + 1, sizeof *xray->known);
    if (!xray->known)
        return error_set(err, STATUS_MEMORY, "%s: no memory", command->trace);
    enum status status = xray_section_read(index, lanes, xray->known, &xray->known_damage, err);
    if (status == STATUS_OK)
        status = xray_section_check_rows(index, err);
    if (status != STATUS_OK)
        return status;
    xray->index = index;
    xray->is_told = is_silent;
    command->is_replayed = true;
    return STATUS_OK;
}

void xray_trace_forget(struct trace_command *command)
{
    struct xray_trace *xray = command->xray;
    trawl_close(xray->index);
    free(xray->known);
    xray->index = NULL;
    xray->known = NULL;
    xray->known_damage = (struct trace_damage){0};
    pipeline_result_free(&command->result);
}

enum status xray_trace_find_index(const struct trace_command *command, struct index_file *file,
                                  struct error *err)
{
    struct fingerprint fingerprint;
    const struct index_wanted wanted = {
        .trace = command->trace,
        .fingerprint = &fingerprint,
        .options = command->deduce_siblings ? TRAWL_DEDUCES_CALLS : 0,
        .options_mask = TRAWL_DEDUCES_CALLS,
    };
    *file = (struct index_file){0};
    if (command->memory_index || source_fd(command->source) < 0)
        return error_set(err, STATUS_NOT_FOUND, "%s: has no index", command->trace);
    enum status status =
        fingerprint_take(&fingerprint, source_fd(command->source), command->trace, err);
    return status == STATUS_OK ? index_file_find(file, command->index_path, &wanted, err) : status;
}

// The index that fits; NULL: there is none, or none is wanted.
static struct trawl_index *take_index(const struct trace_command *command)
{
    struct index_file file = {0};
    struct trawl_index *found = NULL;
    struct error err;
    bool may_read = command->index_use == INDEX_AS_NEEDED || command->index_use == INDEX_NO_BUILD;
    if (may_read && xray_trace_find_index(command, &file, &err) == STATUS_OK &&
        file.fit == INDEX_FITS) {
        found = file.index;
        file.index = NULL;
    }
    index_file_free(&file);
    return found;
}

void xray_trace_recall(struct trace_command *command)
{
    struct xray_trace *xray = command->xray;
    struct error err;
    size_t lanes = xray->log.threads.count;
    xray->index = take_index(command);
    if (!xray->index)
        return;
    xray->known = calloc(lanes + 1, sizeof *xray->known);
    if (!xray->known ||
        xray_section_read(xray->index, lanes, xray->known, &xray->known_damage, &err) !=
            STATUS_OK ||
        xray_pass_recall(xray_trace_begin_pass(command, NULL), &command->result, &err) != STATUS_OK)
        xray_trace_forget(command);
}

bool xray_trace_recalled(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    return end_pass(command, STATUS_OK, &err, status);
}

bool xray_trace_build_index(struct trace_command *command, const struct indexing_options *how,
                            enum exit_status *status)
{
    struct error err;
    const struct pipeline_options options = trace_command_pass_options(command, NULL, NULL);
    const struct pipeline_observer silent = {0};
    if (command->xray->log.made) {
        error_set(&err, STATUS_INPUT,
                  "%s: a log as YAML has no index: its places are not the file's", command->trace);
        *status = trace_command_error(command, &err);
        return false;
    }
    show_progress(command, INDEX_PASSES);
    enum status result =
        indexing_run(command->source, &options, &silent, how, &command->result, &err);
    if (result == STATUS_OK)
        tell_damage(command);
    return trace_command_judge(command, result, &err, status);
}

// --- What is said --------------------------------------------------------------------------------

static void print_figures(struct trace_command *command)
{
    const struct xray_trace *xray = command->xray;
    const struct pipeline_result *result = &command->result;
    FILE *out = command->diag.out;
    uint64_t events = 0;
    for (size_t i = 0; i < result->lane_count; i++)
        events += result->lanes[i].events;
    fprintf(out,
            "trawl: %" PRIu64 " bytes, %" PRIu64 " function records in %" PRIu64
            " buffers of %zu threads in %.3f s (%.0f MB/s), %u threads\n",
            result->bytes, events, result->chunks, result->lane_count,
            (double)result->wall_ns / 1e9,
            (double)result->bytes / 1e6 / ((double)result->wall_ns / 1e9 + 1e-9), command->threads);
    for (size_t i = 0; i < result->lane_count; i++) {
        const struct xray_lane_counts *counts = &xray->pass.counts[i];
        fprintf(out,
                "trawl: %s: %" PRIu64 " function records, %" PRIu64
                " calls returned; unmatched: %" PRIu64 " exits, %" PRIu64 " entries\n",
                result->lanes[i].name, result->lanes[i].events, counts->calls,
                counts->unmatched_exits, counts->unmatched_entries);
    }
    if (xray->log.duplicate_buffers)
        fprintf(out, "trawl: %" PRIu64 " buffers stand in the log twice\n",
                xray->log.duplicate_buffers);
}

void xray_trace_sum_up(struct trace_command *command)
{
    const struct xray_pass *pass = &command->xray->pass;
    const struct xray_lane_counts *sums = &pass->counts[command->result.lane_count];
    if (command->verbose)
        print_figures(command);
    if (sums->unmatched_exits)
        diag_warning(&command->diag,
                     "%s: %" PRIu64 " exits close no call: their entries are not in the log%s",
                     command->trace, sums->unmatched_exits,
                     pass->deduce ? ""
                                  : ", or calls inside of them have no exit "
                                    "(--deduce-sibling-calls)");
    if (sums->falling_times)
        diag_warning(&command->diag,
                     "%s: the time of %" PRIu64
                     " function records lies before that of earlier ones, "
                     "for which they count",
                     command->trace, sums->falling_times);
}

void xray_table_id(struct table *table, uint64_t pc)
{
    if (pc == XRAY_ROOT_PC)
        table_none(table);
    else
        table_u64(table, xray_function_of(pc));
}
