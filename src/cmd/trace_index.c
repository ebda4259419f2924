#include "cmd/trace_index.h"

#include "analysis/index_view.h"
#include "cli/visible.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

struct use {
    struct trace_command *command;
    struct trace *trace;
    const struct trace_request *request;
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
    if (use->file.stranger) {
        index_file_describe_stranger(&use->file, text, sizeof text);
        put_line(use, "", text, "");
    }
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

// Has passes read the index in hand. STATUS_INPUT: it is damaged.
static enum status adopt(struct use *use, struct error *err)
{
    struct trace *trace = use->trace;
    enum status status = STATUS_OK;
    if (trace->kind->read_index)
        status = trace->kind->read_index(trace, use->file.index, err);
    if (status == STATUS_OK && trace->kind->check_index)
        status = trace->kind->check_index(trace, use->file.index, err);
    if (status != STATUS_OK)
        return status;
    trace->index = use->file.index;
    use->file.index = NULL;
    return STATUS_OK;
}

// Has them read the trace again.
static enum trace_index_outcome forsake(struct use *use, enum status status)
{
    if (status == STATUS_INPUT)
        use->file.fit = INDEX_DAMAGED;
    pass_result_free(&use->command->result);
    trace_forget_index(use->trace);
    return TRACE_INDEX_UNUSED;
}

// Runs the request over the index. UNUSED: it turned out not to be usable, and nothing was said.
static enum trace_index_outcome replay(struct use *use, bool is_silent)
{
    struct trace_command *command = use->command;
    const struct trace_request *request = use->request;
    struct pass_observer observer = {0};
    struct error err;
    if (!trace_can(use->trace, TRACE_CALLS)) // it is all there is to know
        return TRACE_INDEX_USED;
    if (!is_silent)
        observer = trace_command_observer(command);
    if (command->reading == READING_RIGHT && !command->verbose)
        observer.note = NULL; // which would say nothing, and so may be missing
    enum status result = adopt(use, &err);
    if (result == STATUS_OK)
        result = request->run(request->self, use->trace, &request->options, &observer,
                              &command->result, &err);
    if (result == STATUS_OK && !index_view_is_intact(use->trace->index)) {
        error_set(&err, STATUS_INPUT, "%s: was changed while it was read", use->file.path);
        return fail(use, &err);
    }
    if (result == STATUS_INPUT || result == STATUS_LIMIT)
        return forsake(use, result);
    command->is_replayed = true;
    if (result != STATUS_OK)
        error_set(&err, result, "%s: no memory for the report", use->file.path);
    else if (!is_silent)
        command->has_fatal_fault |= !trace_command_tell_damage(command);
    command->is_told |= is_silent;
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

static void print_size(const struct use *use)
{
    struct trawl_info info;
    if (!use->command->verbose || use->command->reading != READING_RIGHT || !use->file.index)
        return;
    trawl_info(use->file.index, &info);
    fprintf(use->command->diag.out,
            "trawl: index file %s: %" PRIu64 " bytes, %.3f of the trace, %" PRIu64
            " segment%s, %.2f bytes an event\n",
            use->file.path, info.index_bytes,
            (double)info.index_bytes / ((double)info.trace_bytes + 1e-9), info.segments,
            plural(info.segments), (double)info.index_bytes / ((double)info.events + 1e-9));
}

// Behind a build: the report from it, for those who want one.
static enum trace_index_outcome report_from_it(struct use *use)
{
    struct error err;
    if (use->command->verbose && use->command->reading == READING_RIGHT)
        trace_command_print_stages(use->command);
    pass_result_free(&use->command->result);
    if (use->file.index) {
        enum trace_index_outcome outcome = replay(use, true);
        if (outcome != TRACE_INDEX_UNUSED)
            return outcome;
    }
    error_set(&err, STATUS_INPUT, "%s: cannot be read back", use->file.path);
    return fail(use, &err);
}

static uint32_t segment_events_of(const struct trace_command *command)
{
    const struct trace_kind *kind = command->opened->kind;
    if (command->segment_events)
        return command->segment_events;
    return kind->segment_events ? kind->segment_events(command->opened) : SEGMENT_EVENTS_DEFAULT;
}

struct indexing_options trace_index_plan(const struct trace_command *command, const char *path,
                                         const struct fingerprint *fingerprint, bool stays)
{
    return (struct indexing_options){
        .path = path,
        .trace = command->trace,
        .fingerprint = fingerprint,
        .io = command->io,
        .segment_events = segment_events_of(command),
        .sync = stays && command->sync_index,
    };
}

// How to build it; false: it must not be, and that is told.
static bool plan(struct use *use, struct indexing_options *how)
{
    struct trace_command *command = use->command;
    struct error err;
    const struct trace_kind *kind = use->trace->kind;
    const char *lacking = kind->lacks_index ? kind->lacks_index(use->trace) : NULL;
    trawl_close(use->file.index);
    use->file.index = NULL;
    if (index_file_is_foreign(&use->file)) {
        index_file_refuse(&use->file, &err);
    } else if (lacking) {
        error_set(&err, STATUS_INPUT, "%s: %s", command->trace, lacking);
    } else {
        *how = trace_index_plan(command, use->file.path, &use->fingerprint, true);
        return true;
    }
    fail(use, &err);
    return false;
}

static enum trace_index_outcome build(struct use *use)
{
    struct trace_command *command = use->command;
    struct indexing_options how;
    struct error err;
    if (!plan(use, &how) || !trace_command_run(command, use->request, &how, use->status))
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
    const struct pass_observer silent = {0};
    if (!plan(use, &how))
        return TRACE_INDEX_ENDS;
    enum status status = indexing_run(use->trace, &use->request->options, &silent, &how,
                                      &use->command->result, &err);
    pass_result_free(&use->command->result);
    source_rewind(use->trace->source);
    return status == STATUS_OK ? TRACE_INDEX_UNUSED : fail(use, &err);
}

// --- The decision --------------------------------------------------------------------------------

static struct index_wish wish_of(const struct trace_command *command)
{
    return (struct index_wish){
        .use = command->index_use,
        .is_named = command->index_path != NULL,
        .is_in_memory = command->memory_index,
        .is_indexing = command->is_indexing,
        .needs_trace = command->reads_twice,
    };
}

static const char *next_step(enum index_fit fit)
{
    return fit == INDEX_FITS      ? "not rebuilding it"
           : fit == INDEX_MISSING ? "building it"
                                  : "rebuilding it";
}

// What follows is said where the user asked for an index by name, or for nothing.
static enum trace_index_outcome build_it(struct use *use)
{
    enum index_use wanted = use->command->index_use;
    bool is_plain = wanted == INDEX_AS_NEEDED || use->command->is_indexing;
    if (is_plain && wanted != INDEX_FORCE)
        say(use, next_step(use->file.fit));
    return build(use);
}

static enum trace_index_outcome read_it(struct use *use)
{
    bool may_build = use->command->index_path || use->command->is_indexing;
    say(use, may_build ? next_step(use->file.fit) : "using it");
    return use->command->debug_calls ? TRACE_INDEX_UNUSED // which tells of the pass
                                     : replay(use, false);
}

static enum trace_index_outcome read_trace(struct use *use)
{
    const struct trace_command *command = use->command;
    if (command->reads_twice && command->index_path && command->index_use == INDEX_AS_NEEDED)
        say(use, next_step(use->file.fit));
    else if (!command->reads_twice && use->file.fit != INDEX_MISSING)
        say(use, "not using it");
    return TRACE_INDEX_UNUSED;
}

static enum trace_index_outcome decide(struct use *use)
{
    const struct index_wish wish = wish_of(use->command);
    enum trace_index_outcome outcome;
    switch (index_choose(&wish, use->file.fit)) {
    case INDEX_READ_AS_IT_IS:
        return use_as_it_is(use);
    case INDEX_BUILD_IT:
        return build_it(use);
    case INDEX_BUILD_AND_FORGET:
        if (wish.is_named && wish.use == INDEX_AS_NEEDED)
            say(use, next_step(use->file.fit));
        return build_beside(use);
    case INDEX_READ_IT:
        outcome = read_it(use);
        // It may have turned out to be damaged, which is another case.
        return outcome != TRACE_INDEX_UNUSED || use->file.fit == INDEX_FITS ? outcome : decide(use);
    case INDEX_READ_TRACE:
        break;
    }
    return read_trace(use);
}

static enum trace_index_outcome go_without(struct trace_command *command)
{
    if (command->index_use == INDEX_NO_BUILD)
        note(command, "Ignoring --no-index since index is in memory");
    if (command->index_path)
        note(command, "Ignoring index file name since index is in memory");
    return TRACE_INDEX_UNUSED;
}

struct index_wanted trace_index_wanted(const struct trace_command *command,
                                       const struct fingerprint *fingerprint, bool by_memory)
{
    const struct trace *trace = command->opened;
    const struct pass_options options = trace_command_pass_options(command, NULL, NULL);
    struct index_wanted wanted = {.trace = command->trace, .fingerprint = fingerprint};
    if (trace) // else its index is all there is
        wanted.options = trace->kind->identity(trace, &options, by_memory, &wanted.options_mask);
    return wanted;
}

enum trace_index_outcome trace_index_use(struct trace_command *command,
                                         const struct trace_request *request,
                                         enum exit_status *status)
{
    struct error err;
    struct trace *trace = command->opened;
    struct use use = {.command = command, .trace = trace, .request = request, .status = status};
    bool is_asked = is_asked_for(command);
    int fd = source_fd(trace->source);
    if (!is_asked && !trace_can(trace, TRACE_REPLAYS)) // it is read faster than its index
        return TRACE_INDEX_UNUSED;
    if (command->memory_index)
        return go_without(command);
    if (fd < 0) {
        if (!is_asked)
            return TRACE_INDEX_UNUSED;
        error_set(&err, STATUS_INPUT, "%s: is no file, so it cannot have an index", command->trace);
        return fail(&use, &err);
    }
    if (fingerprint_take(&use.fingerprint, fd, command->trace, &err) != STATUS_OK)
        return is_asked ? fail(&use, &err) : TRACE_INDEX_UNUSED;
    // Reports do not look at memory, but what they build is for those that do.
    use.wanted = trace_index_wanted(command, &use.fingerprint, is_asked);
    enum trace_index_outcome outcome;
    if (index_file_find(&use.file, command->index_path, &use.wanted, &err) != STATUS_OK)
        outcome = fail(&use, &err);
    else
        outcome = decide(&use);
    index_file_free(&use.file);
    return outcome;
}

enum status trace_index_find(const struct trace_command *command, struct index_file *file,
                             struct error *err)
{
    struct fingerprint fingerprint;
    int fd = source_fd(command->opened->source);
    *file = (struct index_file){0};
    if (command->memory_index || fd < 0)
        return error_set(err, STATUS_NOT_FOUND, "%s: has no index", command->trace);
    enum status status = fingerprint_take(&fingerprint, fd, command->trace, err);
    if (status != STATUS_OK)
        return status;
    const struct index_wanted wanted = trace_index_wanted(command, &fingerprint, false);
    return index_file_find(file, command->index_path, &wanted, err);
}
