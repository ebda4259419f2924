// coverage: which parts of the program were executed, in one trace or in many.
#include "query/coverage.h"
#include "base/interrupt.h"
#include "cmd/browsing.h"
#include "cmd/commands.h"
#include "cmd/option_rows.h"
#include "cmd/system.h"
#include "cmd/trace_pass.h"
#include "export/coverage_formats.h"

#include <stdlib.h>

enum {
    OPTION_COVERAGE_BY = OPTION_OWN,
    OPTION_COVERAGE_FORMAT,
    OPTION_COVERAGE_SOURCE,
    OPTION_COVERAGE_SOURCE_MAP,
};

enum what { BY_FUNCTION, BY_FILE, BY_LINE, BY_INSTRUCTION };

typedef void write_format(const struct coverage *coverage, struct out *out);

struct coverage_command {
    struct command common; // copied for each trace
    VEC(, const char *) traces;
    enum what what;
    write_format *write; // NULL: a table
    struct source_search search;
    struct pc_counts counts;
    struct branch_counts branches; // for formats that have them
    struct pc_count *sorted;
    struct coverage coverage;
    bool is_cut_short; // by Ctrl-C: no more traces are read
};

static const char *const whats[] = {"function", "file", "line", "instruction"};

// --- Tables --------------------------------------------------------------------------------------

static const struct column function_columns[] = {
    {"Visits", "visits", COLUMN_U64},
    {"Lines visited", "lines_share", COLUMN_SHARE},
    {"Lines visited", "lines_visited", COLUMN_U64},
    {"Lines", "lines", COLUMN_U64},
    {"Instructions", "instructions", COLUMN_U64},
    {"Address", "address", COLUMN_ADDRESS},
    {"Function", "function", COLUMN_TEXT},
    {"File", "file", COLUMN_TEXT},
    {"Line", "line", COLUMN_U64},
};

static void put_place(struct table *table, const char *path, uint32_t line)
{
    table_text(table, path);
    if (path)
        table_u64(table, line);
    else
        table_none(table);
}

static void put_functions(const struct coverage_command *self, struct table *table)
{
    for (size_t i = 0; i < self->coverage.functions.count; i++) {
        const struct coverage_function *function = &self->coverage.functions.items[i];
        table_u64(table, function->visits);
        table_share(table, function->lines_visited, function->lines);
        table_u64(table, function->lines_visited);
        table_u64(table, function->lines);
        table_u64(table, function->instructions);
        table_address(table, function->address);
        table_text(table, function->name);
        put_place(table, function->path, function->line);
    }
}

static const struct column file_columns[] = {
    {"Lines visited", "lines_share", COLUMN_SHARE},
    {"Lines visited", "lines_visited", COLUMN_U64},
    {"Lines", "lines", COLUMN_U64},
    {"Functions visited", "functions_visited", COLUMN_U64},
    {"Functions", "functions", COLUMN_U64},
    {"File", "file", COLUMN_TEXT},
};

static void put_files(const struct coverage_command *self, struct table *table)
{
    for (size_t i = 0; i < self->coverage.files.count; i++) {
        const struct coverage_file *file = &self->coverage.files.items[i];
        table_share(table, file->lines_visited, file->line_count);
        table_u64(table, file->lines_visited);
        table_u64(table, file->line_count);
        table_u64(table, file->functions_visited);
        table_u64(table, file->function_count);
        table_text(table, file->path);
    }
}

static const struct column line_columns[] = {
    {"Visits", "visits", COLUMN_U64},
    {"File", "file", COLUMN_TEXT},
    {"Line", "line", COLUMN_U64},
};

static void put_lines(const struct coverage_command *self, struct table *table)
{
    for (size_t i = 0; i < self->coverage.lines.count; i++) {
        const struct coverage_line *line = &self->coverage.lines.items[i];
        table_u64(table, line->visits);
        put_place(table, line->path, line->line);
    }
}

static const struct column instruction_columns[] = {
    {"Executed", "executed", COLUMN_U64},   {"Skipped", "skipped", COLUMN_U64},
    {"Address", "address", COLUMN_ADDRESS}, {"Function", "function", COLUMN_TEXT},
    {"File", "file", COLUMN_TEXT},          {"Line", "line", COLUMN_U64},
};

static void put_instructions(struct coverage_command *self, struct names *names,
                             struct table *table)
{
    for (size_t i = 0; i < self->counts.count; i++) {
        const struct pc_count *one = &self->sorted[i];
        struct source_location place;
        bool has_place = coverage_place(&self->coverage, one->pc, &place);
        const char *name = names_of(names, one->pc);
        table_u64(table, one->executed);
        table_u64(table, one->skipped);
        table_address(table, one->pc);
        table_text(table, *name ? name : NULL);
        put_place(table, has_place ? place.path : NULL, has_place ? place.line : 0);
    }
}

static bool put_table(struct coverage_command *self, struct command *command, struct out *out,
                      enum exit_status *status)
{
    static const struct {
        const struct column *columns;
        size_t count;
    } tables[] = {
        [BY_FUNCTION] = {function_columns, ARRAY_COUNT(function_columns)},
        [BY_FILE] = {file_columns, ARRAY_COUNT(file_columns)},
        [BY_LINE] = {line_columns, ARRAY_COUNT(line_columns)},
        [BY_INSTRUCTION] = {instruction_columns, ARRAY_COUNT(instruction_columns)},
    };
    struct table table;
    if (!command_table(command, &table, out, tables[self->what].columns, tables[self->what].count,
                       status))
        return false;
    if (self->what == BY_FUNCTION)
        put_functions(self, &table);
    else if (self->what == BY_FILE)
        put_files(self, &table);
    else if (self->what == BY_LINE)
        put_lines(self, &table);
    else
        put_instructions(self, &command->session.names, &table);
    table_end(&table);
    return true;
}

// --- The report ----------------------------------------------------------------------------------

// Requested files and lines must exist.
static bool has_what_is_asked(const struct coverage_command *self, struct command *command)
{
    struct error err;
    bool wants_lines = self->write || self->what == BY_FILE || self->what == BY_LINE;
    if (!wants_lines || self->coverage.lines.count)
        return true;
    error_set(&err, STATUS_INPUT,
              "%s: the images have no source lines (compile with -g); '--by function' needs none",
              command->session.path);
    command_error(command, &err);
    return false;
}

static enum exit_status report(struct coverage_command *self, struct command *command)
{
    struct error err;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    self->sorted = pc_counts_sorted(&self->counts);
    if (!self->sorted)
        return command_no_memory(command);
    if (!command_has_shown(command, self->counts.count != 0, &status))
        return status;
    branch_counts_join(&self->branches);
    // What other tools read needs paths that lead to the files; tables are as other reports.
    bool finds = self->write || self->search.directories.count || self->search.maps.count;
    if (coverage_find(&self->coverage, &command->session.names, self->sorted, self->counts.count,
                      &self->branches, finds ? &self->search : NULL, &err) != STATUS_OK)
        return command_error(command, &err);
    if (!has_what_is_asked(self, command) || !command_output(command, &out, &status))
        return status;
    if (self->write)
        self->write(&self->coverage, &out);
    else if (!put_table(self, command, &out, &status))
        return status;
    return command_end(command, &out);
}

static bool has_images(struct command *command, enum exit_status *status)
{
    struct error err;
    if (names_have_image(&command->session.names))
        return true;
    error_set(&err, STATUS_INPUT, "%s: coverage needs the image of the program: --image FILE",
              command->session.path);
    *status = command_error(command, &err);
    return false;
}

// Makes the text available, which shows branches and which a pipe no longer has.
static bool lay_out(struct coverage_command *self, struct command *command,
                    enum exit_status *status)
{
    struct error err;
    if (!command_is_open(command, status))
        return false;
    struct source *source = command->session.trace->source;
    if (!self->write || !source_is_file(source) || source_lay_out(source, &err) == STATUS_OK)
        return true;
    *status = command_error(command, &err);
    return false;
}

// Adds the counts of one trace to those of the previous ones.
static bool add_trace(struct coverage_command *self, struct command *command,
                      const struct pc_counts *counts)
{
    const struct session *session = &command->session;
    const struct reading_options how = {
        .reading = session->reading,
        .implicit_state = session->implicit_thumb ? STATE_IS_THUMB : STATE_BY_SIZE,
        .prefix = session->prefix,
    };
    return pc_counts_add_all(&self->counts, counts) &&
           (!self->write || branch_counts_add(&self->branches, session->trace, &how, counts));
}

static bool count_trace(struct coverage_command *self, struct command *command,
                        enum exit_status *status)
{
    struct pc_counts counts = {0};
    bool is_counted =
        lay_out(self, command, status) && instruction_counts_add(command, &counts, status);
    if (is_counted && !add_trace(self, command, &counts)) {
        *status = command_no_memory(command);
        is_counted = false;
    }
    pc_counts_free(&counts);
    return is_counted;
}

// The report uses the images of the last trace.
static enum exit_status run_trace(struct coverage_command *self, size_t number)
{
    struct command command;
    enum exit_status status;
    size_t left = self->traces.count - number - 1;
    command_begin_one(&command, &self->common, self->traces.items[number], stderr);
    if (command_open_images(&command, &status) && has_images(&command, &status) &&
        count_trace(self, &command, &status)) {
        self->is_cut_short = interrupt_is_asked();
        if (self->is_cut_short && left)
            diag_warning(&command.diag, "%zu more trace%s not read", left,
                         left == 1 ? " was" : "s were");
        status = self->is_cut_short || !left ? report(self, &command) : command_sum_up(&command);
    }
    coverage_free(&self->coverage);
    command_end_one(&command);
    return status;
}

// A trace that is named twice would count twice.
static bool leave_out_same(struct coverage_command *self)
{
    size_t count = self->traces.count, kept = 0;
    size_t *first = calloc(count + 1, sizeof *first);
    bool is_found = first && find_same_files(self->traces.items, count, first);
    for (size_t i = 0; i < count && is_found; i++) {
        const char *trace = self->traces.items[i];
        if (first[i] == i)
            self->traces.items[kept++] = trace;
        else
            diag_warning(&self->common.diag, "%s: " COUNTED_ONCE, trace);
    }
    self->traces.count = is_found ? kept : count;
    free(first);
    return is_found;
}

// A trace that cannot be read ends the command, because a sum without it would look complete.
static enum exit_status run_all(struct coverage_command *self)
{
    bool is_damaged = false;
    enum exit_status status = EXIT_STATUS_DONE;
    if (!leave_out_same(self))
        return command_no_memory(&self->common);
    for (size_t i = 0; i < self->traces.count && !self->is_cut_short; i++) {
        status = run_trace(self, i);
        if (status != EXIT_STATUS_DONE && status != EXIT_STATUS_DAMAGED)
            return status;
        is_damaged |= status == EXIT_STATUS_DAMAGED;
    }
    return is_damaged ? EXIT_STATUS_DAMAGED : status;
}

// --- The command ---------------------------------------------------------------------------------

static int take_what(struct coverage_command *self, struct options_parser *parser,
                     const struct option_match *match)
{
    for (size_t i = 0; i < ARRAY_COUNT(whats); i++) {
        if (strcmp(match->value, whats[i]) == 0) {
            self->what = (enum what)i;
            return OPTION_END;
        }
    }
    return options_bad_value(parser, match, "function, file, line or instruction");
}

static int take_format(struct coverage_command *self, struct options_parser *parser,
                       const struct option_match *match)
{
    self->write = strcmp(match->value, "lcov") == 0        ? coverage_write_lcov
                  : strcmp(match->value, "cobertura") == 0 ? coverage_write_cobertura
                                                           : NULL;
    if (self->write || table_format_named(match->value, &self->common.table_format))
        return OPTION_END;
    return options_bad_value(parser, match, "table, csv, json, lcov or cobertura");
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct coverage_command *command = self;
    if (option == OPTION_COVERAGE_BY)
        return take_what(command, parser, match);
    if (option == OPTION_COVERAGE_FORMAT)
        return take_format(command, parser, match);
    if (option == OPTION_COVERAGE_SOURCE || option == OPTION_COVERAGE_SOURCE_MAP)
        return browsing_take_source(&command->search, parser, match,
                                    option == OPTION_COVERAGE_SOURCE_MAP);
    if (!VEC_ROOM(&command->traces, 1))
        return options_no_memory(parser);
    command->traces.items[command->traces.count++] = match->value;
    return OPTION_END;
}

static enum exit_status run(const struct command_spec *spec, int argc, char *const *argv)
{
    struct coverage_command self = {0};
    const struct command_own own = {&self, take};
    struct options_parser parser;
    command_begin(&self.common, spec);
    self.common.session.index.in_memory = true;
    enum exit_status status =
        command_options(&self.common, &parser, argc, argv, &own) ? run_all(&self) : parser.status;
    free(self.sorted);
    free(self.traces.items);
    source_search_free(&self.search);
    pc_counts_free(&self.counts);
    branch_counts_free(&self.branches);
    command_free(&self.common);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_COVERAGE_BY, 0, "by", "WHAT",
     "a row for each function (default), file, line, or instruction that was reached"},
    {OPTION_COVERAGE_FORMAT, 0, "format", "FORMAT",
     "table (default), csv or json; lcov: a tracefile, for genhtml; cobertura: XML"},
    {OPTION_COVERAGE_SOURCE, 0, ROW_SOURCE},
    {OPTION_COVERAGE_SOURCE_MAP, 0, ROW_SOURCE_MAP},
    {0},
};

const struct command_spec coverage_command = {
    .name = "coverage",
    .manner = MANNER_TRAWL,
    .needs = TRACE_INSTRUCTIONS,
    .describe_input = trace_inputs_describe,
    .summary = "which parts of the program were executed, by function, line or instruction",
    .description =
        "Counts what was executed: by function, file, source line or instruction, added up over "
        "all traces. The count of a function is that of its first instruction, the count of a "
        "line that of its most executed instruction; an instruction whose condition fails is "
        "counted as skipped, not as executed. Lines are those that the images have code for "
        "according to their debugging information (gcc -g). The formats lcov and cobertura have "
        "the paths at which the source files are found here, if they are (as do tables with "
        "--source or --source-map); other paths are those of the images. "
        "lcov and cobertura also tell how often each conditional branch was taken and not taken; "
        "branches that were never reached are unknown, and so are all branches if the trace is a "
        "pipe: give a file. No index is used.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to count", filter_options},
                                            {"how to read the trace", image_options},
                                            {NULL, no_offsets_options},
                                            {NULL, reading_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", run_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){
            {"TRACE", "{input}; - for standard input", NULL, false, true}, {0}},
    .examples = "trawl coverage --image prog.elf run.tarmac\n"
                "trawl coverage --image prog.elf --format lcov -o run.info nightly/*.tarmac\n"
                "trawl coverage --image prog.elf --format lcov --source-map /build=. run.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};
