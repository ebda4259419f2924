#include "cmd/trace_command.h"

#include "cli/values.h"
#include "cli/visible.h"
#include "cmd/system.h"
#include "cmd/tfile_trace.h"
#include "cmd/trace_index.h"
#include "cmd/xray_trace.h"
#include "format/foreign.h"
#include "report/clean.h"

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
    simd_choose(&command->simd, NULL); // main has seen to it that this is fine
    diag_begin(&command->diag, stderr, &command->progress);
}

void trace_command_close(struct trace_command *command)
{
    xray_trace_free(command);
    tfile_trace_free(command);
    source_close(command->source);
    command->source = NULL;
    pipeline_result_free(&command->result);
}

void trace_command_free(struct trace_command *command)
{
    trace_command_close(command);
    names_free(&command->names);
    free(command->image_arguments.items);
}

// --- Images --------------------------------------------------------------------------------------

enum exit_status trace_command_error(struct trace_command *command, const struct error *err)
{
    if (command->reading == READING_TTU) {
        visible_on_terminal(stderr, err->text, strlen(err->text));
        fputc('\n', stderr);
        return EXIT_STATUS_FAILED;
    }
    return diag_error(&command->diag, err);
}

bool trace_command_tell_damage(struct trace_command *command, const struct trace_damage *damage,
                               fault_text *text_of)
{
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

static enum status add_image(struct trace_command *command, const char *argument, struct error *err)
{
    enum status status = names_add_image(&command->names, argument, err);
    if (status == STATUS_OK || status == STATUS_MEMORY || command->reading == READING_RIGHT)
        return status;
    return error_set(err, status, "Cannot open ELF file \"%s\"", argument);
}

// False: told that the file is none of those that trawl reads.
static bool refuse_foreign(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    char magic[FOREIGN_MAGIC_BYTES];
    size_t have;
    const char *kind = NULL;
    if (command->reading == READING_TTU || command->takes_index || !command->source)
        return true;
    enum status result = source_peek(command->source, magic, sizeof magic, &have, &err);
    if (result == STATUS_OK)
        kind = foreign_kind(magic, have);
    if (kind)
        result = error_set(&err, STATUS_INPUT, "%s: %s", command->trace, kind);
    if (result == STATUS_OK)
        return true;
    *status = trace_command_error(command, &err);
    return false;
}

bool trace_command_detect(struct trace_command *command, enum exit_status *status)
{
    return xray_trace_open(command, status) && tfile_trace_detect(command, status) &&
           refuse_foreign(command, status);
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
        .is_xray = command->xray != NULL,
        .is_arm = !command->tfile, // as Tarmac is
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
    return !command->tfile || tfile_trace_open(command, status);
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

static enum meter meter_of(const struct trace_command *command)
{
    if (command->reading == READING_RIGHT)
        return progress_meter_for(stderr, command->quiet);
    bool is_shown = command->show_progress || (!command->quiet && isatty(STDOUT_FILENO));
    return is_shown ? METER_TTU : METER_OFF;
}

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

// The reference finds what is no file empty.
static enum exit_status nothing_read(struct trace_command *command)
{
    if (meter_of(command) == METER_TTU)
        fputs("\rReading trace file (finished)\n", stderr);
    return no_events(command);
}

static bool open_trace(struct trace_command *command, struct source **source,
                       enum exit_status *status)
{
    struct error err;
    bool is_ttu = command->reading == READING_TTU;
    if (command->source) {
        *source = command->source;
        command->source = NULL;
        return true;
    }
    switch (source_open(source, command->trace, !is_ttu, &err)) {
    case STATUS_OK:
        return true;
    case STATUS_INPUT: // a directory, which the reference opens and finds empty
        if (is_ttu) {
            *status = nothing_read(command);
            return false;
        }
        break;
    default:
        break;
    }
    *status = trace_command_error(command, &err);
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
        if (!has_events(&command->result)) {
            *status = no_events(command);
        } else if (!has_lane(command)) {
            error_set(err, STATUS_NOT_FOUND, "%s: no core is called '%s'", command->trace,
                      command->lane);
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
        .tarmac = {command->reading, command->implicit_thumb},
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

// The pass itself. Errors name their file.
static enum status run_pass(struct trace_command *command, struct source *source,
                            const struct pipeline_options *options,
                            const struct indexing_options *how, struct error *err)
{
    const struct pipeline_observer observer = trace_command_observer(command);
    char text[400];
    if (how)
        return indexing_run(source, options, &observer, how, &command->result, err);
    enum status status = pipeline_run(source, options, &observer, &command->result, err);
    if (status == STATUS_OK)
        return status;
    snprintf(text, sizeof text, "%.399s", err->text);
    return error_set(err, status, "%s: %s", command->trace, text);
}

bool trace_command_run(struct trace_command *command, struct source *source,
                       const struct pipeline_options *options, const struct indexing_options *how,
                       enum exit_status *status)
{
    struct error err;
    progress_begin(&command->progress, stderr, meter_of(command), source_size_bytes(source));
    if (command->debug_calls &&
        out_open_fd(&command->debug, STDOUT_FILENO, "standard output", &err) != STATUS_OK) {
        *status = trace_command_error(command, &err);
        return false;
    }
    fflush(stdout);
    enum status result = run_pass(command, source, options, how, &err);
    if (command->debug_calls && out_close(&command->debug, &err) != STATUS_OK &&
        result == STATUS_OK) {
        *status = trace_command_error(command, &err);
        return false;
    }
    return trace_command_judge(command, result, &err, status);
}

// A trace that is read twice has to be a file. False: it is none, and that is told.
static bool can_read_twice(struct trace_command *command, const struct source *source,
                           enum exit_status *status)
{
    struct error err;
    if (!command->reads_twice || source_is_mapped(source))
        return true;
    if (command->reading == READING_TTU) {
        *status = nothing_read(command);
        return false;
    }
    error_set(&err, STATUS_INPUT, "%s: is read twice, so it has to be a file", command->trace);
    *status = trace_command_error(command, &err);
    return false;
}

// Closes the source, or keeps it for another pass.
static void end_with_source(struct trace_command *command, struct source *source)
{
    if (command->reads_twice)
        command->source = source;
    else
        source_close(source);
}

static bool pass_or_index(struct trace_command *command, struct source *source,
                          const struct call_consumer *consumer, const struct watch_list *watch,
                          enum exit_status *status)
{
    const struct pipeline_options options = trace_command_pass_options(command, consumer, watch);
    enum trace_index_outcome outcome = trace_index_use(command, source, &options, status);
    if (outcome != TRACE_INDEX_UNUSED)
        return outcome == TRACE_INDEX_USED;
    if (!trace_command_run(command, source, &options, NULL, status))
        return false;
    if (command->index_use != INDEX_ONLY || command->is_indexing)
        return true;
    *status = trace_command_sum_up(command); // --only-index --memory-index
    return false;
}

bool trace_command_pass(struct trace_command *command, const struct call_consumer *consumer,
                        const struct watch_list *watch, enum exit_status *status)
{
    struct source *source;
    if (!trace_command_detect(command, status))
        return false;
    if (command->xray)
        return xray_trace_pass(command, consumer, watch, status);
    if (command->tfile)
        return tfile_trace_index(command, status);
    if (!open_trace(command, &source, status))
        return false;
    bool is_done = can_read_twice(command, source, status) &&
                   pass_or_index(command, source, consumer, watch, status);
    end_with_source(command, source);
    return is_done;
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
    enum meter meter = command->reading == READING_RIGHT ? meter_of(command) : METER_OFF;
    options.segments = *segments;
    source_rewind(command->source);
    progress_begin(&command->progress, stderr, meter, source_size_bytes(command->source));
    enum status status = pipeline_run(command->source, &options, &observer, &result, err);
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
    if (!command->xray && strncmp(command->function, "0x", 2) == 0 &&
        parse_u64(command->function, &address))
        return ((pc ^ address) & ~UINT64_C(1)) == 0;
    return strcmp(names_of(&command->names, pc), command->function) == 0;
}

bool trace_command_table(struct trace_command *command, struct table *table, struct out *out,
                         const struct column *columns, size_t column_count,
                         enum exit_status *status)
{
    struct error err;
    if (table_begin(table, out, command->table_format, columns, column_count, &err) == STATUS_OK)
        return true;
    out_abandon(out);
    *status = trace_command_error(command, &err);
    return false;
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
            "trawl: %" PRIu64 " bytes, %" PRIu64 " lines in %.3f s (%.0f MB/s), %u threads, %s, "
            "%" PRIu64 " chunks, %" PRIu64 " parsed again\n",
            result->bytes, result->lines, wall_s, (double)result->bytes / 1e6 / (wall_s + 1e-9),
            command->threads, simd_name(command->simd), result->chunks,
            result->chunks_parsed_again);
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
                "%s%" PRIu64 " events in %" PRIu64 " nodes, %" PRIu64 " instructions; "
                "%" PRIu64 " transfers, %" PRIu64 " calls returned; lost: %" PRIu64
                " dropped as SP rose, %" PRIu64 " not returned at the end\n",
                *lane->name ? ": " : "", lane->events, lane->nodes, lane->instructions,
                lane->counts.transfers, lane->counts.returned, lane->counts.dropped,
                lane->counts.unreturned);
    }
}

enum exit_status trace_command_end(struct trace_command *command, struct out *out)
{
    struct error err;
    if (out_close(out, &err) != STATUS_OK)
        return trace_command_error(command, &err);
    return trace_command_sum_up(command);
}

enum exit_status trace_command_sum_up(struct trace_command *command)
{
    if (command->reading == READING_TTU)
        return EXIT_STATUS_DONE;
    if (command->xray) {
        xray_trace_sum_up(command);
        return diag_end(&command->diag, command->trace, "places");
    }
    if (command->tfile) {
        tfile_trace_sum_up(command);
        return diag_end(&command->diag, command->trace, "places");
    }
    if (command->verbose && command->is_replayed)
        fprintf(command->diag.out, "trawl: read from the index in %.3f s\n",
                (double)command->result.wall_ns / 1e9);
    else if (command->verbose)
        trace_command_print_stages(command);
    if (command->verbose)
        print_lanes(command);
    if (command->result.lines_of_refused_lanes)
        diag_warning(&command->diag, "%s: more than %d CPU names; %" PRIu64 " lines left out",
                     command->trace, LIMIT_LANES, command->result.lines_of_refused_lanes);
    return diag_end(&command->diag, command->trace, "lines");
}
