// coverage: which parts of the program were executed, in one trace or in many.
#include "query/coverage.h"
#include "base/interrupt.h"
#include "cmd/browsing.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/system.h"
#include "export/annotation_formats.h"

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
    unsigned what;       // enum what
    write_format *write; // NULL: a table
    struct source_search search;
    struct pc_counts counts;
    struct branch_counts branches; // for formats that have them
    // By how much the images of the last trace were moved, to which the counts belong: loaders put
    // position-independent ones elsewhere in each run.
    VEC(, uint64_t) offsets;
    struct pc_count *sorted;
    struct coverage coverage;
    bool is_cut_short; // by Ctrl-C: no more traces are read
};

static const char *const whats[] = {"function", "file", "line", "instruction", NULL};

// --- Tables --------------------------------------------------------------------------------------

static const uint64_t *line_of(const char *path, uint32_t line, uint64_t *number)
{
    *number = line;
    return path ? number : NULL;
}

struct function_cells {
    const char *name, *path;
    uint64_t visits, lines_visited, lines, instructions, address;
    const uint64_t *line;
};

#define VALUE(name) FIELD_VALUE(struct function_cells, name)

static const struct field function_fields[] = {
    {"Visits", "visits", COLUMN_U64, VALUE(visits)},
    {"Lines visited", "lines_share", COLUMN_SHARE, VALUE(lines_visited),
     FIELD_OF(struct function_cells, lines)},
    {"Lines visited", "lines_visited", COLUMN_U64, VALUE(lines_visited)},
    {"Lines", "lines", COLUMN_U64, VALUE(lines)},
    {"Instructions", "instructions", COLUMN_U64, VALUE(instructions)},
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"Function", "function", COLUMN_TEXT, VALUE(name)},
    {"File", "file", COLUMN_TEXT, VALUE(path)},
    {"Line", "line", COLUMN_U64, VALUE(line)},
};
#undef VALUE

static void put_functions(struct coverage_command *self, struct command *command)
{
    for (size_t i = 0; i < self->coverage.functions.count; i++) {
        const struct coverage_function *function = &self->coverage.functions.items[i];
        uint64_t line;
        command_row(
            command,
            &(struct function_cells){.name = function->name,
                                     .path = function->path,
                                     .visits = function->visits,
                                     .lines_visited = function->lines_visited,
                                     .lines = function->lines,
                                     .instructions = function->instructions,
                                     .address = function->address,
                                     .line = line_of(function->path, function->line, &line)},
            NULL);
    }
}

#define VALUE(name) FIELD_VALUE(struct coverage_file, name)

static const struct field file_fields[] = {
    {"Lines visited", "lines_share", COLUMN_SHARE, VALUE(lines_visited),
     FIELD_OF(struct coverage_file, line_count)},
    {"Lines visited", "lines_visited", COLUMN_U64, VALUE(lines_visited)},
    {"Lines", "lines", COLUMN_U64, VALUE(line_count)},
    {"Functions visited", "functions_visited", COLUMN_U64, VALUE(functions_visited)},
    {"Functions", "functions", COLUMN_U64, VALUE(function_count)},
    {"File", "file", COLUMN_TEXT, VALUE(path)},
};
#undef VALUE

static void put_files(struct coverage_command *self, struct command *command)
{
    for (size_t i = 0; i < self->coverage.files.count; i++)
        command_row(command, &self->coverage.files.items[i], NULL);
}

// Of lines and of instructions.
struct place_cells {
    uint64_t executed, skipped, address;
    const char *name, *path;
    const uint64_t *line;
};

#define VALUE(name) FIELD_VALUE(struct place_cells, name)

static const struct field line_fields[] = {
    {"Visits", "visits", COLUMN_U64, VALUE(executed)},
    {"File", "file", COLUMN_TEXT, VALUE(path)},
    {"Line", "line", COLUMN_U64, VALUE(line)},
};

static void put_lines(struct coverage_command *self, struct command *command)
{
    for (size_t i = 0; i < self->coverage.lines.count; i++) {
        const struct coverage_line *line = &self->coverage.lines.items[i];
        uint64_t number;
        command_row(command,
                    &(struct place_cells){.executed = line->visits,
                                          .path = line->path,
                                          .line = line_of(line->path, line->line, &number)},
                    NULL);
    }
}

static const struct field instruction_fields[] = {
    {"Executed", "executed", COLUMN_U64, VALUE(executed)},
    {"Skipped", "skipped", COLUMN_U64, VALUE(skipped)},
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"Function", "function", COLUMN_TEXT, VALUE(name)},
    {"File", "file", COLUMN_TEXT, VALUE(path)},
    {"Line", "line", COLUMN_U64, VALUE(line)},
};

static void put_instructions(struct coverage_command *self, struct command *command)
{
    for (size_t i = 0; i < self->counts.count; i++) {
        const struct pc_count *one = &self->sorted[i];
        struct source_location place;
        bool has_place = coverage_place(&self->coverage, one->pc, &place);
        const char *name = names_of(&command->session.names, one->pc);
        const char *path = has_place ? place.path : NULL;
        uint64_t line;
        command_row(command,
                    &(struct place_cells){.executed = one->executed,
                                          .skipped = one->skipped,
                                          .address = one->pc,
                                          .name = *name ? name : NULL,
                                          .path = path,
                                          .line = line_of(path, has_place ? place.line : 0, &line)},
                    NULL);
    }
}

static bool put_table(struct coverage_command *self, struct command *command)
{
    static const struct {
        const struct field *fields;
        size_t count;
        void (*put)(struct coverage_command *self, struct command *command);
    } tables[] = {
        [BY_FUNCTION] = {function_fields, ARRAY_COUNT(function_fields), put_functions},
        [BY_FILE] = {file_fields, ARRAY_COUNT(file_fields), put_files},
        [BY_LINE] = {line_fields, ARRAY_COUNT(line_fields), put_lines},
        [BY_INSTRUCTION] = {instruction_fields, ARRAY_COUNT(instruction_fields), put_instructions},
    };
    if (!command_fields(command, tables[self->what].fields, tables[self->what].count, 0))
        return false;
    tables[self->what].put(self, command);
    return true;
}

// --- The report ----------------------------------------------------------------------------------

static bool write_report(struct coverage_command *self, struct command *command)
{
    struct error err;
    bool wants_lines = self->write || self->what == BY_FILE || self->what == BY_LINE;
    self->sorted = pc_counts_sorted(&self->counts);
    if (!self->sorted)
        return command_no_memory(command);
    if (!command_require_shown(command, self->counts.count != 0))
        return false;
    branch_counts_join(&self->branches);
    // What other tools read needs paths that lead to the files; tables are as other reports.
    bool finds = self->write || self->search.directories.count || self->search.maps.count;
    if (coverage_find(&self->coverage, &command->session.names, self->sorted, self->counts.count,
                      &self->branches, finds ? &self->search : NULL, &err) != STATUS_OK)
        return command_fail(command, &err);
    if (wants_lines && !self->coverage.lines.count)
        return command_fail_with(
            command, STATUS_INPUT,
            "%s: the images have no source lines (compile with -g); '--by function' needs none",
            command->session.path);
    if (!self->write)
        return put_table(self, command) && command_end(command);
    if (!command_output(command))
        return false;
    self->write(&self->coverage, &command->out);
    return command_end(command);
}

// Where the code at `pc` of the previous traces is in the current one; code outside of all images
// does not move.
static uint64_t pc_now(const struct coverage_command *self, const struct image_set *images,
                       uint64_t pc)
{
    for (size_t i = 0; i < images->members.count; i++) {
        size_t member;
        uint64_t moved = pc - self->offsets.items[i] + images->members.items[i].offset;
        if (image_set_member_at(images, moved, &member) && member == i)
            return moved;
    }
    return pc;
}

// Moves the counts of the previous traces to where the images of the current one are, by which the
// report finds names and lines.
static bool follow_images(struct coverage_command *self, struct command *command)
{
    const struct image_set *images = &command->session.names.images;
    size_t count = images->members.count;
    bool is_first = !self->offsets.items, is_moved = false;
    if (!VEC_EXTEND(&self->offsets, is_first ? count : 0))
        return command_no_memory(command);
    if (self->offsets.count != count)
        return command_fail_with(command, STATUS_INPUT,
                                 "%s: not the same images fit as in the traces before it: use one "
                                 "command for the traces of each program",
                                 command->session.path);
    for (size_t i = 0; i < count; i++)
        is_moved |= self->offsets.items[i] != images->members.items[i].offset;
    if (is_moved && !is_first) {
        struct pc_counts moved = {0};
        bool is_done = true;
        for (size_t i = 0; i < self->counts.slot_count && is_done; i++) {
            struct pc_count one = self->counts.slots[i]; // adds nothing if it is free
            one.pc = pc_now(self, images, one.pc);
            is_done = pc_counts_add(&moved, &one);
        }
        pc_counts_free(is_done ? &self->counts : &moved);
        if (!is_done)
            return command_no_memory(command);
        self->counts = moved;
        for (size_t i = 0; i < self->branches.rows.count; i++)
            self->branches.rows.items[i].pc = pc_now(self, images, self->branches.rows.items[i].pc);
    }
    for (size_t i = 0; i < count; i++)
        self->offsets.items[i] = images->members.items[i].offset;
    return true;
}

// Adds the counts of a trace to those of the previous ones.
static bool count_trace(struct coverage_command *self, struct command *command)
{
    struct session *session = &command->session;
    const struct reading_options how = {
        .reading = session->reading,
        .implicit_state = session->implicit_thumb ? STATE_IS_THUMB : STATE_BY_SIZE,
        .prefix = session->prefix,
    };
    struct pc_counts counts = {0};
    struct error err;
    if (!names_have_image(&session->names))
        return command_fail_with(command, STATUS_INPUT,
                                 "%s: coverage needs the image of the program: --image FILE",
                                 session->path);
    if (!command_ensure_open(command))
        return false;
    // Makes the text available, which shows branches and which a pipe no longer has.
    struct source *source = session->trace->source;
    if (self->write && source_is_file(source) && source_lay_out(source, &err) != STATUS_OK)
        return command_fail(command, &err);
    bool is_done = instruction_counts_add(command, &counts) && follow_images(self, command);
    if (is_done &&
        (!pc_counts_add_all(&self->counts, &counts) ||
         (self->write && !branch_counts_add(&self->branches, session->trace, &how, &counts))))
        is_done = command_no_memory(command);
    pc_counts_free(&counts);
    return is_done;
}

// The report uses the images of the last trace, where the counts of all have been moved.
static enum exit_status run_trace(struct coverage_command *self, size_t number)
{
    struct command command;
    size_t left = self->traces.count - number - 1;
    command_begin_one(&command, &self->common, self->traces.items[number],
                      messages_of(self->common.spec));
    bool is_done = command_open_images(&command) && count_trace(self, &command);
    if (is_done) {
        self->is_cut_short = interrupt_is_asked();
        if (self->is_cut_short && left)
            diag_warning(&command.diag, "%zu more trace%s not read", left,
                         left == 1 ? " was" : "s were");
        is_done =
            self->is_cut_short || !left ? write_report(self, &command) : command_end(&command);
    }
    if (!is_done)
        command_abandon(&command);
    enum exit_status status = command.status;
    coverage_free(&self->coverage);
    command_free_one(&command);
    return status;
}

// A trace that cannot be read ends the command, because a sum without it would look complete.
static enum exit_status run_all(struct coverage_command *self)
{
    bool is_damaged = false;
    enum exit_status status = EXIT_STATUS_DONE;
    // A trace that is named twice would count twice.
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
    if (!is_found) {
        command_no_memory(&self->common);
        return EXIT_STATUS_FAILED;
    }
    for (size_t i = 0; i < self->traces.count && !self->is_cut_short; i++) {
        status = run_trace(self, i);
        if (status != EXIT_STATUS_DONE && status != EXIT_STATUS_DAMAGED)
            return status;
        is_damaged |= status == EXIT_STATUS_DAMAGED;
    }
    return is_damaged ? EXIT_STATUS_DAMAGED : status;
}

// --- The command ---------------------------------------------------------------------------------

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct coverage_command *command = self;
    switch (option) {
    case OPTION_COVERAGE_BY:
        return options_choice(parser, match, whats, "function, file, line or instruction",
                              &command->what);
    case OPTION_COVERAGE_FORMAT:
        command->write = strcmp(match->value, "lcov") == 0        ? coverage_write_lcov
                         : strcmp(match->value, "cobertura") == 0 ? coverage_write_cobertura
                                                                  : NULL;
        return command->write || table_format_named(match->value, &command->common.table_format)
                   ? OPTION_END
                   : options_bad_value(parser, match, "table, csv, json, lcov or cobertura");
    case OPTION_COVERAGE_SOURCE:
    case OPTION_COVERAGE_SOURCE_MAP:
        return browsing_take_source(&command->search, parser, match,
                                    option == OPTION_COVERAGE_SOURCE_MAP);
    }
    if (!VEC_ROOM(&command->traces, 1))
        return options_no_memory(parser);
    command->traces.items[command->traces.count++] = match->value;
    return OPTION_END;
}

static enum exit_status run(const struct command_spec *spec, int argc, char *const *argv)
{
    struct coverage_command self = {0};
    struct options_parser parser;
    command_begin(&self.common, spec);
    self.common.session.index.in_memory = true;
    enum exit_status status = command_options(&self.common, &parser, argc, argv,
                                              &(struct command_steps){.self = &self, .take = take})
                                  ? run_all(&self)
                                  : parser.status;
    free(self.sorted);
    free(self.traces.items);
    source_search_free(&self.search);
    pc_counts_free(&self.counts);
    free(self.offsets.items);
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
    .option_set = OPTIONS_TRAWL,
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
        "pipe: give a file. An image that was loaded elsewhere in each run is counted as one; "
        "addresses are those of the last trace. All traces must be of the same images. No index is "
        "used.",
    .common = &trace_common_options,
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
