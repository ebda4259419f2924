#include "cmd/trace_command.h"

#include "cli/values.h"
#include "cli/visible.h"
#include "cmd/option_kinds.h"
#include "cmd/system.h"
#include "cmd/tell_damage.h"
#include "cmd/trace_filter.h"
#include "cmd/trace_index.h"
#include "report/clean.h"
#include "trace/foreign.h"
#include "trace/xray/lane.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void trace_command_begin(struct trace_command *command, const struct command_spec *spec)
{
    *command = (struct trace_command){
        .spec = spec,
        .reading = spec->manner == MANNER_TTU ? READING_TTU : READING_RIGHT,
        .threads = processor_count(),
        .chunk_bytes = PIPELINE_CHUNK_BYTES_DEFAULT,
        .range = CALL_RANGE_ALL,
        .writes_tables = true,
        .sync_index = true,
        .depth_max = UINT64_MAX,
    };
    simd_choose(&command->simd, NULL); // main has seen to it that these are fine
    file_writer_choose(&command->io, NULL);
    diag_begin(&command->diag, stderr, &command->progress);
}

void trace_command_close(struct trace_command *command)
{
    trace_close(command->opened);
    command->opened = NULL;
    pipeline_result_free(&command->result);
}

void trace_command_free(struct trace_command *command)
{
    trace_command_close(command);
    names_free(&command->names);
    free(command->image_arguments.items);
}

// --- Errors --------------------------------------------------------------------------------------

enum exit_status trace_command_error(struct trace_command *command, const struct error *err)
{
    if (command->reading == READING_TTU) {
        visible_on_terminal(stderr, err->text, strlen(err->text));
        fputc('\n', stderr);
        return EXIT_STATUS_FAILED;
    }
    return diag_error(&command->diag, err);
}

bool trace_command_tell_damage(struct trace_command *command)
{
    const struct trace *trace = command->opened;
    const struct trace_damage *damage = &trace->damage;
    trace_fault_text *text_of = trace->kind->fault_text;
    if (!text_of || command->is_told)
        return true;
    command->is_told = true;
    if (command->strict && damage->count) {
        struct error err;
        char text[TRACE_FAULT_TEXT_BYTES];
        text_of(&damage->first[0], text);
        error_set_at(&err, STATUS_INPUT, damage->first[0].offset, "%s: %s", command->trace, text);
        diag_error(&command->diag, &err);
        return false;
    }
    tell_trace_damage(&command->diag, command->trace, damage, text_of);
    return true;
}

// --- What the trace is ---------------------------------------------------------------------------

static enum meter meter_of(const struct trace_command *command)
{
    if (command->reading == READING_RIGHT)
        return progress_meter_for(stderr, command->quiet);
    bool is_shown = command->show_progress || (!command->quiet && isatty(STDOUT_FILENO));
    return is_shown ? METER_TTU : METER_OFF;
}

static enum trace_byte_order byte_order_of(const struct trace_command *command)
{
    if (!command->endianness)
        return TRACE_ORDER_UNKNOWN;
    return command->endianness == OPTION_BIG_ENDIAN ? TRACE_BIG_ENDIAN : TRACE_LITTLE_ENDIAN;
}

static enum status open_trace(struct trace_command *command, struct error *err)
{
    enum status status = trace_open(&command->opened, command->trace, command->reading, err);
    if (status != STATUS_OK)
        return status;
    struct trace *trace = command->opened;
    trace->options = (struct trace_options){
        .reading = command->reading,
        .byte_order = byte_order_of(command),
        .implicit_thumb = command->implicit_thumb,
        .threads = command->threads,
    };
    trace->progress = &command->progress;
    trace->meter = meter_of(command);
    return STATUS_OK;
}

// A file that is of none of the kinds, as its first bytes show.
static enum status check_foreign(const struct trace_command *command, struct error *err)
{
    char magic[FOREIGN_MAGIC_BYTES];
    size_t have;
    if (command->opened->kind->is || command->takes_index)
        return STATUS_OK;
    enum status status = source_peek(command->opened->source, magic, sizeof magic, &have, err);
    const char *kind = status == STATUS_OK ? foreign_kind(magic, have) : NULL;
    return kind ? error_set(err, STATUS_INPUT, "%s: %s", command->trace, kind) : status;
}

static enum status check_kind(const struct trace_command *command, struct error *err)
{
    const struct trace_kind *kind = command->opened->kind;
    const char *lacking = trace_lacks(kind, command->needs);
    if (lacking)
        return error_set(err, STATUS_INPUT, "%s: %s has no %s, which 'trawl %s' needs",
                         command->trace, kind->words.a, lacking, command->spec->name);
    return check_foreign(command, err);
}

bool trace_command_detect(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    bool is_tried = command->opened || command->open_error.status != STATUS_OK;
    if (command->reading == READING_TTU || !command->trace || is_tried)
        return true;
    enum status opened = open_trace(command, &command->open_error);
    if (opened == STATUS_MEMORY) {
        *status = trace_command_error(command, &command->open_error);
        return false;
    }
    if (opened != STATUS_OK) // which is told when it is needed
        return true;
    if (check_kind(command, &err) == STATUS_OK)
        return command->takes_index || option_kinds_check(command, status);
    *status = trace_command_error(command, &err);
    return false;
}

// Makes the open trace ready for passes.
static bool make_ready(struct trace_command *command, enum exit_status *status)
{
    struct trace *trace = command->opened;
    struct error err;
    if (!trace || command->is_open || !trace->kind->open)
        return true;
    command->is_open = true;
    *status = EXIT_STATUS_FAILED;
    if (trace->kind->open(trace, &command->names.images, &err) == STATUS_OK)
        return !trace->is_checked || trace_command_tell_damage(command);
    *status = trace_command_error(command, &err);
    return false;
}

// --- Images --------------------------------------------------------------------------------------

static enum status add_image(struct trace_command *command, const char *argument, struct error *err)
{
    enum status status = names_add_image(&command->names, argument, err);
    if (status == STATUS_OK || status == STATUS_MEMORY || command->reading == READING_RIGHT)
        return status;
    return error_set(err, status, "Cannot open ELF file \"%s\"", argument);
}

// What a trace that cannot be opened is taken for: its index may do.
static bool can(const struct trace_command *command, unsigned abilities)
{
    return !command->opened || trace_can(command->opened, abilities);
}

static bool move_images(struct trace_command *command, enum exit_status *status)
{
    struct trace *trace = command->opened;
    struct error err;
    if (!trace || !trace->kind->move_images ||
        trace->kind->move_images(trace, &command->names.images, &err) == STATUS_OK)
        return true;
    *status = trace_command_error(command, &err);
    return false;
}

bool trace_command_open_images(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    if (!trace_command_detect(command, status))
        return false;
    const struct name_options options = {
        .reading = command->reading,
        .with_offsets = !command->no_offsets || command->root_only_lacks_offset,
        .demangle = command->demangle,
        .is_xray = !can(command, TRACE_ADDRESSES),
        .is_arm = can(command, TRACE_ARM),
        .load_offset = command->load_offset,
    };
    names_init(&command->names, &options);
    for (size_t i = 0; i < command->image_arguments.count; i++) {
        if (add_image(command, command->image_arguments.items[i], &err) != STATUS_OK) {
            *status = trace_command_error(command, &err);
            return false;
        }
    }
    bool big = command->names.is_big_endian;
    if (command->reading == READING_TTU && command->names.ttu_symbols && command->endianness &&
        big != (command->endianness == OPTION_BIG_ENDIAN))
        fprintf(stderr, "Endianness mismatch between image and provided endianness\n");
    return make_ready(command, status) && move_images(command, status);
}

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

// Lines are counted from the first that made an event (specs: 4.2).
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

static bool has_events(const struct pipeline_result *result)
{
    for (size_t i = 0; i < result->lane_count; i++) {
        if (result->lanes[i].nodes)
            return true;
    }
    return false;
}

static enum exit_status no_events(struct trace_command *command)
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

// The reference finds what is no file empty.
static enum exit_status nothing_read(struct trace_command *command)
{
    if (meter_of(command) == METER_TTU)
        fputs("\rReading trace file (finished)\n", stderr);
    return no_events(command);
}

// Opens the trace for a pass. False: reported, *status is what to end with.
static bool open_for_pass(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    if (!trace_command_detect(command, status))
        return false;
    if (command->opened)
        return make_ready(command, status);
    enum status result = open_trace(command, &err);
    if (result == STATUS_OK)
        return make_ready(command, status);
    // A directory the reference opens and finds empty.
    *status = result == STATUS_INPUT && command->reading == READING_TTU
                  ? nothing_read(command)
                  : trace_command_error(command, &err);
    return false;
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
        } else if (!has_events(&command->result)) {
            *status = no_events(command);
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

struct pipeline_observer trace_command_observer(struct trace_command *command)
{
    return (struct pipeline_observer){
        command, on_note, on_fault, on_advanced, command->debug_calls ? on_transfer : NULL,
    };
}

struct pipeline_options trace_command_pass_options(const struct trace_command *command,
                                                   const struct call_consumer *consumer,
                                                   const struct watch_list *watch)
{
    return (struct pipeline_options){
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

static enum status run_calls(void *self, struct trace *trace,
                             const struct pipeline_options *options,
                             const struct pipeline_observer *observer,
                             struct pipeline_result *result, struct error *err)
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
    const struct pipeline_observer observer = trace_command_observer(command);
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

// A trace that is read twice has to be a file. False: it is none, and that is told.
static bool can_read_twice(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    if (!command->reads_twice || source_is_mapped(command->opened->source))
        return true;
    if (command->reading == READING_TTU) {
        *status = nothing_read(command);
        return false;
    }
    error_set(&err, STATUS_INPUT, "%s: is read twice, so it has to be a file", command->trace);
    *status = trace_command_error(command, &err);
    return false;
}

// Runs a request over the trace itself, or over its index where it was decided before.
static bool run_request(struct trace_command *command, const struct trace_request *request,
                        enum exit_status *status)
{
    if (!trace_command_run(command, request, NULL, status))
        return false;
    if (command->index_use != INDEX_ONLY || command->is_indexing)
        return true;
    *status = trace_command_sum_up(command); // --only-index --memory-index
    return false;
}

bool trace_command_request(struct trace_command *command, const struct trace_request *request,
                           enum exit_status *status)
{
    if (!open_for_pass(command, status) || !can_read_twice(command, status))
        return false;
    if (!command->is_decided) {
        command->is_decided = true;
        enum trace_index_outcome outcome = trace_index_use(command, request, status);
        if (outcome != TRACE_INDEX_UNUSED)
            return outcome == TRACE_INDEX_USED;
    }
    return run_request(command, request, status);
}

bool trace_command_pass(struct trace_command *command, const struct call_consumer *consumer,
                        const struct watch_list *watch, enum exit_status *status)
{
    if (!open_for_pass(command, status))
        return false;
    const struct trace_request request = trace_command_calls(command, consumer, watch);
    return trace_command_request(command, &request, status);
}

static enum status run_contexts(void *self, struct trace *trace,
                                const struct pipeline_options *options,
                                const struct pipeline_observer *observer,
                                struct pipeline_result *result, struct error *err)
{
    (void)observer;
    return trace->kind->contexts(trace, options, self, result, err);
}

bool trace_command_contexts(struct trace_command *command, struct context_tree *tree,
                            enum exit_status *status)
{
    const struct call_consumer consumer = context_tree_consumer(tree);
    if (!open_for_pass(command, status))
        return false;
    struct trace_request request = trace_command_calls(command, &consumer, NULL);
    if (command->opened->kind->contexts) {
        request.self = tree;
        request.run = run_contexts;
    }
    return trace_command_request(command, &request, status);
}

struct profile_request {
    const char *lane;
    struct profile *profile;
};

static enum status run_profile(void *self, struct trace *trace,
                               const struct pipeline_options *options,
                               const struct pipeline_observer *observer,
                               struct pipeline_result *result, struct error *err)
{
    const struct profile_request *request = self;
    (void)observer;
    return trace->kind->profile(trace, options, request->lane, request->profile, result, err);
}

bool trace_command_profile(struct trace_command *command, struct profile *profile,
                           enum exit_status *status)
{
    struct profile_request into = {command->lane, profile};
    if (!open_for_pass(command, status))
        return false;
    const struct trace_request request = {&into, run_profile,
                                          trace_command_pass_options(command, NULL, NULL)};
    return trace_command_request(command, &request, status);
}

static void on_advanced_again(void *self, const struct source_chunk *chunk)
{
    struct trace_command *command = self;
    progress_add(&command->progress, chunk->size_bytes);
    progress_show(&command->progress);
}

enum status trace_command_pass_again(struct trace_command *command,
                                     const struct segment_consumer *segments, struct error *err)
{
    struct pipeline_result result;
    struct pipeline_options options = trace_command_pass_options(command, NULL, NULL);
    const struct pipeline_observer observer = {.self = command, .advanced = on_advanced_again};
    struct trace *trace = command->opened;
    options.segments = *segments;
    source_rewind(trace->source);
    trace_forget_index(trace);
    trace->meter = command->reading == READING_RIGHT ? trace->meter : METER_OFF;
    enum status status = trace->kind->run(trace, &options, &observer, &result, err);
    progress_end(&command->progress);
    for (int i = 0; i < STAGE_COUNT; i++)
        command->result.stage_ns[i] += result.stage_ns[i];
    command->result.wall_ns += result.wall_ns;
    pipeline_result_free(&result);
    return status;
}

// --- What reports ask ----------------------------------------------------------------------------

bool trace_command_wants_lane(const struct trace_command *command, const struct lane_result *lane)
{
    return lane->nodes && (!command->lane || strcmp(command->lane, lane->name) == 0);
}

bool trace_command_root(const struct trace_command *command, const struct lane_result *lane,
                        struct call *root)
{
    bool is_idle = !lane->has_root && command->result.lane_count > 1;
    if (is_idle || !trace_command_wants_lane(command, lane))
        return false;
    *root = (struct call){.entry = lane->root, .exit = lane->last};
    // Without any instruction the reference shows node zero of nothing (specs: 4.3).
    if (!lane->has_root)
        root->entry = root->exit = (struct node_ref){.line = command->result.header_lines};
    if (command->reading == READING_TTU) // which has no ranges, and may have times that fall
        return true;
    return clip_nodes(&lane->clip, &root->entry, &root->exit, &root->is_clipped);
}

bool trace_command_wants_visit(const struct trace_command *command, const struct visit *visit)
{
    const struct call_range *range = &command->range;
    return visit->time >= range->first_time && visit->time <= range->last_time &&
           visit->event >= range->first_event && visit->event <= range->last_event;
}

bool trace_command_wants_function(struct trace_command *command, uint64_t pc)
{
    uint64_t address;
    if (!command->function)
        return true;
    if (can(command, TRACE_ADDRESSES) && strncmp(command->function, "0x", 2) == 0 &&
        parse_u64(command->function, &address))
        return ((pc ^ address) & ~UINT64_C(1)) == 0;
    return strcmp(names_of(&command->names, pc), command->function) == 0;
}

bool trace_command_table(struct trace_command *command, struct table *table, struct out *out,
                         const struct column *columns, size_t column_count,
                         enum exit_status *status)
{
    struct error err;
    ASSERT(column_count <= TRACE_COLUMNS_MAX);
    for (size_t i = 0; i < column_count; i++) {
        command->columns[i] = columns[i];
        if (command->opened && strcmp(columns[i].key, "lane") == 0)
            command->columns[i].title = command->opened->kind->words.heading;
    }
    if (table_begin(table, out, command->table_format, command->columns, column_count, &err) ==
        STATUS_OK)
        return true;
    out_abandon(out);
    *status = trace_command_error(command, &err);
    return false;
}

void trace_command_function_id(struct table *table, uint64_t pc)
{
    if (pc == XRAY_ROOT_PC)
        table_none(table);
    else
        table_u64(table, xray_function_of(pc));
}

bool trace_command_output(struct trace_command *command, struct out *out, enum exit_status *status)
{
    struct error err;
    enum status result;
    if (!command->output)
        result = out_open_fd(out, STDOUT_FILENO, "standard output", &err);
    else if (is_same_file(command->output, command->trace))
        result = error_set(&err, STATUS_INPUT, "%s: the output would replace the trace",
                           command->output);
    else
        result = out_open(out, command->output, &err);
    if (result == STATUS_OK) {
        out_skip(out, command->shown_bytes);
        out_depend(out, &command->names.lacks_memory);
        return true;
    }
    *status = trace_command_error(command, &err);
    return false;
}

void trace_command_put(const struct trace_command *command, struct out *out, const char *text)
{
    if (command->reading == READING_TTU)
        out_text(out, text);
    else
        out_clean(out, text);
}

void trace_command_print_stages(const struct trace_command *command)
{
    const struct pipeline_result *result = &command->result;
    FILE *out = command->diag.out;
    uint64_t all_ns = 0;
    for (int i = 0; i < STAGE_COUNT; i++)
        all_ns += result->stage_ns[i];
    uint64_t sequential_ns = result->stage_ns[STAGE_SPLIT] + result->stage_ns[STAGE_STITCH] +
                             result->stage_ns[STAGE_MATCH] + result->stage_ns[STAGE_CARRY] +
                             result->stage_ns[STAGE_WRITE];
    double wall_s = (double)result->wall_ns / 1e9;
    fprintf(out,
            "trawl: %" PRIu64 " byte%s, %" PRIu64 " line%s in %.3f s (%.0f MB/s), %u thread%s, %s, "
            "%" PRIu64 " chunk%s, %" PRIu64 " parsed again\n",
            result->bytes, plural(result->bytes), result->lines, plural(result->lines), wall_s,
            (double)result->bytes / 1e6 / (wall_s + 1e-9), command->threads,
            plural(command->threads), simd_name(command->simd), result->chunks,
            plural(result->chunks), result->chunks_parsed_again);
    fputs("trawl: time of all workers:", out);
    for (int i = 0; i < STAGE_COUNT; i++) {
        if (i <= STAGE_MATCH || result->stage_ns[i])
            fprintf(out, "%s %s %.3f s", i ? "," : "", pipeline_stage_name((enum pipeline_stage)i),
                    (double)result->stage_ns[i] / 1e9);
    }
    fprintf(out, "; sequential share %.1f%%\n",
            100.0 * (double)sequential_ns / ((double)all_ns + 1));
}

static void print_lanes(const struct trace_command *command)
{
    for (size_t i = 0; i < command->result.lane_count; i++) {
        const struct lane_result *lane = &command->result.lanes[i];
        fputs("trawl: ", command->diag.out);
        visible_text(command->diag.out, lane->name, strlen(lane->name));
        fprintf(command->diag.out,
                "%s%" PRIu64 " event%s in %" PRIu64 " node%s, %" PRIu64 " instruction%s; "
                "%" PRIu64 " transfer%s, %" PRIu64 " call%s returned; lost: %" PRIu64
                " dropped as SP rose, %" PRIu64 " not returned at the end\n",
                *lane->name ? ": " : "", lane->events, plural(lane->events), lane->nodes,
                plural(lane->nodes), lane->instructions, plural(lane->instructions),
                lane->counts.transfers, plural(lane->counts.transfers), lane->counts.returned,
                plural(lane->counts.returned), lane->counts.dropped, lane->counts.unreturned);
    }
}

enum exit_status trace_command_end(struct trace_command *command, struct out *out)
{
    struct error err;
    const struct trace *trace = command->opened;
    // What is not read chunk by chunk is read while reports are written; a pass looks when it ends.
    if (trace && !trace_can(trace, TRACE_CHUNKS) && !source_is_intact(trace->source)) {
        out_abandon(out);
        error_set(&err, STATUS_INPUT, "%s: was changed while it was read", command->trace);
        return trace_command_error(command, &err);
    }
    if (out_close(out, &err) != STATUS_OK)
        return trace_command_error(command, &err);
    return trace_command_sum_up(command);
}

// --- What is said at the end ---------------------------------------------------------------------

static void on_warning(void *self, const char *text)
{
    struct trace_command *command = self;
    diag_warning(&command->diag, "%s: %s", command->trace, text);
}

static void on_detail(void *self, const char *text)
{
    const struct trace_command *command = self;
    visible_line(command->diag.out, "trawl: %s", text);
}

static void print_moved_images(const struct trace_command *command)
{
    const struct image_set *images = &command->names.images;
    for (size_t i = 0; i < images->members.count; i++)
        visible_line(command->diag.out, "trawl: %s: moved by 0x%" PRIx64,
                     image_path(images->members.items[i].image), images->members.items[i].offset);
}

// What the kind has to say itself.
static void say_of_kind(struct trace_command *command)
{
    const struct trace_kind *kind = command->opened->kind;
    const struct trace_sayer sayer = {command, on_warning, command->verbose ? on_detail : NULL};
    kind->sum_up(command->opened, &command->result, &sayer);
    if (command->verbose && kind->move_images)
        print_moved_images(command);
}

// What is said of any pass over lines.
static void say_of_pass(struct trace_command *command)
{
    if (command->verbose && command->is_replayed)
        fprintf(command->diag.out, "trawl: read from the index in %.3f s\n",
                (double)command->result.wall_ns / 1e9);
    else if (command->verbose)
        trace_command_print_stages(command);
    if (command->verbose)
        print_lanes(command);
    if (command->result.lines_of_refused_lanes)
        diag_warning(&command->diag, "%s: more than %d CPU names; %" PRIu64 " line%s left out",
                     command->trace, LIMIT_LANES, command->result.lines_of_refused_lanes,
                     plural(command->result.lines_of_refused_lanes));
}

enum exit_status trace_command_sum_up(struct trace_command *command)
{
    if (command->reading == READING_TTU)
        return EXIT_STATUS_DONE;
    if (command->opened->kind->sum_up)
        say_of_kind(command);
    else
        say_of_pass(command);
    return diag_end(&command->diag, command->trace, command->opened->kind->words.parts);
}
