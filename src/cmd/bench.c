// bench: the speed of this machine on a trace, stage by stage, for planning a farm.
#include "base/limits.h"
#include "base/spool.h"
#include "cli/values.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/trace_listener.h"
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

static uint64_t per_second(uint64_t count, uint64_t ns)
{
    return ns ? (uint64_t)((unsigned __int128)count * 1000000000 / ns) : 0;
}

struct stage_cells {
    const char *what, *isa, *stage;
    uint64_t threads, ns, all_ns, second_ns;
    const uint64_t *megabytes, *lines;
};

#define VALUE(name) FIELD_VALUE(struct stage_cells, name)
#define OF(name) FIELD_OF(struct stage_cells, name)

static const struct field fields[] = {
    {"What", "what", COLUMN_TEXT, VALUE(what)},
    {"ISA", "isa", COLUMN_TEXT, VALUE(isa)},
    {"Threads", "threads", COLUMN_U64, VALUE(threads)},
    {"Stage", "stage", COLUMN_TEXT, VALUE(stage)},
    {"Duration", "seconds", COLUMN_SECONDS, VALUE(ns), OF(second_ns)},
    {"Share", "share", COLUMN_SHARE, VALUE(ns), OF(all_ns)},
    {"MB/s", "mb_per_second", COLUMN_U64, VALUE(megabytes)},
    {"Lines/s", "lines_per_second", COLUMN_U64, VALUE(lines)},
};

static void print_row(struct bench *bench, struct stage_cells *cells,
                      const struct pass_result *result)
{
    uint64_t megabytes, lines;
    cells->isa = simd_name(bench->common.session.simd);
    cells->second_ns = 1000000000;
    if (cells->ns >= cells->all_ns / 1000) { // otherwise too short for a rate
        megabytes = per_second(result->bytes, cells->ns) / 1000000;
        lines = per_second(result->lines, cells->ns);
        cells->megabytes = &megabytes;
        cells->lines = &lines;
    }
    command_row(&bench->common, cells, NULL);
}

// `stages` is their number.
static void print_result(struct bench *bench, const char *what, unsigned threads, int stages,
                         const struct pass_result *result)
{
    struct stage_cells whole = {.what = what,
                                .stage = "all",
                                .threads = threads,
                                .ns = result->wall_ns,
                                .all_ns = result->wall_ns};
    uint64_t all_ns = 0;
    print_row(bench, &whole, result);
    for (int i = 0; i < stages; i++)
        all_ns += result->stage_ns[i];
    for (int i = 0; i < stages; i++) {
        struct stage_cells stage = {.what = what,
                                    .stage = pass_stage_name((enum pass_stage)i),
                                    .threads = threads,
                                    .ns = result->stage_ns[i],
                                    .all_ns = all_ns};
        print_row(bench, &stage, result);
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

static bool report(void *self)
{
    struct bench *bench = self;
    struct command *command = &bench->common;
    struct session *session = &command->session;
    struct error err;
    if (!session->trace)
        return command_fail(command, &session->trace_error);
    if (!source_is_file(session->trace->source))
        return command_fail_with(command, STATUS_INPUT,
                                 "%s: is read several times, so it must be a file", session->path);
    const char *beside = session->index.path ? session->index.path : session->path;
    const char *slash = strrchr(beside, '/');
    bench->directory = slash ? strndup(beside, (size_t)(slash - beside) + 1) : strdup(".");
    if (!bench->directory)
        return command_fail_with(command, STATUS_MEMORY, "no memory");
    // The first pass reports on the trace, and brings it into memory for the others.
    const struct pass_request request = session_calls(session, NULL, NULL);
    enum status result = session_run(session, &request, NULL, &err);
    if (!command_passed(command, result, &err) ||
        !command_fields(command, fields, ARRAY_COUNT(fields), 0))
        return false;
    return print_all(bench, &err) == STATUS_OK || command_fail(command, &err);
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
    command_begin(&bench.common, self);
    enum exit_status status = command_run(&bench.common, argc, argv,
                                          &(struct command_steps){&bench, take_own, NULL, report});
    free(bench.directory);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_ROUNDS, 0, "rounds", "N",
     "take the quickest of N (default " TEXT_OF(ROUNDS_DEFAULT) ")"},
    {ROW_FORMAT},
    {ROW_WIDE},
    {ROW_STRIP_PREFIX},
    {OPTION_INDEX, 0, "index", "FILE",
     "write the index, a file without a name, to the directory of FILE instead of the trace's"},
    {0},
};

const struct command_spec bench_command = {
    .name = "bench",
    .option_set = OPTIONS_TRAWL,
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
