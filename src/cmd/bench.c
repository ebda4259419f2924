// bench: the speed of this machine on a trace, stage by stage, for planning a farm.
#include "base/limits.h"
#include "base/unnamed.h"
#include "cli/values.h"
#include "cmd/commands.h"
#include "cmd/option_rows.h"
#include "cmd/trace_listener.h"
#include "cmd/trace_pass.h"
#include "flow/context_tree.h"
#include "session/index_plan.h"
#include "session/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    OPTION_ROUNDS = OPTION_OWN,
};

#define ROUNDS_DEFAULT 3

struct bench {
    struct command common;
    uint64_t rounds;
    struct table table;
    char *directory; // where the index is written, as an unnamed file
};

// --- A measurement -------------------------------------------------------------------------------

static enum status profile_once(struct bench *bench, const struct pass_options *options,
                                struct pass_result *result, struct error *err)
{
    struct context_tree tree;
    struct pass_options with_calls = *options;
    if (!context_tree_init(&tree))
        return error_set(err, STATUS_MEMORY, "no memory");
    with_calls.consumer = context_tree_consumer(&tree);
    const struct pass_observer silent = {0};
    struct trace *trace = bench->common.session.trace;
    enum status status = trace->kind->run(trace, &with_calls, &silent, result, err);
    context_tree_free(&tree);
    return status;
}

static enum status index_once(struct bench *bench, const struct pass_options *options,
                              struct pass_result *result, struct error *err)
{
    const struct pass_observer silent = {0};
    int file = unnamed_open(bench->directory);
    struct indexing_options how = index_plan(&bench->common.session, bench->directory, NULL, false);
    if (file < 0)
        return error_set_errno(err, bench->directory, "make a file there");
    how.file = &file;
    enum status status =
        indexing_run(bench->common.session.trace, options, &silent, &how, result, err);
    close(file);
    return status;
}

typedef enum status once_function(struct bench *bench, const struct pass_options *options,
                                  struct pass_result *result, struct error *err);

// Counts and times of the fastest of several rounds; slower ones were disturbed.
static enum status measure(struct bench *bench, once_function *once, unsigned threads,
                           struct pass_result *best, struct error *err)
{
    struct pass_options options = session_pass_options(&bench->common.session, NULL, NULL);
    options.threads = threads;
    *best = (struct pass_result){0};
    for (uint64_t i = 0; i < bench->rounds; i++) {
        struct pass_result result;
        source_rewind(bench->common.session.trace->source);
        enum status status = once(bench, &options, &result, err);
        if (status == STATUS_OK && (i == 0 || result.wall_ns < best->wall_ns))
            *best = result;
        best->lanes = NULL;
        pass_result_free(&result);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

// --- Rows ----------------------------------------------------------------------------------------

static const struct column columns[] = {
    {"What", "what", COLUMN_TEXT},           {"ISA", "isa", COLUMN_TEXT},
    {"Threads", "threads", COLUMN_U64},      {"Stage", "stage", COLUMN_TEXT},
    {"Duration", "seconds", COLUMN_SECONDS}, {"Share", "share", COLUMN_SHARE},
    {"MB/s", "mb_per_second", COLUMN_U64},   {"Lines/s", "lines_per_second", COLUMN_U64},
};

static uint64_t per_second(uint64_t count, uint64_t ns)
{
    return ns ? (uint64_t)((unsigned __int128)count * 1000000000 / ns) : 0;
}

struct row {
    const char *what, *stage;
    unsigned threads;
    uint64_t ns, whole_ns;
};

static void print_row(struct bench *bench, const struct row *row, const struct pass_result *result)
{
    struct table *table = &bench->table;
    table_text(table, row->what);
    table_text(table, simd_name(bench->common.session.simd));
    table_u64(table, row->threads);
    table_text(table, row->stage);
    table_seconds(table, row->ns, 1000000000);
    table_share(table, row->ns, row->whole_ns);
    if (row->ns < row->whole_ns / 1000) { // too short for a rate
        table_none(table);
        table_none(table);
        return;
    }
    table_u64(table, per_second(result->bytes, row->ns) / 1000000);
    table_u64(table, per_second(result->lines, row->ns));
}

// `stages` is their number.
static void print_result(struct bench *bench, const char *what, unsigned threads, int stages,
                         const struct pass_result *result)
{
    uint64_t all_ns = 0;
    print_row(bench, &(struct row){what, "all", threads, result->wall_ns, result->wall_ns}, result);
    for (int i = 0; i < stages; i++)
        all_ns += result->stage_ns[i];
    for (int i = 0; i < stages; i++) {
        const struct row row = {what, pass_stage_name((enum pass_stage)i), threads,
                                result->stage_ns[i], all_ns};
        print_row(bench, &row, result);
    }
}

static enum status print_all(struct bench *bench, struct error *err)
{
    static const struct {
        const char *name;
        once_function *once;
        int stages;
    } whats[] = {{"profile", profile_once, STAGE_JOIN + 1}, {"index", index_once, STAGE_COUNT}};
    const unsigned threads[] = {1, bench->common.session.threads};
    for (size_t i = 0; i < ARRAY_COUNT(whats); i++) {
        for (size_t t = 0; t < (bench->common.session.threads > 1 ? 2 : 1); t++) {
            struct pass_result best;
            enum status status = measure(bench, whats[i].once, threads[t], &best, err);
            if (status != STATUS_OK)
                return status;
            print_result(bench, whats[i].name, threads[t], whats[i].stages, &best);
        }
    }
    return STATUS_OK;
}

// --- The command ---------------------------------------------------------------------------------

static enum status choose_directory(struct bench *bench, struct error *err)
{
    const char *beside = bench->common.session.index.path ? bench->common.session.index.path
                                                          : bench->common.session.path;
    const char *slash = strrchr(beside, '/');
    bench->directory = slash ? strndup(beside, (size_t)(slash - beside) + 1) : strdup(".");
    return bench->directory ? STATUS_OK : error_set(err, STATUS_MEMORY, "no memory");
}

static enum status check_source(struct bench *bench, struct error *err)
{
    const struct trace *trace = bench->common.session.trace;
    if (!trace) {
        *err = bench->common.session.trace_error;
        return err->status;
    }
    if (!source_is_file(trace->source))
        return error_set(err, STATUS_INPUT, "%s: is read several times, so it must be a file",
                         bench->common.session.path);
    return choose_directory(bench, err);
}

// The first pass reports on the trace, and brings it into memory for the others.
static bool warm_up(struct bench *bench, enum exit_status *status)
{
    const struct pass_request request = session_calls(&bench->common.session, NULL, NULL);
    struct error err;
    enum status result = session_run(&bench->common.session, &request, NULL, &err);
    return command_passed(&bench->common, result, &err, status);
}

static enum exit_status bench_trace(struct bench *bench)
{
    struct command *command = &bench->common;
    struct out out;
    struct error err;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!command_open_images(command, &status))
        return status;
    if (check_source(bench, &err) != STATUS_OK)
        return command_error(command, &err);
    if (!warm_up(bench, &status) || !command_output(command, &out, &status) ||
        !command_table(command, &bench->table, &out, columns, ARRAY_COUNT(columns), &status))
        return status;
    enum status measured = print_all(bench, &err);
    table_end(&bench->table);
    if (measured == STATUS_OK)
        return command_end(command, &out);
    out_abandon(&out);
    return command_error(command, &err);
}

static int take_own(void *self, struct options_parser *parser, int option,
                    const struct option_match *match)
{
    struct bench *bench = self;
    (void)option; // the only one
    return parse_u64_within(match->value, 1, LIMIT_BENCH_ROUNDS, &bench->rounds)
               ? OPTION_END
               : options_bad_value(parser, match, "a number from 1 to 1000");
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct bench bench = {.rounds = ROUNDS_DEFAULT};
    const struct command_own own = {&bench, take_own};
    struct options_parser parser;
    command_begin(&bench.common, self);
    enum exit_status status = command_options(&bench.common, &parser, argc, argv, &own)
                                  ? bench_trace(&bench)
                                  : parser.status;
    free(bench.directory);
    command_free(&bench.common);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_ROUNDS, 0, "rounds", "N",
     "take the quickest of N (default " TEXT_OF(ROUNDS_DEFAULT) ")"},
    {ROW_FORMAT},
    {ROW_STRIP_PREFIX},
    {OPTION_INDEX, 0, "index", "FILE",
     "write the index, a file without a name, to the directory of FILE instead of the trace's"},
    {0},
};

const struct command_spec bench_command = {
    .name = "bench",
    .manner = MANNER_TRAWL,
    .needs = TRACE_INSTRUCTIONS,
    .describe_input = trace_inputs_describe,
    .summary = "measure how fast this machine reads a trace",
    .description =
        "Measures how fast this machine profiles and indexes the trace, with one thread and with "
        "all: the total time, and the time that the workers spent in each stage. MB/s and lines/s "
        "of a stage are those of one worker that does nothing else. The trace is read into memory "
        "first, and the index need not reach the disk. The environment variable TRAWL_ISA selects "
        "the instruction set: scalar, avx2, avx512 or neon.",
    .groups =
        (const struct option_group[]){{"options", own_options}, {"how to run", run_options}, {0}},
    .positionals =
        (const struct positional_spec[]){{"TRACE", "{input}, a file", NULL, false, false}, {0}},
    .examples = "trawl bench run.tarmac\n"
                "TRAWL_ISA=scalar trawl bench --threads 8 --format json run.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};
