#include "cmd/trace_command.h"

#include "cli/values.h"
#include "cli/visible.h"
#include "cmd/system.h"
#include "cmd/tell_damage.h"
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
        .chunk_bytes = PASS_CHUNK_BYTES_DEFAULT,
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
    pass_result_free(&command->result);
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

// --- What reports ask ----------------------------------------------------------------------------

bool trace_command_can(const struct trace_command *command, unsigned abilities)
{
    return !command->opened || trace_can(command->opened, abilities);
}

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
    // Without any instruction the reference shows node zero of nothing.
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
    if (trace_command_can(command, TRACE_ADDRESSES) && strncmp(command->function, "0x", 2) == 0 &&
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
    if (pc == FUNCTION_PC_OUTSIDE)
        table_none(table);
    else
        table_u64(table, function_id(pc));
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
    const struct pass_result *result = &command->result;
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
            fprintf(out, "%s %s %.3f s", i ? "," : "", pass_stage_name((enum pass_stage)i),
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
