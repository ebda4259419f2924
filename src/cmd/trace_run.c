#include "cmd/trace_run.h"

#include "cli/visible.h"
#include "cmd/trace_filter.h"

#include <inttypes.h>
#include <unistd.h>

// --- What the pass says --------------------------------------------------------------------------

// METER_TTU: the meter stands where it would after every line before `offset`.
static void progress_up_to(struct trace_command *command, const struct source_chunk *chunk,
                           uint64_t offset)
{
    if (command->progress.meter != METER_TTU || offset <= command->progress_offset)
        return;
    progress_show_lines(&command->progress, command->progress_offset,
                        chunk->data + (command->progress_offset - chunk->offset),
                        (size_t)(offset - command->progress_offset));
    command->progress_offset = offset;
}

static const char *note_text(enum line_note note)
{
    return note == NOTE_UNKNOWN_EVENT ? "unknown Tarmac event type"
                                      : "unsupported system operation";
}

static void on_note(void *self, const struct line_note_report *note)
{
    struct trace_command *command = self;
    int length = (int)u64_min(note->subject_length, 1000);
    if (command->reading == READING_RIGHT) {
        if (command->verbose)
            diag_warning(&command->diag, "%s:%" PRIu64 ": %s '%.*s'", command->trace, note->line,
                         note_text(note->note), length, note->subject);
        return;
    }
    progress_up_to(command, note->chunk, note->offset);
    visible_on_terminal(stderr, command->trace, strlen(command->trace));
    fprintf(stderr, ":%" PRIu64 ": %s '", note->is_first_event ? 1 : note->line,
            note_text(note->note));
    visible_on_terminal(stderr, note->subject, note->subject_length);
    fputs("'\n", stderr);
}

// The reference's form: place and message, the line, carets below the token, an empty line.
static void print_ttu_fault(struct trace_command *command, const struct line_fault *fault)
{
    visible_on_terminal(stderr, command->trace, strlen(command->trace));
    fprintf(stderr, ":%" PRIu64 ": ", fault->has_events ? fault->line - fault->header_lines : 1);
    visible_on_terminal(stderr, fault->fault.text, strlen(fault->fault.text));
    fputc('\n', stderr);
    // A line over the limit is ours alone to refuse; its beginning will do.
    visible_on_terminal(stderr, fault->text, fault->length > LIMIT_LINE_BYTES ? 64 : fault->length);
    fprintf(stderr, "\n%*s", (int)fault->fault.column, "");
    for (uint32_t i = 0; i < fault->fault.length || i < 1; i++)
        fputc('^', stderr);
    fputs("\n\n", stderr);
    if (fault->is_partial)
        fputs("ignoring parse error on partial last line (trace truncated?)\n", stderr);
}

static bool on_fault(void *self, const struct line_fault *fault)
{
    struct trace_command *command = self;
    command->has_fatal_fault =
        command->reading == READING_TTU ? !fault->is_partial : command->strict;
    if (command->reading == READING_TTU) {
        progress_up_to(command, fault->chunk, fault->offset);
        if (command->progress.meter == METER_TTU)
            command->progress_offset = fault->chunk->offset + fault->chunk->size_bytes;
        print_ttu_fault(command, fault);
    } else if (command->strict) {
        struct error err;
        error_set_at(&err, STATUS_INPUT, fault->offset + fault->fault.column, "%s:%" PRIu64 ": %s",
                     command->trace, fault->line, fault->fault.text);
        diag_error(&command->diag, &err);
    } else {
        char text[sizeof fault->fault.text + 32];
        snprintf(text, sizeof text, "%s%s",
                 fault->is_partial ? "the trace ends inside a line: " : "", fault->fault.text);
        diag_damage(&command->diag, command->trace, fault->line,
                    fault->offset + fault->fault.column, fault->length, text);
    }
    return !command->has_fatal_fault;
}

static void on_advanced(void *self, const struct source_chunk *chunk)
{
    struct trace_command *command = self;
    progress_up_to(command, chunk, chunk->offset + chunk->size_bytes);
    progress_add(&command->progress, chunk->size_bytes);
    progress_show(&command->progress);
}

// Lines are counted from the first that made an event.
static void on_transfer(void *self, const struct transfer *transfer,
                        const struct call_decision *decision, uint64_t header_lines)
{
    struct out *out = &((struct trace_command *)self)->debug;
    out_text(out, "transfer of control @ ");
    out_u64(out, transfer->node.line - header_lines);
    out_text(out, ", sp=");
    out_hex(out, transfer->sp, 1);
    out_text(out, ", pc=");
    out_hex(out, transfer->node.pc, 1);
    out_byte(out, '\n');
    if (decision->is_return) {
        out_text(out, "  looks like return for call @ ");
        out_u64(out, decision->returned_line - header_lines);
        out_byte(out, '\n');
    } else if (decision->is_call) {
        out_text(out, "  inserting as pending call with sp=");
        out_hex(out, transfer->sp, 1);
        out_text(out, " lr=");
        out_hex(out, transfer->return_address, 1);
        out_byte(out, '\n');
    }
}

// --- The pass ------------------------------------------------------------------------------------

enum exit_status trace_command_no_events(struct trace_command *command)
{
    if (command->reading == READING_TTU)
        return fprintf(stderr, "error: trace file contains no events at all\n"), EXIT_STATUS_FAILED;
    struct error err;
    diag_end(&command->diag, command->trace, "lines");
    error_set(&err, STATUS_INPUT, "%s: trace contains no events at all", command->trace);
    return diag_error(&command->diag, &err);
}

// Of what is read as a Tarmac trace, as all is that is nothing else.
static enum exit_status not_understood(struct trace_command *command)
{
    struct error err;
    const char *word = command->result.unknown_word;
    char hint[UNKNOWN_WORD_BYTES + 48] = "";
    diag_end(&command->diag, command->trace, "lines");
    if (*word)
        snprintf(hint, sizeof hint, "; most often unknown: '%s'", word);
    error_set(&err, STATUS_INPUT, "%s: nothing in it is understood as a Tarmac trace%s",
              command->trace, hint);
    return diag_error(&command->diag, &err);
}

static bool has_lane(struct trace_command *command)
{
    for (size_t i = 0; i < command->result.lane_count; i++) {
        if (!command->lane || strcmp(command->lane, command->result.lanes[i].name) == 0)
            return true;
    }
    return false;
}

bool trace_command_judge(struct trace_command *command, enum status result, struct error *err,
                         enum exit_status *status)
{
    command->diag.damage_count = command->result.damaged_lines;
    command->diag.damage_bytes = command->result.damaged_bytes;
    if (result != STATUS_OK || !command->has_fatal_fault)
        progress_end(&command->progress);
    *status = EXIT_STATUS_FAILED;
    if (result != STATUS_OK) {
        *status = trace_command_error(command, err);
    } else if (!command->has_fatal_fault) {
        if (!trace_is_understood(command->opened, &command->result) &&
            *command->result.unknown_word) {
            *status = not_understood(command);
        } else if (!pass_result_has_events(&command->result)) {
            *status = trace_command_no_events(command);
        } else if (!trace_is_understood(command->opened, &command->result)) {
            *status = not_understood(command);
        } else if (!has_lane(command)) {
            struct lane_names names;
            lane_names_of_result(&names, command);
            trace_filter_no_lane(command, &names, err);
            *status = trace_command_error(command, err);
        } else {
            return true;
        }
    }
    return false;
}

struct pass_observer trace_command_observer(struct trace_command *command)
{
    return (struct pass_observer){
        command, on_note, on_fault, on_advanced, command->debug_calls ? on_transfer : NULL,
    };
}

struct pass_options trace_command_pass_options(const struct trace_command *command,
                                               const struct call_consumer *consumer,
                                               const struct watch_list *watch)
{
    return (struct pass_options){
        .how = {command->reading, command->implicit_thumb},
        .threads = command->threads,
        .chunk_bytes = command->chunk_bytes,
        .stop_at_fault = command->reading == READING_TTU || command->strict,
        .keep_open_calls = command->open_frames,
        .range = command->range,
        .watch = watch ? *watch : (struct watch_list){0},
        .consumer = consumer ? *consumer : (struct call_consumer){0},
        .big_endian = command->endianness ? command->endianness == OPTION_BIG_ENDIAN
                                          : command->names.is_big_endian,
        .simd = command->simd,
    };
}

static enum status run_calls(void *self, struct trace *trace, const struct pass_options *options,
                             const struct pass_observer *observer, struct pass_result *result,
                             struct error *err)
{
    (void)self;
    return trace->kind->run(trace, options, observer, result, err);
}

struct trace_request trace_command_calls(const struct trace_command *command,
                                         const struct call_consumer *consumer,
                                         const struct watch_list *watch)
{
    return (struct trace_request){NULL, run_calls,
                                  trace_command_pass_options(command, consumer, watch)};
}

// The pass itself. Errors name their file.
static enum status run_pass(struct trace_command *command, const struct trace_request *request,
                            const struct indexing_options *how, struct error *err)
{
    const struct pass_observer observer = trace_command_observer(command);
    struct trace *trace = command->opened;
    if (how)
        return indexing_run(trace, &request->options, &observer, how, &command->result, err);
    enum status status =
        request->run(request->self, trace, &request->options, &observer, &command->result, err);
    if (status == STATUS_OK)
        return status;
    const struct error cause = *err;
    return error_set(err, status, "%s: %s", command->trace, cause.text);
}

bool trace_command_run(struct trace_command *command, const struct trace_request *request,
                       const struct indexing_options *how, enum exit_status *status)
{
    struct error err;
    if (command->debug_calls &&
        out_open_fd(&command->debug, STDOUT_FILENO, "standard output", &err) != STATUS_OK) {
        *status = trace_command_error(command, &err);
        return false;
    }
    fflush(stdout);
    enum status result = run_pass(command, request, how, &err);
    if (command->debug_calls && out_close(&command->debug, &err) != STATUS_OK &&
        result == STATUS_OK) {
        *status = trace_command_error(command, &err);
        return false;
    }
    if (result == STATUS_OK)
        command->has_fatal_fault |= !trace_command_tell_damage(command);
    return trace_command_judge(command, result, &err, status);
}
