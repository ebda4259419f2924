#include "cmd/command.h"

#include "cli/visible.h"
#include "cmd/report_damage.h"
#include "cmd/report_hidden.h"
#include "cmd/system.h"
#include "report/clean.h"
#include "search/line_prefix.h"
#include "session/shown.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void command_begin(struct command *command, const struct command_spec *spec)
{
    *command = (struct command){
        .spec = spec, .needs = spec->needs, .writes_tables = true, .lane = TRAWL_ANY_LANE};
    session_begin(&command->session, spec->manner == MANNER_TTU ? READING_TTU : READING_TRUE,
                  processor_count());
    command->session.keeps_open_calls = spec->manner == MANNER_TRAWL;
    diag_begin(&command->diag, stderr, &command->progress);
}

void command_free(struct command *command)
{
    parquet_abandon(command->parquet);
    trace_context_free(&command->context);
    free(command->index_path);
    for (size_t i = 0; i < command->others.count; i++)
        session_files_free(&command->others.items[i].files);
    free(command->others.items);
    session_free(&command->session);
    line_prefix_close(command->prefix);
}

// --- Errors --------------------------------------------------------------------------------------

enum exit_status command_error(struct command *command, const struct error *err)
{
    if (err->status == STATUS_STOPPED) // which was reported
        return EXIT_STATUS_FAILED;
    if (command->session.reading == READING_TTU) {
        visible_on_terminal(stderr, err->text, strlen(err->text));
        fputc('\n', stderr);
        return EXIT_STATUS_FAILED;
    }
    return diag_error(&command->diag, err);
}

enum exit_status command_no_memory(struct command *command)
{
    struct error err;
    error_set(&err, STATUS_MEMORY, "%s: no memory", command->session.path);
    return command_error(command, &err);
}

// --- One trace of several ------------------------------------------------------------------------

// The meaning of images depends on the kind of the trace, and their addresses may be in the trace,
// so each trace has its own names.
void command_begin_one(struct command *one, const struct command *common, const char *path,
                       FILE *out)
{
    *one = *common;
    one->session.path = path;
    diag_begin(&one->diag, out, &one->progress);
    one->diag.memory_bytes = common->diag.memory_bytes;
}

void command_end_one(struct command *one)
{
    session_close(&one->session);
    free(one->index_path);
    one->index_path = NULL;
    function_map_free(&one->session.functions);
    names_free(&one->session.names);
}

// --- Reports -------------------------------------------------------------------------------------

bool command_has_shown(struct command *command, bool shows_something, enum exit_status *status)
{
    struct error err;
    if (shows_something || session_shows_nothing(&command->session, &err) == STATUS_OK)
        return true;
    *status = command_error(command, &err);
    return false;
}

bool command_context(struct command *command, enum exit_status *status)
{
    struct error err;
    if (trace_context_open(&command->context, &command->session, &err) == STATUS_OK)
        return true;
    *status = command_error(command, &err);
    return false;
}

static bool is_of_files(const struct command *command)
{
    return command->session.trace && source_has_files(command->session.trace->source);
}

static const char *place_of(void *self, uint64_t line)
{
    struct command *command = self;
    return file_place_of_line(command->session.trace, line, command->place);
}

static size_t lay_columns(struct command *command, const struct column *columns,
                          size_t column_count)
{
    size_t count = 0;
    for (size_t i = 0; i < column_count; i++) {
        command->columns[count] = columns[i];
        if (command->session.trace && strcmp(columns[i].key, "lane") == 0)
            command->columns[count].title = command->session.trace->kind->words.heading;
        count++;
        if (columns[i].kind == COLUMN_LINE && is_of_files(command))
            command->columns[count++] = (struct column){"File:line", "file_line", COLUMN_TEXT};
    }
    if (command->session.is_of_beginning &&
        (command->parquet || command->table_format != TABLE_TEXT)) {
        command->columns[count++] = (struct column){"Covered bytes", "covered_bytes", COLUMN_U64};
        command->columns[count++] = (struct column){"Trace bytes", "trace_bytes", COLUMN_U64};
    }
    if (command->context.is_open)
        command->columns[count++] = (struct column){"Context", "context", COLUMN_BELOW};
    return count;
}

bool command_table(struct command *command, struct table *table, struct out *out,
                   const struct column *columns, size_t column_count, enum exit_status *status)
{
    struct error err;
    ASSERT(column_count + 3 < TRACE_COLUMNS_MAX);
    if (!command_context(command, status)) {
        out_abandon(out);
        return false;
    }
    size_t count = lay_columns(command, columns, column_count);
    const char *unit = command->session.view.index
                           ? tick_unit(command->session.view.info.ticks_per_second)
                           : trace_tick_unit(command->session.trace);
    enum status begun = command->parquet ? table_begin_parquet(table, out, command->parquet,
                                                               command->columns, count, &err)
                                         : table_begin_timed(table, out, command->table_format,
                                                             command->columns, count, unit, &err);
    if (begun == STATUS_OK) {
        table->place_of = is_of_files(command) ? place_of : NULL;
        table->place_self = command;
        if (command->session.is_of_beginning) {
            table->covered_bytes = command->session.view.info.file_bytes;
            table->of_bytes = command->session.grown_bytes;
        }
        return true;
    }
    out_abandon(out);
    *status = command_error(command, &err);
    return false;
}

bool command_has_text(struct command *command, enum trace_text found)
{
    if (found == TRACE_TEXT_LOST && !command->has_told_text) {
        command->has_told_text = true;
        diag_warning(&command->diag,
                     "%s: has changed or can no longer be read: the text of its lines is left out",
                     command->session.path);
    }
    return found == TRACE_TEXT_FOUND;
}

void command_function_id(struct table *table, uint64_t pc)
{
    if (pc == FUNCTION_PC_OUTSIDE)
        table_none(table);
    else
        table_u64(table, function_id(pc));
}

static bool is_to_be_packed(const struct command *command)
{
    static const char end[] = ".gz";
    size_t length = command->packs_output && command->output ? strlen(command->output) : 0;
    return length >= sizeof end && strcmp(command->output + length - (sizeof end - 1), end) == 0;
}

static enum status open_output(const struct command *command, struct out *out, struct error *err)
{
    if (command->output_fd)
        return out_open_fd(out, command->output_fd, command->output, err);
    enum status status = out_open(out, command->output, err);
    if (status == STATUS_OK && is_to_be_packed(command) &&
        (status = out_pack(out, err)) != STATUS_OK)
        out_abandon(out);
    return status;
}

// For a table of many files, `out` only shows that something failed.
static enum status open_parquet(struct command *command, struct out *out, struct error *err)
{
    enum status status = out_open_memory(out, err);
    if (status == STATUS_OK && (status = command->open_parquet(command, err)) != STATUS_OK)
        out_abandon(out);
    return status;
}

// Ends the table of many files, if there is one.
static enum status end_parquet(struct command *command, struct error *err)
{
    struct parquet *parquet = command->parquet;
    if (!parquet)
        return STATUS_OK;
    command->parquet = NULL;
    if (!command->session.names.lacks_memory)
        return parquet_end(parquet, err);
    parquet_abandon(parquet);
    return error_set(err, STATUS_MEMORY, "%s: no memory", command->session.path);
}

bool command_output(struct command *command, struct out *out, enum exit_status *status)
{
    struct error err;
    enum status result;
    if (command->open_parquet)
        result = open_parquet(command, out, &err);
    else if (!command->output)
        result = out_open_fd(out, STDOUT_FILENO, "standard output", &err);
    else if (is_same_file(command->output, command->session.path))
        result = error_set(&err, STATUS_INPUT, "%s: the output would replace the trace",
                           command->output);
    else
        result = open_output(command, out, &err);
    if (result == STATUS_OK) {
        out_skip(out, command->shown_bytes);
        out_depend(out, &command->session.names.lacks_memory);
        return true;
    }
    *status = command_error(command, &err);
    return false;
}

void command_depends_on(struct command *command, const struct command *other)
{
    command->session.names.lacks_memory |= other->session.names.lacks_memory;
}

void command_put(const struct command *command, struct out *out, const char *text)
{
    if (command->session.reading == READING_TTU)
        out_text(out, text);
    else
        out_clean(out, text);
}

void command_print_stages(const struct command *command)
{
    const struct pass_result *result = &command->session.result;
    FILE *out = command->diag.out;
    uint64_t all_ns = 0;
    for (int i = 0; i < STAGE_COUNT; i++)
        all_ns += result->stage_ns[i];
    uint64_t sequential_ns = result->stage_ns[STAGE_SPLIT] + result->stage_ns[STAGE_STITCH] +
                             result->stage_ns[STAGE_JOIN] + result->stage_ns[STAGE_CARRY] +
                             result->stage_ns[STAGE_WRITE];
    double wall_s = (double)result->wall_ns / 1e9;
    fprintf(out,
            "trawl: %" PRIu64 " byte%s, %" PRIu64 " line%s in %.3f s (%.0f MB/s), %u thread%s, %s, "
            "%" PRIu64 " chunk%s, %" PRIu64 " parsed again\n",
            result->bytes, plural(result->bytes), result->lines, plural(result->lines), wall_s,
            (double)result->bytes / 1e6 / (wall_s + 1e-9), command->session.threads,
            plural(command->session.threads), simd_name(command->session.simd), result->chunks,
            plural(result->chunks), result->chunks_parsed_again);
    fputs("trawl: time of all workers:", out);
    for (int i = 0; i < STAGE_COUNT; i++) {
        if (i <= STAGE_JOIN || result->stage_ns[i])
            fprintf(out, "%s %s %.3f s", i ? "," : "", pass_stage_name((enum pass_stage)i),
                    (double)result->stage_ns[i] / 1e9);
    }
    fprintf(out, "; sequential share %.1f%%\n",
            100.0 * (double)sequential_ns / ((double)all_ns + 1));
}

static void print_lanes(const struct command *command)
{
    for (size_t i = 0; i < command->session.result.lane_count; i++) {
        const struct lane_result *lane = &command->session.result.lanes[i];
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

// Reports if more than one in a thousand returns have no known call.
static void report_unmatched(struct command *command)
{
    uint64_t unmatched = 0, returned = 0;
    for (size_t i = 0; i < command->session.result.lane_count; i++) {
        unmatched += command->session.result.lanes[i].counts.unmatched;
        returned += command->session.result.lanes[i].counts.returned;
    }
    if (unmatched > (unmatched + returned) / 1000)
        diag_warning(&command->diag,
                     "%s: %" PRIu64 " of %" PRIu64
                     " returns belong to no call that the trace shows, so calls around them may "
                     "be wrong",
                     command->session.path, unmatched, unmatched + returned);
}

void command_report_unknown_ids(struct command *command)
{
    const struct names *names = &command->session.names;
    if (names->unknown_id)
        diag_warning(&command->diag,
                     "%s: no image has function %s; is an image missing, or is one wrong?",
                     command->session.path, names->unknown_id);
}

bool command_is_intact(const struct command *command)
{
    const struct trace *trace = command->session.trace;
    // Traces that are not read chunk by chunk are read while reports are written; a pass checks at
    // its end.
    bool is_read = trace && (command->context.is_open || !trace_can(trace, TRACE_CHUNKS));
    return !is_read || source_is_intact(trace->source);
}

// Looks up the places of doubts in the files of a trace: that may take memory, whose lack must not
// come after the report.
static enum status find_places(const struct command *command, struct error *err)
{
    char place[FILE_PLACE_BYTES];
    for (enum doubt_kind kind = 0; kind < DOUBT_KINDS && is_of_files(command); kind++) {
        const struct doubt *doubt = &command->session.result.doubts.of[kind];
        errno = 0;
        if (doubt->count && !file_place_of_line(command->session.trace, doubt->line, place) &&
            errno == ENOMEM)
            return error_set(err, STATUS_MEMORY, "%s: no memory", command->session.path);
    }
    return STATUS_OK;
}

enum exit_status command_end(struct command *command, struct out *out)
{
    struct error err;
    if (find_places(command, &err) != STATUS_OK) {
        out_abandon(out);
        return command_error(command, &err);
    }
    if (!command_is_intact(command)) {
        out_abandon(out);
        error_set(&err, STATUS_INPUT, "%s: was changed while it was read", command->session.path);
        return command_error(command, &err);
    }
    if (end_parquet(command, &err) != STATUS_OK) {
        out_abandon(out);
        return command_error(command, &err);
    }
    if (out_close(out, &err) != STATUS_OK)
        return command_error(command, &err);
    if (command->session.reading == READING_TRUE)
        report_unmatched(command);
    command_report_unknown_ids(command);
    report_hidden(&command->diag, command->session.path, &command->session.hidden);
    return command_sum_up(command);
}

// --- Messages at the end -------------------------------------------------------------------------

static void on_warning(void *self, const char *text)
{
    struct command *command = self;
    diag_warning(&command->diag, "%s: %s", command->session.path, text);
}

static void on_lost(void *self, const char *text)
{
    struct command *command = self;
    on_warning(self, text);
    command->diag.is_partial = true;
}

static void on_detail(void *self, const char *text)
{
    const struct command *command = self;
    visible_line(command->diag.out, "trawl: %s", text);
}

static void print_moved_images(const struct command *command)
{
    const struct image_set *images = &command->session.names.images;
    for (size_t i = 0; i < images->members.count; i++)
        visible_line(command->diag.out, "trawl: %s: moved by 0x%" PRIx64,
                     image_path(images->members.items[i].image), images->members.items[i].offset);
}

void command_say_of_kind(struct command *command)
{
    const struct trace_kind *kind = command->session.trace->kind;
    const struct trace_reporter reporter = {command, on_warning, on_lost,
                                            command->verbose ? on_detail : NULL};
    kind->telling.sum_up(command->session.trace, &command->session.result, &reporter);
    if (command->verbose && kind->placing.move)
        print_moved_images(command);
}

void command_fit_core(const struct command *command, struct core_fit *fit, uint64_t first,
                      uint64_t last)
{
    const struct image_set *images = &command->session.names.images;
    if (!fit->has_cores)
        fit->first = first;
    fit->has_cores = true;
    fit->fits =
        fit->fits || image_set_may_cover(images, first) || image_set_may_cover(images, last);
}

// Warns about images that do not fit the trace, which give no names, or wrong ones.
void command_report_misfit(struct command *command, const struct core_fit *fit)
{
    const struct image_set *images = &command->session.names.images;
    const struct trace *trace = command->session.trace;
    if (!fit->has_cores || fit->fits || !images->members.count || !trace ||
        !trace_can(trace, TRACE_ADDRESSES))
        return;
    diag_warning(&command->diag,
                 "%s: begins at 0x%" PRIx64 ", and neither begins nor ends in %s%s; does it "
                 "fit, or lack --load-offset?",
                 command->session.path, fit->first, image_path(images->members.items[0].image),
                 images->members.count > 1 ? " or another image" : "");
}

static void report_misfit(struct command *command)
{
    const struct pass_result *result = &command->session.result;
    struct core_fit fit = {0};
    for (size_t i = 0; i < result->lane_count && !fit.fits; i++) {
        const struct lane_result *lane = &result->lanes[i];
        if (lane->has_root)
            command_fit_core(command, &fit, lane->root.pc, lane->last.pc);
    }
    command_report_misfit(command, &fit);
}

void command_say_no_sp(struct command *command)
{
    diag_warning(&command->diag,
                 "%s: no line writes SP: recursive calls, and calls that are left by exceptions or "
                 "longjmp, cannot be distinguished",
                 command->session.path);
}

// Reports what applies to any pass over lines.
static void say_of_pass(struct command *command)
{
    if (command->verbose && command->session.is_replayed)
        fprintf(command->diag.out, "trawl: read from the index in %.3f s\n",
                (double)command->session.result.wall_ns / 1e9);
    else if (command->verbose)
        command_print_stages(command);
    if (command->verbose)
        print_lanes(command);
    if (command->session.result.lines_of_refused_lanes)
        diag_warning(&command->diag, "%s: more than %d names of cores; %" PRIu64 " line%s left out",
                     command->session.path, LIMIT_LANES,
                     command->session.result.lines_of_refused_lanes,
                     plural(command->session.result.lines_of_refused_lanes));
    if (command->session.result.lacks_stack_pointer)
        command_say_no_sp(command);
}

bool command_report_unknown(struct command *command, const struct unknown_summary *unknown,
                            uint64_t lines)
{
    char words[UNKNOWN_WORDS_SHOWN * (UNKNOWN_WORD_BYTES + 32)] = "";
    size_t length = 0, shown = 0;
    if (!unknown->line_count)
        return false;
    for (; shown < UNKNOWN_WORDS_SHOWN && unknown->most[shown].line_count; shown++)
        length += (size_t)snprintf(words + length, sizeof words - length, "%s '%s' (%" PRIu64 ")",
                                   shown ? "," : ":", unknown->most[shown].text,
                                   unknown->most[shown].line_count);
    diag_warning(&command->diag, "%s: lines of unknown records: %" PRIu64 "%s%s",
                 command->session.path, unknown->line_count, words,
                 unknown->kinds == shown ? "" : ", and others");
    return unknown->line_count > lines / 2;
}

void command_say_of_growth(struct command *command)
{
    const struct session *session = &command->session;
    const struct source *source = session->trace ? session->trace->source : NULL;
    uint64_t lines = session->view.info.lines;
    if (!source)
        return;
    if (session->is_of_beginning) {
        diag_warning(&command->diag,
                     "%s: the index covers the first %" PRIu64 " line%s, %" PRIu64 " of %" PRIu64
                     " bytes, of a trace that has grown; 'trawl index' brings it up to date",
                     session->path, lines, plural(lines), session->view.info.file_bytes,
                     session->grown_bytes);
        command->diag.is_partial = true;
    } else if (source_unfinished_bytes(source) || source_has_grown(source))
        diag_warning(&command->diag,
                     "%s: is being written; this covers the %" PRIu64
                     " bytes%s that it had at first",
                     session->path, source_text_bytes(source),
                     source_unfinished_bytes(source) ? " of whole lines" : "");
}

static void report_cut_short(struct command *command)
{
    const struct pass_result *result = &command->session.result;
    const struct source *source = command->session.trace->source;
    if (!source_is_cut_short(source))
        return;
    diag_warning(&command->diag,
                 "%s: interrupted: this covers its first %" PRIu64 " line%s (%" PRIu64 " bytes)",
                 command->session.path, result->lines, plural(result->lines), result->bytes);
    command->diag.is_partial = true;
}

// Reports what is missing of a compressed trace, according to itself or its index.
static void report_packed(struct command *command)
{
    const struct trace *trace = command->session.trace;
    struct trawl_info info;
    if (source_fault(trace->source).text || !trace->index) {
        report_packed_damage(&command->diag, trace->source);
        return;
    }
    trawl_info(trace->index, &info);
    report_indexed_damage(&command->diag, command->session.path, &info);
}

enum exit_status command_sum_up(struct command *command)
{
    if (command->session.reading == READING_TTU)
        return EXIT_STATUS_DONE;
    command_say_of_growth(command);
    if (command->session.trace->kind->telling.sum_up)
        command_say_of_kind(command);
    else
        say_of_pass(command);
    report_misfit(command);
    report_cut_short(command);
    report_packed(command);
    report_doubts(&command->diag, command->session.path, command->session.trace,
                  &command->session.result.doubts, false);
    const struct pass_result *result = &command->session.result;
    bool is_mostly_unknown = command_report_unknown(command, &result->unknown, result->lines);
    enum exit_status status =
        diag_end(&command->diag, command->session.path, command->session.trace->kind->words.parts);
    return is_mostly_unknown ? EXIT_STATUS_DAMAGED : status;
}
