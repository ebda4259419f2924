#include "cmd/command.h"

#include "base/limits.h"
#include "cli/visible.h"
#include "cmd/report_damage.h"
#include "cmd/system.h"
#include "report/out.h"
#include "search/line_prefix.h"
#include "session/shown.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void command_begin(struct command *command, const struct command_spec *spec)
{
    *command = (struct command){.spec = spec,
                                .needs = spec->needs,
                                .status = EXIT_STATUS_FAILED,
                                .writes_tables = true,
                                .lane = TRAWL_ANY_LANE};
    session_begin(&command->session, spec->option_set == OPTIONS_TTU ? READING_TTU : READING_TRUE,
                  processor_count());
    command->session.keeps_open_calls = spec->option_set == OPTIONS_TRAWL;
    diag_begin(&command->diag, messages_of(spec), &command->progress);
}

void command_free(struct command *command)
{
    command_abandon(command);
    parquet_abandon(command->parquet);
    trace_context_free(&command->context);
    free(command->index_path);
    for (size_t i = 0; i < command->others.count; i++) {
        session_files_free(&command->others.items[i].files);
        free(command->others.items[i].images.items);
    }
    free(command->others.items);
    session_free(&command->session);
    line_prefix_close(command->prefix);
}

// --- Failures ------------------------------------------------------------------------------------

bool command_fail(struct command *command, const struct error *err)
{
    command->status = EXIT_STATUS_FAILED;
    if (command->spec->host)
        command->spec->host->failure = *err;
    if (command->asks_index && err->status == STATUS_DAMAGED && command->session.is_rebuildable) {
        command->is_damaged = true;
    } else if (err->status == STATUS_STOPPED) {
        // which was reported
    } else if (command->session.reading == READING_TTU) {
        visible_on_terminal(stderr, err->text, strlen(err->text));
        fputc('\n', stderr);
    } else {
        command->status = diag_error(&command->diag, err);
    }
    return false;
}

bool command_fail_with(struct command *command, enum status status, const char *format, ...)
{
    struct error err;
    va_list args;
    va_start(args, format);
    error_set_list(&err, status, format, args);
    va_end(args);
    return command_fail(command, &err);
}

bool command_no_memory(struct command *command)
{
    return command_fail_with(command, STATUS_MEMORY, "%s: no memory", command->session.path);
}

bool command_refuse(struct command *command, const char *why)
{
    command_fail_with(command, STATUS_INPUT, "%s: %s", command->session.path, why);
    command->status = EXIT_STATUS_USAGE;
    return false;
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

void command_free_one(struct command *one)
{
    session_close(&one->session);
    text_list_free(&one->session.listed_images);
    free(one->index_path);
    one->index_path = NULL;
    function_map_free(&one->session.functions);
    image_programs_free(&one->session.programs);
    names_free(&one->session.names);
}

// --- Reports -------------------------------------------------------------------------------------

bool command_require_shown(struct command *command, bool shows_something)
{
    struct error err;
    return shows_something || session_shows_nothing(&command->session, &err) == STATUS_OK ||
           command_fail(command, &err);
}

bool command_context(struct command *command)
{
    struct error err;
    return trace_context_open(&command->context, &command->session, &err) == STATUS_OK ||
           command_fail(command, &err);
}

void command_report_unknown_ids(struct command *command)
{
    const struct names *names = &command->session.names;
    if (names->unknown_id)
        diag_warning(&command->diag,
                     "%s: no image has function %s; is an image missing, or is one wrong?",
                     command->session.path, names->unknown_id);
}

// --- The output ----------------------------------------------------------------------------------

static bool is_of_files(const struct command *command)
{
    return command->session.trace && source_has_files(command->session.trace->source);
}

static const char *place_of(void *self, uint64_t line)
{
    struct command *command = self;
    return file_place_of_line(command->session.trace, line, command->place);
}

// Opens the output. For a table of many files, it only shows that something failed.
static enum status open_output(struct command *command, struct error *err)
{
    struct out *out = &command->out;
    enum status status;
    if (command->open_parquet) {
        status = out_open_memory(out, err);
        if (status == STATUS_OK && (status = command->open_parquet(command, err)) != STATUS_OK)
            out_abandon(out);
        return status;
    }
    if (!command->output && command->spec->host)
        return out_open_memory(out, err);
    if (!command->output) {
        status = out_open_fd(out, STDOUT_FILENO, "standard output", err);
        if (status == STATUS_OK && !command->wide)
            out_fit(out);
        return status;
    }
    if (is_same_file(command->output, command->session.path))
        return error_set(err, STATUS_INPUT, "%s: the output would replace the trace",
                         command->output);
    if (command->output_fd)
        return out_open_fd(out, command->output_fd, command->output, err);
    status = out_open(out, command->output, err);
    size_t length = strlen(command->output);
    bool is_to_be_packed = command->packs_output && length > strlen(".gz") &&
                           strcmp(command->output + length - strlen(".gz"), ".gz") == 0;
    if (status == STATUS_OK && is_to_be_packed && (status = out_pack(out, err)) != STATUS_OK)
        out_abandon(out);
    return status;
}

bool command_output(struct command *command)
{
    struct error err;
    if (open_output(command, &err) != STATUS_OK)
        return command_fail(command, &err);
    command->has_output = true;
    out_skip(&command->out, command->shown_bytes);
    out_depend(&command->out, &command->session.names.lacks_memory);
    return true;
}

enum status command_begin_table(struct command *command, struct table *table,
                                const struct table_column *columns, size_t count, struct error *err)
{
    const struct session *session = &command->session;
    struct command_host *host = command->spec->host;
    const char *unit = session->view.index ? index_tick_unit(&session->view.info)
                                           : trace_tick_unit(session->trace);
    if (command->parquet)
        return table_begin_parquet(table, &command->out, command->parquet, columns, count, err);
    if (!host || command->output || command->table_format != TABLE_CSV)
        return table_begin_timed(table, &command->out, command->table_format, columns, count, unit,
                                 err);
    memcpy(host->shown, columns, count * sizeof *columns);
    host->shown_count = count;
    host->tick_unit = unit;
    return table_begin_kept(table, &command->out, host->rows, columns, count, err);
}

bool command_table(struct command *command, const struct table_column *columns, size_t column_count)
{
    struct table *table = &command->table;
    struct error err;
    struct session *session = &command->session;
    struct table_column *laid = command->columns;
    size_t count = 0;
    ASSERT(column_count + 3 < TRACE_COLUMNS_MAX);
    if (!command_output(command) || !command_context(command))
        return false;
    for (size_t i = 0; i < column_count; i++) {
        laid[count] = columns[i];
        if (session->trace && strcmp(columns[i].key, "lane") == 0)
            laid[count].title = session->trace->kind->words.heading;
        count++;
        if (columns[i].kind == COLUMN_LINE && is_of_files(command))
            laid[count++] = (struct table_column){"File:line", "file_line", COLUMN_TEXT};
    }
    if (session->is_of_beginning && (command->parquet || command->table_format != TABLE_TEXT)) {
        laid[count++] = (struct table_column){"Covered bytes", "covered_bytes", COLUMN_U64};
        laid[count++] = (struct table_column){"Trace bytes", "trace_bytes", COLUMN_U64};
    }
    if (command->context.is_open)
        laid[count++] = (struct table_column){"Context", "context", COLUMN_BELOW};
    if (command_begin_table(command, table, laid, count, &err) != STATUS_OK)
        return command_fail(command, &err);
    command->has_table = true;
    table->place_of = is_of_files(command) ? place_of : NULL;
    table->place_self = command;
    table->has_programs = session->names.has_programs;
    if (session->is_of_beginning) {
        table->covered_bytes = session->view.info.file_bytes;
        table->of_bytes = session->grown_bytes;
    }
    return true;
}

bool command_fields(struct command *command, const struct field *fields, size_t field_count,
                    unsigned bits)
{
    struct table_column columns[TRACE_COLUMNS_MAX];
    ASSERT(field_count <= TRACE_COLUMNS_MAX);
    command->field_count = fields_choose(fields, field_count, bits, command->fields, columns);
    return command_table(command, columns, command->field_count);
}

void command_row(struct command *command, const void *row, const struct line_place *at)
{
    fields_put(&command->table, command->fields, command->field_count, row);
    if (at)
        trace_context_cell(&command->context, &command->table, at);
}

enum status command_close(struct command *command, struct error *err)
{
    struct command_host *host = command->spec->host;
    command->has_output = false;
    if (host && !command->output && !out_failed(&command->out)) {
        free(host->text);
        host->text = strdup(out_memory_text(&command->out));
        if (!host->text) {
            out_abandon(&command->out);
            return error_set(err, STATUS_MEMORY, "no memory for the answer");
        }
    }
    return out_close(&command->out, err);
}

void command_abandon(struct command *command)
{
    if (command->has_table)
        table_end(&command->table);
    if (command->has_output) {
        command->shown_bytes = command->spec->host ? 0 : out_shown_bytes(&command->out);
        out_abandon(&command->out);
    }
    command->has_table = command->has_output = false;
}

bool command_is_intact(const struct command *command)
{
    const struct trace *trace = command->session.trace;
    // Traces that are not read chunk by chunk are read while reports are written; a pass checks at
    // its end.
    bool is_read = trace && (command->context.is_open ||
                             (!command->asks_index && !trace_can(trace, TRACE_CHUNKS)));
    return !is_read || source_is_intact(trace->source);
}

bool command_done(struct command *command)
{
    command->has_ended = true;
    command->status = EXIT_STATUS_DONE;
    return true;
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

const uint64_t *command_function_id(uint64_t pc, uint64_t *id)
{
    *id = pc == FUNCTION_PC_OUTSIDE ? 0 : function_id(pc);
    return pc == FUNCTION_PC_OUTSIDE ? NULL : id;
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

void command_say_of_kind(struct command *command)
{
    const struct trace_kind *kind = command->session.trace->kind;
    const struct trace_reporter reporter = {command, on_warning, on_lost,
                                            command->verbose ? on_detail : NULL};
    kind->telling.sum_up(command->session.trace, &command->session.result, &reporter);
    const struct image_set *images = &command->session.names.images;
    for (size_t i = 0; command->verbose && kind->placing.move && i < images->members.count; i++)
        visible_line(command->diag.out, "trawl: %s: moved by 0x%" PRIx64,
                     image_path(images->members.items[i].image), images->members.items[i].offset);
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
        command->session.has_fitting_image || !trace_can(trace, TRACE_ADDRESSES))
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
    else {
        // Reports what applies to any pass over lines.
        if (command->verbose && command->session.is_replayed)
            fprintf(command->diag.out, "trawl: read from the index in %.3f s\n",
                    (double)command->session.result.wall_ns / 1e9);
        else if (command->verbose)
            command_print_stages(command);
        if (command->verbose) {
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
                        lane->counts.transfers, plural(lane->counts.transfers),
                        lane->counts.returned, plural(lane->counts.returned), lane->counts.dropped,
                        lane->counts.unreturned);
            }
        }
        if (command->session.result.lines_of_refused_lanes)
            diag_warning(
                &command->diag, "%s: more than %d names of cores; %" PRIu64 " line%s left out",
                command->session.path, LIMIT_LANES, command->session.result.lines_of_refused_lanes,
                plural(command->session.result.lines_of_refused_lanes));
        if (command->session.result.lacks_stack_pointer)
            command_say_no_sp(command);
    }
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

// --- Source lines of a report --------------------------------------------------------------------

bool source_places_end(struct command *command, struct source_lines *places)
{
    const struct error *fault = source_lines_fault(places);
    bool has_memory = !source_lines_lacked_memory(places);
    if (fault && has_memory)
        diag_warning(&command->diag, "%s: its source lines are left out", fault->text);
    source_lines_free(places);
    return has_memory;
}

// --- --context -----------------------------------------------------------------------------------

enum status trace_context_open(struct trace_context *context, const struct session *session,
                               struct error *err)
{
    const struct trace *trace = session->trace;
    if (!context->is_wanted || context->is_open)
        return STATUS_OK;
    if (!trace || !source_is_file(trace->source))
        return error_set(err, STATUS_INPUT,
                         "%s: --context shows lines of the trace, which must be a file",
                         session->path);
    enum status status = trace_lines_open(&context->lines, trace->source, err);
    if (status == STATUS_OK)
        status = out_open_memory(&context->out, err);
    context->is_open = status == STATUS_OK;
    context->source = trace->source;
    return status;
}

// The lines, for `out`, which fails if there is no memory for them or no room for the text.
static const char *lines_around(struct trace_context *context, struct out *out,
                                const struct line_place *place)
{
    bool has = text_around_has(&context->lines, place);
    struct error err;
    out_clear(&context->out);
    if (has)
        text_around_put(&context->out, &context->lines, place, context->count);
    // All lines were available so far; a wrong index claims that the place exists.
    if (!out_failed(&context->out) && source_view_status(context->source, &err) == STATUS_OK)
        return has ? out_memory_text(&context->out) : NULL;
    context->lacks_memory = true;
    out_depend(out, &context->lacks_memory);
    return NULL;
}

void trace_context_cell(struct trace_context *context, struct table *table,
                        const struct line_place *place)
{
    if (context->is_open)
        table_below(table, lines_around(context, table->out, place));
}

void trace_context_put(struct trace_context *context, struct out *out,
                       const struct line_place *place)
{
    const char *lines = trace_context_text(context, out, place);
    if (lines)
        out_text(out, lines);
}

const char *trace_context_text(struct trace_context *context, struct out *out,
                               const struct line_place *place)
{
    return context->is_open ? lines_around(context, out, place) : NULL;
}

void trace_context_free(struct trace_context *context)
{
    if (context->is_open)
        out_abandon(&context->out);
    context->is_open = false;
}

char *trace_context_copy(const struct trace_lines *lines, const struct line_place *place)
{
    const char *start;
    size_t length = (size_t)u64_min(text_around_line(lines, place, &start), LIMIT_LINE_BYTES);
    char *copy = malloc(length + 1);
    for (size_t i = 0; copy && i < length; i++)
        copy[i] = start[i] == '\0' ? '?' : start[i] == '\t' ? ' ' : start[i];
    if (copy)
        copy[length] = '\0';
    return copy;
}
