#include "cmd/xray/command.h"

#include "base/large_pages.h"
#include "cli/options.h"
#include "cli/values.h"
#include "cmd/commands.h"
#include "cmd/report_damage.h"
#include "cmd/system.h"
#include "session/memory_plan.h"
#include "trace/unknown_format.h"
#include "trace/xray/log_open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHANGED "%s: was changed while it was read"

void xray_hidden_init(struct xray_hidden *hidden)
{
    *hidden = (struct xray_hidden){0};
    pthread_mutex_init(&hidden->lock, NULL);
}

void xray_hidden_free(struct xray_hidden *hidden)
{
    hidden_names_free(&hidden->names);
    pthread_mutex_destroy(&hidden->lock);
}

struct question {
    const char *name, *number;
};

static bool is_meant(void *self, struct hidden_name *hidden)
{
    const struct question *question = self;
    return hidden_name_is(hidden, question->name) || strcmp(hidden->pattern, question->number) == 0;
}

static bool hides(void *self, uint32_t function)
{
    struct xray_hidden *hidden = self;
    char number[16];
    snprintf(number, sizeof number, "#%" PRIu32, function);
    pthread_mutex_lock(&hidden->lock);
    struct question question = {xray_name(hidden->functions, function), number};
    bool is_hidden = hidden_names_have(&hidden->names, &question, is_meant);
    pthread_mutex_unlock(&hidden->lock);
    return is_hidden;
}

const struct xray_hider *xray_hidden_hider(struct xray_hidden *hidden, struct xray_names *names)
{
    hidden->functions = names;
    hidden->hider = (struct xray_hider){hidden, hides};
    return hidden->names.items.count ? &hidden->hider : NULL;
}

const struct option_spec xray_log_options[] = {
    {XRAY_OPTION_MAP, 'm', "instr-map,instr_map,image", "FILE",
     "the program that wrote the log, or its instrumentation map as YAML: names functions; may be "
     "given again for instrumented shared objects, as FILE or NUMBER=FILE"},
    {XRAY_OPTION_KEEP_GOING, 'k', "keep-going,keep_going", NULL,
     "accepted for compatibility: exits without entries are always counted and left out"},
    {XRAY_OPTION_OUTPUT, 'o', "output", "FILE", "write to FILE (default: standard output)"},
    {XRAY_OPTION_THREADS, 0, "threads", "N", "worker threads (default: one for each processor)"},
    {XRAY_OPTION_MAX_MEMORY, 0, "max-memory", "SIZE", MEMORY_OPTION_TEXT},
    {0},
};

const struct option_spec xray_hide_options[] = {
    {XRAY_OPTION_HIDE, 0, "hide", "FUNCTION",
     "leave out calls of this function, with all that they call and their time: its name, a "
     "pattern (*), or #ID; may be given several times"},
    {0},
};

const struct option_spec xray_join_options[] = {
    {XRAY_OPTION_JOIN, 0, "join", NULL,
     "make one log of all, as --with of other commands does: the two threads that the logs show "
     "for the thread of a forked child are one, so the exits in the second have their entries"},
    {0},
};

const struct positional_spec xray_log_positional[] = {
    {"LOG", "XRay log (flight data recorder, basic or YAML)", NULL, false, false},
    {0},
};

const struct positional_spec xray_logs_positional[] = {
    {"LOG", "XRay log (flight data recorder, basic or YAML); several are added up", NULL, false,
     true},
    {0},
};

void xray_command_begin(struct xray_command *command, const struct command_spec *spec)
{
    *command = (struct xray_command){
        .spec = spec, .threads = processor_count(), .status = EXIT_STATUS_FAILED};
    diag_begin(&command->diag, stderr, &command->progress);
    xray_hidden_init(&command->hidden);
}

void xray_command_free(struct xray_command *command)
{
    xray_input_free(&command->input);
    for (size_t i = 0; i < command->others.count; i++)
        xray_input_free(&command->others.items[i]);
    free(command->others.items);
    free(command->maps.items);
    xray_hidden_free(&command->hidden);
}

// --- Options -------------------------------------------------------------------------------------

int xray_map_option(struct options_parser *parser, const struct option_match *match,
                    struct xray_maps *maps)
{
    if (!VEC_ROOM(maps, 1))
        return options_no_memory(parser);
    maps->items[maps->count++] = match->value;
    return OPTION_END;
}

int xray_command_add_log(struct xray_command *command, struct options_parser *parser,
                         const char *path)
{
    if (!VEC_ROOM(&command->others, 1))
        return options_no_memory(parser);
    command->others.items[command->others.count++] = (struct xray_input){.path = path};
    return OPTION_END;
}

int xray_command_option(struct xray_command *command, struct options_parser *parser, int option,
                        const struct option_match *match)
{
    uint64_t number;
    switch (option) {
    case OPTION_POSITIONAL:
        if (command->input.path)
            return xray_command_add_log(command, parser, match->value);
        command->input.path = match->value;
        return OPTION_END;
    case XRAY_OPTION_MAP:
        return xray_map_option(parser, match, &command->maps);
    case XRAY_OPTION_JOIN:
        command->joins = true;
        return OPTION_END;
    case XRAY_OPTION_OUTPUT:
        command->output = strcmp(match->value, "-") == 0 ? NULL : match->value;
        return OPTION_END;
    case XRAY_OPTION_THREADS:
        if (!parse_u64_within(match->value, 1, LIMIT_THREADS, &number))
            return options_bad_value(parser, match, "a number from 1 to 256");
        command->threads = (unsigned)number;
        return OPTION_END;
    case XRAY_OPTION_MAX_MEMORY:
        return memory_option_take(parser, match, &command->diag);
    case XRAY_OPTION_HIDE:
        return hidden_names_add(&command->hidden.names, match->value) ? OPTION_END
                                                                      : options_no_memory(parser);
    default:
        return OPTION_END;
    }
}

bool xray_command_options(struct xray_command *command, struct options_parser *parser, int argc,
                          char *const *argv, void *self,
                          int (*take)(void *self, struct options_parser *parser, int option,
                                      const struct option_match *match))
{
    struct option_match match;
    options_begin(parser, command->spec, argc, argv);
    for (;;) {
        int option = options_next(parser, &match);
        if (option == OPTION_END)
            return true;
        bool is_own =
            option >= XRAY_OPTION_OWN || (option == OPTION_POSITIONAL && match.positional);
        if (option != OPTION_STOP)
            option = is_own && take ? take(self, parser, option, &match)
                                    : xray_command_option(command, parser, option, &match);
        if (option == OPTION_STOP)
            return false;
    }
}

enum exit_status xray_command_run(struct xray_command *command, const struct command_spec *spec,
                                  int argc, char *const *argv, void *self,
                                  int (*take)(void *self, struct options_parser *parser, int option,
                                              const struct option_match *match),
                                  bool (*report)(void *self))
{
    struct options_parser parser;
    xray_command_begin(command, spec);
    if (xray_command_options(command, &parser, argc, argv, self, take))
        xray_command_end(command, report(self));
    else
        command->status = parser.status;
    xray_command_free(command);
    return command->status;
}

// --- Failures ------------------------------------------------------------------------------------

bool xray_fail(struct xray_command *command, const struct error *err)
{
    command->status = diag_error(&command->diag, err);
    return false;
}

bool xray_fail_with(struct xray_command *command, enum status status, const char *format, ...)
{
    struct error err;
    va_list args;
    va_start(args, format);
    error_set_list(&err, status, format, args);
    va_end(args);
    return xray_fail(command, &err);
}

// --- The log -------------------------------------------------------------------------------------

enum status xray_maps_add(const struct xray_maps *maps, struct xray_names *names, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < maps->count && status == STATUS_OK; i++)
        status = xray_names_add(names, maps->items[i], err);
    return status;
}

static enum status read_log(struct xray_command *command, struct xray_input *input,
                            const char **bytes, uint64_t *size_bytes, struct error *err)
{
    if (command->diag.memory_bytes)
        command->threads = memory_plan_threads(command->threads, command->diag.memory_bytes);
    enum status status = source_open(&input->source, input->path, SOURCE_DECODED, err);
    if (status != STATUS_OK)
        return status;
    source_keep_fingerprint(input->source);
    source_set_threads(input->source, command->threads);
    return source_read_all(input->source, bytes, size_bytes, err);
}

static enum status open_log(struct xray_command *command, struct xray_input *input,
                            struct error *err)
{
    const char *bytes;
    uint64_t size_bytes;
    struct error reason;
    enum status status = read_log(command, input, &bytes, &size_bytes, err);
    if (status != STATUS_OK)
        return status;
    large_pages_begin();
    status = xray_log_open(&input->log, bytes, size_bytes, &reason);
    if (status != STATUS_OK) {
        const char *kind = unknown_format_of(bytes, size_bytes);
        error_set_at(err, status, reason.offset, "%s: %s", input->path, kind ? kind : reason.text);
        err->line = reason.line;
        return status;
    }
    return STATUS_OK;
}

bool xray_input_open(struct xray_command *command, struct xray_input *input, const char *path,
                     const struct xray_maps *maps)
{
    struct error err;
    input->path = path;
    if (open_log(command, input, &err) != STATUS_OK ||
        (maps && (xray_maps_add(maps, &input->names, &err) != STATUS_OK ||
                  xray_names_settle(&input->names, &input->log, &err) != STATUS_OK)))
        return xray_fail(command, &err);
    report_packed_damage(&command->diag, input->source);
    if (input->log.threads.count > 0)
        return true;
    // Of several logs, one may be empty, for example of a process that did nothing.
    bool has_others = command->input.path && strcmp(command->input.path, path) != 0;
    for (size_t i = 0; i < command->others.count; i++)
        has_others |= strcmp(command->others.items[i].path, path) != 0;
    if (has_others) {
        diag_warning(&command->diag, "%s: the log has no records", path);
        command->diag.is_partial = true;
        return true;
    }
    return xray_fail_with(command, STATUS_INPUT, "%s: the log has no records", path);
}

void xray_input_free(struct xray_input *input)
{
    xray_log_close(&input->log);
    source_close(input->source);
    xray_names_free(&input->names);
}

// Opens a further log, and finds what it shares with those before it.
static bool open_other(struct xray_command *command, size_t number)
{
    struct xray_input *other = &command->others.items[number];
    if (!xray_input_open(command, other, other->path, NULL))
        return false;
    uint64_t shared = 0;
    bool has_memory = xray_log_share(&other->log, &command->input.log, &shared);
    for (size_t i = 0; i < number && has_memory; i++)
        has_memory = xray_log_share(&other->log, &command->others.items[i].log, &shared);
    if (!has_memory) {
        return xray_fail_with(command, STATUS_MEMORY, "%s: no memory", other->path);
    }
    command->shared_buffers += shared;
    if (shared)
        diag_warning(&command->diag,
                     "%s: buffers that begin as in an earlier log, as after a fork; calls that "
                     "ended before it are counted once: %" PRIu64,
                     other->path, shared);
    return true;
}

// Finds which object is which by the ids of all logs.
static enum status settle_names(struct xray_command *command, struct error *err)
{
    struct xray_objects *objects = &command->input.names.objects;
    bool is_open = xray_objects_are_open(objects), has_memory = true;
    for (size_t i = 0; i < command->others.count && has_memory && is_open; i++)
        has_memory = xray_objects_note_log(objects, &command->others.items[i].log);
    return has_memory ? xray_names_settle(&command->input.names, &command->input.log, err)
                      : error_set(err, STATUS_MEMORY, "no memory for names");
}

// A log that is named twice would count twice.
static bool leave_out_same(struct xray_command *command)
{
    struct xray_input *others = command->others.items;
    size_t count = command->others.count, kept = 0;
    const char **paths = calloc(count + 1, sizeof *paths);
    size_t *first = calloc(count + 1, sizeof *first);
    if (paths)
        paths[0] = command->input.path;
    for (size_t i = 0; i < count && paths; i++)
        paths[i + 1] = others[i].path;
    bool is_found = paths && first && find_same_files(paths, count + 1, first);
    for (size_t i = 0; i < count && is_found; i++) {
        if (first[i + 1] == i + 1)
            others[kept++] = others[i];
        else
            diag_warning(&command->diag, "%s: " COUNTED_ONCE, others[i].path);
    }
    command->others.count = is_found ? kept : count;
    free(paths);
    free(first);
    return is_found;
}

// Makes one log of all, which is then the only one.
static bool open_joined(struct xray_command *command)
{
    struct error err;
    struct xray_input *input = &command->input, *others = command->others.items;
    size_t count = command->others.count + 1;
    uint64_t first_byte = 0;
    struct xray_log_file *files = calloc(count, sizeof *files);
    enum status status =
        files ? STATUS_OK : error_set(&err, STATUS_MEMORY, "%s: no memory", input->path);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct xray_input *one = i ? &others[i - 1] : input;
        const char *bytes;
        uint64_t size_bytes;
        status = read_log(command, one, &bytes, &size_bytes, &err);
        if (status != STATUS_OK)
            break;
        report_packed_damage(&command->diag, one->source);
        files[i] = (struct xray_log_file){one->path, "", bytes, size_bytes, first_byte};
        first_byte += size_bytes;
    }
    if (status == STATUS_OK)
        status = xray_log_join(&input->log, files, count, &err);
    free(files);
    for (size_t i = 1; i < count && status == STATUS_OK; i++) {
        if (!source_is_intact(others[i - 1].source))
            status = error_set(&err, STATUS_INPUT, CHANGED, others[i - 1].path);
    }
    if (status != STATUS_OK)
        return xray_fail(command, &err);
    for (size_t i = 1; i < count; i++)
        xray_input_free(&others[i - 1]);
    command->others.count = 0;
    if (!input->log.threads.count)
        return xray_fail_with(command, STATUS_INPUT, "%s: the logs have no records", input->path);
    if (input->log.shared_buffers)
        diag_warning(
            &command->diag,
            "%s: buffers that are in two of the logs, as after a fork, read once: %" PRIu64,
            input->path, input->log.shared_buffers);
    return true;
}

bool xray_command_open(struct xray_command *command)
{
    struct error err;
    if (!leave_out_same(command))
        return xray_fail_with(command, STATUS_MEMORY, "%s: no memory", command->input.path);
    if (command->joins && command->others.count) {
        if (!open_joined(command))
            return false;
    } else if (!xray_input_open(command, &command->input, command->input.path, NULL)) {
        return false;
    }
    for (size_t i = 0; i < command->others.count; i++) {
        if (!open_other(command, i))
            return false;
    }
    if (xray_maps_add(&command->maps, &command->input.names, &err) == STATUS_OK &&
        settle_names(command, &err) == STATUS_OK)
        return true;
    return xray_fail(command, &err);
}

// --- What was found ------------------------------------------------------------------------------

void xray_command_unmatched(struct xray_command *command, const struct xray_input *input,
                            const struct xray_exits *exits)
{
    if (exits->blocked)
        diag_warning(
            &command->diag,
            "%s: calls left out, because calls in them have no exit (exceptions, longjmp); "
            "-d counts them: %" PRIu64,
            input->path, exits->blocked);
    if (exits->unmatched)
        diag_warning(&command->diag, "%s: exits without their entry, left out: %" PRIu64,
                     input->path, exits->unmatched);
    if (exits->unmatched && command->shared_buffers)
        diag_warning(&command->diag,
                     "%s: a child goes on under its own ids in calls that began "
                     "before: --join finds their entries",
                     input->path);
    command->diag.is_partial |= exits->unmatched || exits->blocked;
    char text[TRACE_FAULT_TEXT_BYTES + 64];
    if (!exits->unwound)
        return;
    xray_unwound_text(exits->unwound, text, sizeof text);
    diag_warning(&command->diag, "%s: %s", input->path, text);
}

void xray_command_watch(struct xray_command *command, struct xray_input *input, unsigned passes,
                        bool writes)
{
    bool is_mixed = writes && !command->output && isatty(STDOUT_FILENO);
    enum meter kind = is_mixed ? METER_OFF : progress_meter_for(stderr, false);
    xray_meter_begin(&command->meter, &command->progress, kind, &input->log, passes);
}

// Measures the calls of some logs, except for hidden ones.
static enum status account_for(struct xray_command *command, const struct xray_log *const *logs,
                               size_t count, const struct xray_account_options *options,
                               struct xray_names *names, struct xray_account *account,
                               struct error *err)
{
    struct xray_account_options all = *options;
    all.hider = xray_hidden_hider(&command->hidden, names);
    enum status status = xray_account_run(logs, count, &all, account, err);
    command->hidden.names.ticks += account->hidden_ticks;
    command->hidden.names.calls += account->hidden_calls;
    return status;
}

bool xray_command_account(struct xray_command *command, struct xray_input *input,
                          const struct xray_account_options *options, struct xray_account *account)
{
    struct error err;
    const struct xray_log *log = &input->log;
    xray_command_watch(command, input, 1, false);
    if (account_for(command, &log, 1, options, &input->names, account, &err) != STATUS_OK)
        return xray_fail(command, &err);
    xray_command_unmatched(command, input, &account->exits);
    xray_command_damage(command, input, &account->damage[0]);
    return true;
}

bool xray_command_account_all(struct xray_command *command,
                              const struct xray_account_options *options,
                              struct xray_account *account)
{
    struct error err;
    size_t count = command->others.count + 1;
    if (count == 1)
        return xray_command_account(command, &command->input, options, account);
    uint64_t first_hz = command->input.log.header.frequency_hz;
    for (size_t i = 0; i < command->others.count; i++) {
        const struct xray_input *other = &command->others.items[i];
        if (other->log.header.frequency_hz == first_hz)
            continue;
        return xray_fail_with(
            command, STATUS_INPUT,
            "%s: has %" PRIu64 " ticks a second, '%s' %" PRIu64 ": their times cannot be added up",
            other->path, other->log.header.frequency_hz, command->input.path, first_hz);
    }
    const struct xray_log **logs = calloc(count, sizeof *logs);
    enum status result = STATUS_MEMORY;
    if (logs) {
        logs[0] = &command->input.log;
        for (size_t i = 1; i < count; i++)
            logs[i] = &command->others.items[i - 1].log;
        result = account_for(command, logs, count, options, &command->input.names, account, &err);
    } else {
        error_set(&err, STATUS_MEMORY, "no memory for the logs");
    }
    free(logs);
    if (result != STATUS_OK)
        return xray_fail(command, &err);
    const struct xray_input all = {.path = "the logs"};
    xray_command_unmatched(command, &all, &account->exits);
    xray_command_damage(command, &command->input, &account->damage[0]);
    for (size_t i = 1; i < count; i++)
        xray_command_damage(command, &command->others.items[i - 1], &account->damage[i]);
    return true;
}

void xray_command_damage(struct xray_command *command, const struct xray_input *input,
                         const struct trace_damage *inside)
{
    struct trace_damage all = input->log.damage;
    progress_end(&command->progress);
    if (input->log.duplicate_buffers)
        diag_warning(&command->diag,
                     input->log.header.type == XRAY_BASIC
                         ? "%s: runs of records that two processes wrote, as after a fork, read "
                           "once: %" PRIu64
                         : "%s: buffers that the runtime wrote twice, read once: %" PRIu64,
                     input->path, input->log.duplicate_buffers);
    trace_damage_merge(&all, inside);
    report_trace_damage(&command->diag, input->path, &all, xray_fault_text);
}

// --- Output --------------------------------------------------------------------------------------

bool xray_command_output(struct xray_command *command)
{
    struct error err;
    struct out *out = &command->out;
    enum status result;
    bool replaces_log = command->output && is_same_file(command->output, command->input.path);
    for (size_t i = 0; command->output && i < command->others.count && !replaces_log; i++)
        replaces_log = is_same_file(command->output, command->others.items[i].path);
    if (!command->output)
        result = out_open_fd(out, STDOUT_FILENO, "standard output", &err);
    else if (replaces_log)
        result =
            error_set(&err, STATUS_INPUT, "%s: the output would replace the log", command->output);
    else
        result = out_open(out, command->output, &err);
    if (result != STATUS_OK)
        return xray_fail(command, &err);
    command->has_output = true;
    out_depend(out, &command->input.names.lacks_memory);
    return true;
}

void xray_command_unknown_ids(struct xray_command *command, const struct xray_input *input)
{
    if (input->names.unknown_id)
        diag_warning(&command->diag,
                     "%s: no image has function #%" PRIu32
                     "; is an image missing, or is one wrong?",
                     input->path, input->names.unknown_id);
}

// The first log that has changed. NULL: none.
static const struct xray_input *changed_input(const struct xray_command *command)
{
    for (size_t i = 0; i <= command->others.count; i++) {
        const struct xray_input *input =
            i < command->others.count ? &command->others.items[i] : &command->input;
        if (input->source && !source_is_intact(input->source))
            return input;
    }
    return NULL;
}

void xray_command_end(struct xray_command *command, bool is_done)
{
    struct error err;
    const struct xray_input *changed = is_done ? changed_input(command) : NULL;
    if (changed)
        is_done = xray_fail_with(command, STATUS_INPUT, CHANGED, changed->path);
    if (is_done && out_close(&command->out, &err) != STATUS_OK) {
        xray_fail(command, &err);
    } else if (is_done) {
        report_hidden(&command->diag, command->input.path, &command->hidden.names);
        xray_command_unknown_ids(command, &command->input);
        command->status = diag_end(&command->diag, command->input.path, "places");
    } else if (command->has_output) {
        out_abandon(&command->out);
    }
}

// xray: chooses one of its commands by the first argument.

static const struct command_spec *const commands[] = {
    &xray_account_command,    &xray_stack_command,   &xray_graph_command,
    &xray_graph_diff_command, &xray_convert_command, &xray_extract_command,
    &xray_dump_command,       &xray_waits_command,   NULL,
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    if (argc > 0 && strcmp(argv[0], "fdr-dump") == 0) // the name in llvm-xray
        return xray_dump_command.run(&xray_dump_command, argc - 1, argv + 1);
    return subcommands_run(self, argc, argv);
}

const struct command_spec xray_command = {
    .name = "xray",
    .option_set = OPTIONS_TRAWL,
    .summary =
        "reports on XRay logs with the options and output of llvm-xray: account, stack, graph, "
        "graph-diff, convert, extract, dump; and waits",
    .description = "Takes a command and its arguments as llvm-xray does: 'trawl xray account LOG'. "
                   "'trawl xray --help' lists the commands; waits is trawl's own.",
    .positionals =
        (const struct positional_spec[]){{"COMMAND", "what to do", NULL, false, false},
                                         {"ARGUMENT", "its options and logs", NULL, true, true},
                                         {0}},
    .examples = "trawl xray account -m prog xray-log.prog.123\n",
    .commands = commands,
    .run = run,
};
