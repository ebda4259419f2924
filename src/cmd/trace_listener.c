#include "cmd/trace_listener.h"

#include "cli/visible.h"
#include "cmd/report_damage.h"
#include "flow/calls.h"
#include "session/session_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- What the pass says --------------------------------------------------------------------------

// METER_TTU: moves the meter as if after every line before `offset`.
static void progress_up_to(struct command *command, const struct source_chunk *chunk,
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
    switch (note) {
    case NOTE_TOO_MANY_REGISTERS:
        return "more registers than an index keeps; the first one left out is";
    case NOTE_UNSUPPORTED_SYSTEM:
        return "unsupported system operation";
    default:
        return "unknown Tarmac event type";
    }
}

void trace_listener_note(void *self, const struct line_note_report *note)
{
    struct command *command = self;
    int length = (int)u64_min(note->subject_length, 1000);
    bool is_loss = note->note == NOTE_TOO_MANY_REGISTERS;
    command->has_told_loss |= is_loss;
    if (command->session.reading == READING_TRUE && !command->verbose && !is_loss)
        return; // unknown lines are summed up at the end
    if (command->session.reading == READING_TRUE) {
        diag_warning(&command->diag, "%s:%" PRIu64 ": %s '%.*s'", command->session.path, note->line,
                     note_text(note->note), length, note->subject);
        return;
    }
    if (is_loss)
        return; // which the reference does not store at all
    progress_up_to(command, note->chunk, note->offset);
    visible_on_terminal(stderr, command->session.path, strlen(command->session.path));
    fprintf(stderr, ":%" PRIu64 ": %s '", note->is_first_event ? 1 : note->line,
            note_text(note->note));
    visible_on_terminal(stderr, note->subject, note->subject_length);
    fputs("'\n", stderr);
}

static bool on_fault(void *self, const struct line_fault *fault)
{
    struct command *command = self;
    const struct file_line at =
        file_line_of(command->session.trace, fault->line, fault->offset + fault->fault.column);
    if (command->session.reading == READING_TTU) {
        progress_up_to(command, fault->chunk, fault->offset);
        if (command->progress.meter == METER_TTU)
            command->progress_offset = fault->chunk->offset + fault->chunk->size_bytes;
        // The reference's form: place and message, the line, carets below the token, an empty
        // line.
        visible_on_terminal(stderr, command->session.path, strlen(command->session.path));
        fprintf(stderr, ":%" PRIu64 ": ",
                fault->has_events ? fault->line - fault->header_lines : 1);
        visible_on_terminal(stderr, fault->fault.text, strlen(fault->fault.text));
        fputc('\n', stderr);
        // Only trawl refuses a line over the limit; its beginning is enough.
        visible_on_terminal(stderr, fault->text,
                            fault->length > LIMIT_LINE_BYTES ? 64 : fault->length);
        fprintf(stderr, "\n%*s", (int)fault->fault.column, "");
        for (uint32_t i = 0; i < fault->fault.length || i < 1; i++)
            fputc('^', stderr);
        fputs("\n\n", stderr);
        if (fault->is_partial)
            fputs("ignoring parse error on partial last line (trace truncated?)\n", stderr);
    } else if (command->session.is_strict) {
        struct error err;
        error_set_at(&err, STATUS_INPUT, at.offset, "%s:%" PRIu64 ": %s", at.path, at.line,
                     fault->fault.text);
        diag_error(&command->diag, &err);
    } else if (fault->is_kept) {
        diag_warning(&command->diag,
                     "%s:%" PRIu64 ": the trace ends inside a line: %s; the index has it as the "
                     "Tarmac Trace Utilities read it",
                     at.path, at.line, fault->fault.text);
        command->diag.is_partial = true;
    } else {
        char text[sizeof fault->fault.text + 32];
        snprintf(text, sizeof text, "%s%s",
                 fault->is_partial ? "the trace ends inside a line: " : "", fault->fault.text);
        command->diag.holds_damage = command->session.trace->seems != NULL;
        diag_damage(&command->diag, at.path, at.line, at.offset, fault->length, text);
    }
    return command->session.reading == READING_TTU ? fault->is_partial
                                                   : !command->session.is_strict;
}

static void on_advanced(void *self, const struct source_chunk *chunk)
{
    struct command *command = self;
    progress_up_to(command, chunk, chunk->offset + chunk->size_bytes);
    progress_add(&command->progress, chunk->size_bytes);
    progress_show(&command->progress);
}

// Lines are counted from the first that made an event.
static void on_transfer(void *self, const struct transfer *transfer,
                        const struct call_decision *decision, uint64_t header_lines)
{
    struct out *out = &((struct command *)self)->debug;
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

// --- Messages about the index --------------------------------------------------------------------

static bool is_talkative(const struct command *command)
{
    if (command->session.reading == READING_TRUE)
        return command->verbose;
    return session_index_is_asked_for(&command->session.index) &&
           (command->verbose || (!command->quiet && isatty(STDOUT_FILENO)));
}

// Reports once, unasked, that an index is lost, or knew less than the images tell.
static void tell(struct command *command, enum index_fit fit, const char *text, const char *end)
{
    bool is_worse = fit == INDEX_OTHER_FUNCTIONS && !command->session.index.is_purpose;
    bool is_lost = command->session.reading == READING_TRUE && (index_fit_is_lost(fit) || is_worse);
    if (is_lost && !command->has_told_index)
        diag_warning(&command->diag, "%s%s", text, end);
    else if (!is_lost && is_talkative(command)) {
        // Writes a line about a file, whose name is unchanged under the tarmac-* names.
        FILE *out = command->diag.out;
        bool is_ttu = command->session.reading == READING_TTU;
        fputs(is_ttu ? "" : "trawl: ", out);
        (is_ttu ? visible_on_terminal : visible_text)(out, text, strlen(text));
        fprintf(out, "%s\n", end);
    }
    command->has_told_index |= is_lost;
}

// For summaries of many traces.
static void keep_path(struct command *command, const struct index_file *file)
{
    free(command->index_path);
    command->index_path = strdup(file->path);
}

static void on_index(void *self, const struct index_file *file, const char *what_follows)
{
    struct command *command = self;
    char text[480], end[64];
    keep_path(command, file);
    if (file->foreign_file && (file->fit != INDEX_FITS || is_talkative(command))) {
        index_file_describe_foreign(file, text, sizeof text);
        tell(command, file->foreign_fit, text, "");
    }
    index_file_describe(file, command->session.path, text, sizeof text);
    snprintf(end, sizeof end, "; %s", what_follows);
    tell(command, file->fit, text, end);
}

static void on_misfit(void *self, const struct index_file *file)
{
    struct command *command = self;
    char text[480];
    index_file_describe(file, command->session.path, text, sizeof text);
    diag_warning(&command->diag, "%s; using it as it is", text);
}

static void on_warning(void *self, const char *text)
{
    struct command *command = self;
    diag_warning(&command->diag, "%s", text);
}

static void on_ignoring(void *self, const char *text)
{
    struct command *command = self;
    if (command->session.reading == READING_TTU)
        visible_on_terminal(stderr, text, strlen(text)), fputc('\n', stderr);
    else
        diag_warning(&command->diag, "%s", text);
}

static void on_built(void *self, const struct index_file *file)
{
    struct command *command = self;
    keep_path(command, file);
    command->has_built_index = true;
    const struct index_policy *index = &command->session.index;
    if (!command->verbose || command->session.reading == READING_TTU)
        return;
    if (file->index) {
        struct trawl_info info;
        trawl_info(file->index, &info);
        fprintf(command->diag.out,
                "trawl: index file %s: %" PRIu64 " bytes, %.3f of the trace, %" PRIu64
                " segment%s, %.2f bytes an event\n",
                file->path, info.index_bytes,
                (double)info.index_bytes / ((double)info.trace_bytes + 1e-9), info.segments,
                plural(info.segments), (double)info.index_bytes / ((double)info.events + 1e-9));
    }
    if (!index->is_purpose && index->use != INDEX_ONLY) // otherwise they are in the summary
        command_print_stages(command);
}

static void on_damage(void *self, const struct trace *trace)
{
    struct command *command = self;
    report_trace_damage(&command->diag, command->session.path, &trace->damage,
                        trace->kind->telling.fault_text);
}

struct session_listener command_listener(struct command *command)
{
    return (struct session_listener){
        .self = command,
        .pass = {command, trace_listener_note, on_fault, on_advanced,
                 command->debug_calls ? on_transfer : NULL},
        .about_index = on_index,
        .misfit = on_misfit,
        .image_misfit = on_warning,
        .other_functions = on_warning,
        .ignoring = on_ignoring,
        .built = on_built,
        .damage = on_damage,
    };
}

// --- How passes end ------------------------------------------------------------------------------

bool command_passed(struct command *command, enum status result, const struct error *err)
{
    const struct session *session = &command->session;
    bool shows_trace = session->trace && pass_result_has_events(&session->result) &&
                       trace_is_understood(session->trace, &session->result);
    if (result != STATUS_STOPPED)
        progress_end(&command->progress);
    command->diag.damage_count = session->result.damaged_lines;
    command->diag.damage_bytes = session->result.damaged_bytes;
    if (result == STATUS_OK)
        return true;
    // What a file seems to be is more helpful than its lines.
    bool is_unknown_format = session->trace && session->trace->seems;
    if (result == STATUS_INPUT && session->reading == READING_TRUE && !shows_trace &&
        !is_unknown_format)
        diag_end(&command->diag, session->path, // which may be the reason
                 session->trace ? session->trace->kind->words.parts : "lines");
    return command_fail(command, err);
}
