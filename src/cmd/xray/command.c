#include "cmd/xray/command.h"

#include "cli/values.h"
#include "cmd/report_damage.h"
#include "cmd/system.h"
#include "trace/foreign.h"

#include <inttypes.h>
#include <unistd.h>

const struct option_spec xray_log_options[] = {
    {XRAY_OPTION_MAP, 'm', "instr-map,instr_map,image", "FILE",
     "the program that wrote the log, or its instrumentation map as YAML: names functions; one "
     "only"},
    {XRAY_OPTION_KEEP_GOING, 'k', "keep-going,keep_going", NULL,
     "no need to: exits without entries are always counted and left out"},
    {XRAY_OPTION_OUTPUT, 'o', "output", "FILE", "write to FILE (default: standard output)"},
    {XRAY_OPTION_THREADS, 0, "threads", "N", "worker threads (default: one for each processor)"},
    {0},
};

const struct positional_spec xray_log_positional[] = {
    {"LOG", "XRay log, flight data recorder or basic, or as YAML", NULL, false, false},
    {0},
};

void xray_command_begin(struct xray_command *command, const struct command_spec *spec)
{
    *command = (struct xray_command){.spec = spec, .threads = processor_count()};
    diag_begin(&command->diag, stderr, &command->progress);
}

void xray_command_free(struct xray_command *command)
{
    xray_input_free(&command->input);
}

// --- Options -------------------------------------------------------------------------------------

int xray_map_option(struct options_parser *parser, const struct option_match *match,
                    const char **map)
{
    char name[OPTION_TEXT_BYTES];
    option_text(match->option, name);
    if (*map)
        return options_error(parser, "'%s': '%s': there is an image of this log already: '%s'",
                             name, match->value, *map);
    *map = match->value;
    return OPTION_END;
}

int xray_command_option(struct xray_command *command, struct options_parser *parser, int option,
                        const struct option_match *match)
{
    uint64_t number;
    switch (option) {
    case OPTION_POSITIONAL:
        command->input.path = match->value;
        return OPTION_END;
    case XRAY_OPTION_MAP:
        return xray_map_option(parser, match, &command->map);
    case XRAY_OPTION_OUTPUT:
        command->output = strcmp(match->value, "-") == 0 ? NULL : match->value;
        return OPTION_END;
    case XRAY_OPTION_THREADS:
        if (!parse_u64_within(match->value, 1, LIMIT_THREADS, &number))
            return options_bad_value(parser, match, "a number from 1 to 256");
        command->threads = (unsigned)number;
        return OPTION_END;
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
                                  enum exit_status (*report)(void *self))
{
    struct options_parser parser;
    xray_command_begin(command, spec);
    enum exit_status status = xray_command_options(command, &parser, argc, argv, self, take)
                                  ? report(self)
                                  : parser.status;
    xray_command_free(command);
    return status;
}

int xray_choice(struct options_parser *parser, const struct option_match *match,
                const char *const *names, const char *expected, unsigned *choice)
{
    for (unsigned i = 0; names[i]; i++) {
        if (strcmp(names[i], match->value) == 0) {
            *choice = i;
            return OPTION_END;
        }
    }
    return options_bad_value(parser, match, expected);
}

// --- The log -------------------------------------------------------------------------------------

static enum status open_input(struct xray_input *input, const char *map, struct error *err)
{
    enum status status = source_open(&input->source, input->path, true, err);
    if (status != STATUS_OK)
        return status;
    const char *bytes;
    uint64_t size_bytes;
    struct error reason;
    status = source_read_all(input->source, &bytes, &size_bytes, err);
    if (status != STATUS_OK)
        return status;
    status = xray_log_open(&input->log, bytes, size_bytes, &reason);
    if (status != STATUS_OK) {
        const char *kind = foreign_kind(bytes, size_bytes);
        error_set_at(err, status, reason.offset, "%s: %s", input->path, kind ? kind : reason.text);
        err->line = reason.line;
        return status;
    }
    return map ? xray_names_open(&input->names, map, err) : STATUS_OK;
}

bool xray_input_open(struct xray_command *command, struct xray_input *input, const char *path,
                     const char *map, enum exit_status *status)
{
    struct error err;
    input->path = path;
    if (open_input(input, map, &err) != STATUS_OK) {
        *status = diag_error(&command->diag, &err);
        return false;
    }
    if (!input->log.threads.count)
        diag_warning(&command->diag, "%s: the log has no records", path);
    return true;
}

void xray_input_free(struct xray_input *input)
{
    xray_log_close(&input->log);
    xray_names_free(&input->names);
    source_close(input->source);
}

bool xray_command_open(struct xray_command *command, enum exit_status *status)
{
    return xray_input_open(command, &command->input, command->input.path, command->map, status);
}

// --- What was found ------------------------------------------------------------------------------

void xray_command_unmatched(struct xray_command *command, const struct xray_input *input,
                            uint64_t unmatched_exits, uint64_t unwound)
{
    if (unmatched_exits)
        diag_warning(&command->diag, "%s: exits without their entry, left out: %" PRIu64,
                     input->path, unmatched_exits);
    char text[TRACE_FAULT_TEXT_BYTES + 64];
    if (!unwound)
        return;
    xray_unwound_text(unwound, text, sizeof text);
    diag_warning(&command->diag, "%s: %s", input->path, text);
}

void xray_command_watch(struct xray_command *command, struct xray_input *input, unsigned passes,
                        bool writes)
{
    bool is_mixed = writes && !command->output && isatty(STDOUT_FILENO);
    enum meter kind = is_mixed ? METER_OFF : progress_meter_for(stderr, false);
    xray_meter_begin(&command->meter, &command->progress, kind, &input->log, passes);
}

bool xray_command_account(struct xray_command *command, struct xray_input *input,
                          const struct xray_account_options *options, struct xray_account *account,
                          enum exit_status *status)
{
    struct error err;
    xray_command_watch(command, input, options->percentiles ? 2 : 1, false);
    if (xray_account_run(&input->log, options, account, &err) != STATUS_OK) {
        *status = diag_error(&command->diag, &err);
        return false;
    }
    xray_command_unmatched(command, input, account->unmatched_exits, account->unwound);
    xray_command_damage(command, input, &account->damage);
    return true;
}

void xray_command_damage(struct xray_command *command, const struct xray_input *input,
                         const struct trace_damage *inside)
{
    struct trace_damage all = input->log.damage;
    progress_end(&command->progress);
    if (input->log.duplicate_buffers)
        diag_warning(&command->diag,
                     "%s: buffers that the runtime wrote twice, read once: %" PRIu64, input->path,
                     input->log.duplicate_buffers);
    trace_damage_merge(&all, inside);
    report_trace_damage(&command->diag, input->path, &all, xray_fault_text);
}

// --- Output --------------------------------------------------------------------------------------

bool xray_command_output(struct xray_command *command, struct out *out, enum exit_status *status)
{
    struct error err;
    enum status result;
    if (!command->output)
        result = out_open_fd(out, STDOUT_FILENO, "standard output", &err);
    else if (is_same_file(command->output, command->input.path))
        result =
            error_set(&err, STATUS_INPUT, "%s: the output would replace the log", command->output);
    else
        result = out_open(out, command->output, &err);
    if (result == STATUS_OK) {
        out_depend(out, &command->input.names.lacks_memory);
        return true;
    }
    *status = diag_error(&command->diag, &err);
    return false;
}

enum exit_status xray_command_end(struct xray_command *command, struct out *out)
{
    struct error err;
    const struct xray_input *input = &command->input;
    if (input->source && !source_is_intact(input->source)) {
        out_abandon(out);
        error_set(&err, STATUS_INPUT, "%s: was changed while it was read", input->path);
        return diag_error(&command->diag, &err);
    }
    if (out_close(out, &err) != STATUS_OK)
        return diag_error(&command->diag, &err);
    return diag_end(&command->diag, input->path, "places");
}
