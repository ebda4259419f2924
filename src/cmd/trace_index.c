#include "cmd/trace_index.h"

#include "analysis/index_file.h"
#include "analysis/replay.h"
#include "cli/visible.h"
#include "cmd/tfile_trace.h"
#include "cmd/xray_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

struct use {
    struct trace_command *command;
    struct source *source;
    const struct pipeline_options *options;
    enum exit_status *status;
    struct fingerprint fingerprint;
    struct index_wanted wanted;
    struct index_file file;
};

static enum trace_index_outcome fail(struct use *use, const struct error *err)
{
    *use->status = trace_command_error(use->command, err);
    return TRACE_INDEX_ENDS;
}

// --- What is said --------------------------------------------------------------------------------

// Whether the user asked for an index by some option.
static bool is_asked_for(const struct trace_command *command)
{
    return command->index_path || command->index_use != INDEX_AS_NEEDED || command->is_indexing;
}

static bool is_talkative(const struct trace_command *command)
{
    if (command->reading == READING_RIGHT)
        return command->verbose;
    return is_asked_for(command) &&
           (command->verbose || (!command->quiet && isatty(STDOUT_FILENO)));
}

// A line about a file; its name is shown as it is under the tarmac-* names.
static void put_line(const struct use *use, const char *start, const char *name, const char *end)
{
    FILE *out = use->command->diag.out;
    bool is_ttu = use->command->reading == READING_TTU;
    fprintf(out, "%s%s", is_ttu ? "" : "trawl: ", start);
    (is_ttu ? visible_on_terminal : visible_text)(out, name, strlen(name));
    fprintf(out, "%s\n", end);
}

static void say(const struct use *use, const char *what_follows)
{
    char text[480], end[64];
    // Of a stranger, nothing follows but the refusal to replace it.
    if (!is_talkative(use->command) || use->file.fit == INDEX_STRANGE)
        return;
    if (use->file.stranger)
        put_line(use, "index file ", use->file.stranger,
                 " was not written by trawl; leaving it alone");
    index_file_describe(&use->file, use->command->trace, text, sizeof text);
    snprintf(end, sizeof end, "; %s", what_follows);
    put_line(use, "", text, end);
}

static void note(struct trace_command *command, const char *text)
{
    if (command->reading == READING_TTU)
        visible_on_terminal(stderr, text, strlen(text)), fputc('\n', stderr);
    else
        diag_warning(&command->diag, "%s", text);
}

// --- Reading it ----------------------------------------------------------------------------------

// Has the pass over an XRay log, which is still to come, read the index. It must not end in the
// midst of the index, so all of that is looked at before.
static enum trace_index_outcome replay_log(struct use *use, bool is_silent)
{
    struct error err;
    enum status status = xray_trace_read_index(use->command, use->file.index, is_silent, &err);
    if (status == STATUS_INPUT) {
        use->file.fit = INDEX_DAMAGED;
        return TRACE_INDEX_UNUSED;
    }
    if (status != STATUS_OK)
        return fail(use, &err);
    use->file.index = NULL;
    return TRACE_INDEX_USED;
}

// Fills the result from the index. UNUSED: it turned out not to be usable, and nothing was said.
static enum trace_index_outcome replay(struct use *use, bool is_silent)
{
    struct trace_command *command = use->command;
    struct error err;
    struct pipeline_observer observer = {0};
    if (command->tfile) // it is all there is to know
        return TRACE_INDEX_USED;
    if (command->xray)
        return replay_log(use, is_silent);
    if (!is_silent)
        observer = trace_command_observer(command);
    if (command->reading == READING_RIGHT && !command->verbose)
        observer.note = NULL; // which would say nothing, and so may be missing
    enum status result =
        replay_run(use->file.index, use->options, &observer, &command->result, &err);
    if (result == STATUS_INPUT)
        use->file.fit = INDEX_DAMAGED;
    if (result == STATUS_INPUT || result == STATUS_LIMIT)
        return TRACE_INDEX_UNUSED;
    command->is_replayed = true;
    if (result != STATUS_OK)
        error_set(&err, result, "%s: no memory for the report", use->file.path);
    return trace_command_judge(command, result, &err, use->status) ? TRACE_INDEX_USED
                                                                   : TRACE_INDEX_ENDS;
}

// --no-index: from what is there, whatever it was made of.
static enum trace_index_outcome use_as_it_is(struct use *use)
{
    struct error err;
    struct trawl_error failure;
    char text[480];
    if (use->command->is_indexing && use->file.fit != INDEX_FITS) {
        index_file_describe(&use->file, use->command->trace, text, sizeof text);
        error_set(&err, STATUS_INPUT, "%s", text);
        return fail(use, &err);
    }
    if (use->file.fit == INDEX_STRANGE) {
        error_set(&err, STATUS_INPUT, "%s: magic number did not match", use->file.path);
        return fail(use, &err);
    }
    if (!use->file.index && trawl_open(&use->file.index, use->file.path, &failure) != TRAWL_OK) {
        error_set(&err, (enum status)failure.status, "%s", failure.text);
        return fail(use, &err);
    }
    enum trace_index_outcome outcome = replay(use, false);
    if (outcome != TRACE_INDEX_UNUSED)
        return outcome;
    error_set(&err, STATUS_INPUT, "%s: damaged", use->file.path);
    return fail(use, &err);
}

// --- Building it ---------------------------------------------------------------------------------

static bool find_io(enum file_writer_io *io, struct error *err)
{
    const char *name = getenv("TRAWL_IO");
    *io = FILE_WRITER_AUTO;
    if (!name || !*name)
        return true;
    *io = strcmp(name, "uring") == 0 ? FILE_WRITER_URING : FILE_WRITER_PWRITE;
    if (*io == FILE_WRITER_URING || strcmp(name, "pwrite") == 0)
        return true;
    error_set(err, STATUS_INPUT, "TRAWL_IO: '%s': expected uring or pwrite", name);
    return false;
}

static void print_size(const struct use *use)
{
    struct trawl_info info;
    if (!use->command->verbose || use->command->reading != READING_RIGHT || !use->file.index)
        return;
    trawl_info(use->file.index, &info);
    fprintf(use->command->diag.out,
            "trawl: index file %s: %" PRIu64 " bytes, %.3f of the trace, %" PRIu64
            " segments, %.2f bytes an event\n",
            use->file.path, info.index_bytes,
            (double)info.index_bytes / ((double)info.trace_bytes + 1e-9), info.segments,
            (double)info.index_bytes / ((double)info.events + 1e-9));
}

// Behind a build: the report from it, for those who want one.
static enum trace_index_outcome report_from_it(struct use *use)
{
    struct error err;
    if (use->command->verbose && use->command->reading == READING_RIGHT)
        trace_command_print_stages(use->command);
    pipeline_result_free(&use->command->result);
    if (use->file.index) {
        enum trace_index_outcome outcome = replay(use, true);
        if (outcome != TRACE_INDEX_UNUSED)
            return outcome;
    }
    error_set(&err, STATUS_INPUT, "%s: cannot be read back", use->file.path);
    return fail(use, &err);
}

// How to build it; false: it must not be, and that is told.
static bool plan(struct use *use, struct indexing_options *how)
{
    struct trace_command *command = use->command;
    struct error err;
    *how = (struct indexing_options){
        .path = use->file.path,
        .trace = command->trace,
        .fingerprint = &use->fingerprint,
        .segment_events =
            command->segment_events ? command->segment_events : SEGMENT_EVENTS_DEFAULT,
        .sync = command->sync_index,
        .xray = xray_trace_begin_pass(command, NULL),
        .tfile = tfile_trace_begin_pass(command),
    };
    if (how->tfile && !command->segment_events)
        how->segment_events = tfile_pass_segment_events(how->tfile->file);
    trawl_close(use->file.index);
    use->file.index = NULL;
    if (use->file.fit == INDEX_STRANGE)
        error_set(&err, STATUS_INPUT, "%s: was not written by trawl, so it is not replaced",
                  use->file.path);
    else if (find_io(&how->io, &err))
        return true;
    fail(use, &err);
    return false;
}

static enum trace_index_outcome build(struct use *use)
{
    struct trace_command *command = use->command;
    struct indexing_options how;
    struct error err;
    if (!plan(use, &how) ||
        !(command->xray ? xray_trace_build_index(command, &how, use->status)
          : command->tfile
              ? tfile_trace_build_index(command, &how, use->status)
              : trace_command_run(command, use->source, use->options, &how, use->status)))
        return TRACE_INDEX_ENDS;
    if (index_file_judge(&use->file, &use->wanted, &err) != STATUS_OK)
        return fail(use, &err);
    print_size(use);
    if (command->is_indexing)
        return TRACE_INDEX_USED;
    if (command->index_use != INDEX_ONLY)
        return report_from_it(use);
    *use->status = trace_command_sum_up(command);
    return TRACE_INDEX_ENDS;
}

// For a report that needs the trace itself: what there is to say of that, it says then.
static enum trace_index_outcome build_beside(struct use *use)
{
    struct indexing_options how;
    struct error err;
    const struct pipeline_observer silent = {0};
    if (!plan(use, &how))
        return TRACE_INDEX_ENDS;
    enum status status =
        indexing_run(use->source, use->options, &silent, &how, &use->command->result, &err);
    pipeline_result_free(&use->command->result);
    source_rewind(use->source);
    return status == STATUS_OK ? TRACE_INDEX_UNUSED : fail(use, &err);
}

// --- The decision --------------------------------------------------------------------------------

static bool must_build(const struct trace_command *command)
{
    return command->index_use == INDEX_FORCE ||
           (command->index_use == INDEX_ONLY && !command->is_indexing);
}

static const char *next_step(enum index_fit fit)
{
    return fit == INDEX_FITS      ? "not rebuilding it"
           : fit == INDEX_MISSING ? "building it"
                                  : "rebuilding it";
}

static enum trace_index_outcome decide_for_trace(struct use *use)
{
    const struct trace_command *command = use->command;
    if (command->index_use == INDEX_ONLY)
        return build(use);
    if (command->index_use == INDEX_AS_NEEDED && command->index_path) {
        say(use, next_step(use->file.fit));
        return use->file.fit == INDEX_FITS ? TRACE_INDEX_UNUSED : build_beside(use);
    }
    return must_build(command) ? build_beside(use) : TRACE_INDEX_UNUSED;
}

static enum trace_index_outcome decide(struct use *use)
{
    struct trace_command *command = use->command;
    bool may_build = command->index_path || command->is_indexing;
    if (command->reads_twice)
        return decide_for_trace(use);
    if (command->index_use == INDEX_NO_BUILD)
        return use_as_it_is(use);
    if (must_build(command))
        return build(use);
    if (use->file.fit == INDEX_FITS) {
        say(use, may_build ? next_step(use->file.fit) : "using it");
        if (command->debug_calls) // which tells of the pass
            return TRACE_INDEX_UNUSED;
        enum trace_index_outcome outcome = replay(use, false);
        if (outcome != TRACE_INDEX_UNUSED || use->file.fit == INDEX_FITS)
            return outcome;
    }
    if (may_build) {
        say(use, next_step(use->file.fit));
        return build(use);
    }
    if (use->file.fit != INDEX_MISSING)
        say(use, "not using it");
    return TRACE_INDEX_UNUSED;
}

static enum trace_index_outcome go_without(struct trace_command *command)
{
    if (command->index_use == INDEX_NO_BUILD)
        note(command, "Ignoring --no-index since index is in memory");
    if (command->index_path)
        note(command, "Ignoring index file name since index is in memory");
    return TRACE_INDEX_UNUSED;
}

static uint64_t wanted_options(const struct use *use, uint64_t *mask)
{
    const struct pipeline_options *options = use->options;
    if (use->command->xray) {
        *mask = TRAWL_DEDUCES_CALLS;
        return use->command->deduce_siblings ? TRAWL_DEDUCES_CALLS : 0;
    }
    if (use->command->tfile) {
        *mask = TRAWL_BIG_ENDIAN;
        return use->command->tfile->file.is_big_endian ? TRAWL_BIG_ENDIAN : 0;
    }
    *mask = TRAWL_READ_AS_TTU | TRAWL_IMPLICIT_THUMB;
    // Reports do not look at memory, but what they build is for those that do.
    if (is_asked_for(use->command))
        *mask |= TRAWL_BIG_ENDIAN;
    return (options->tarmac.reading == READING_TTU ? TRAWL_READ_AS_TTU : 0u) |
           (options->tarmac.implicit_thumb ? TRAWL_IMPLICIT_THUMB : 0u) |
           (options->big_endian ? TRAWL_BIG_ENDIAN : 0u);
}

enum trace_index_outcome trace_index_use(struct trace_command *command, struct source *source,
                                         const struct pipeline_options *options,
                                         enum exit_status *status)
{
    struct error err;
    struct use use = {.command = command, .source = source, .options = options, .status = status};
    bool is_asked = is_asked_for(command);
    if (command->xray && !is_asked) // which is read faster than its index
        return TRACE_INDEX_UNUSED;
    if (command->memory_index)
        return go_without(command);
    if (source_fd(source) < 0) {
        if (!is_asked)
            return TRACE_INDEX_UNUSED;
        error_set(&err, STATUS_INPUT, "%s: is no file, so it cannot have an index", command->trace);
        return fail(&use, &err);
    }
    if (fingerprint_take(&use.fingerprint, source_fd(source), command->trace, &err) != STATUS_OK)
        return is_asked ? fail(&use, &err) : TRACE_INDEX_UNUSED;
    use.wanted.trace = command->trace;
    use.wanted.fingerprint = &use.fingerprint;
    use.wanted.options = wanted_options(&use, &use.wanted.options_mask);
    enum trace_index_outcome outcome;
    if (index_file_find(&use.file, command->index_path, &use.wanted, &err) != STATUS_OK)
        outcome = fail(&use, &err);
    else
        outcome = decide(&use);
    index_file_free(&use.file);
    return outcome;
}
