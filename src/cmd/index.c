// index: builds the indexes of traces, or finds that they fit.
#include "base/interrupt.h"
#include "base/limits.h"
#include "base/thread.h"
#include "cmd/commands.h"
#include "cmd/option_kinds.h"
#include "cmd/option_rows.h"
#include "cmd/trace_inputs.h"
#include "cmd/trace_open.h"
#include "cmd/trace_pass.h"
#include "session/follow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    OPTION_NO_SYNC = OPTION_OWN,
    OPTION_FOLLOW,
    OPTION_SHARD,
    OPTION_CUT,
};

// One trace, on its way.
struct job {
    struct trace_command command;
    char *pending_output; // until it is its turn
    size_t pending_bytes;
    bool is_done;
    enum exit_status status;
};

struct indexer {
    struct trace_command common; // of which each job's command is a copy
    VEC(, const char *) traces;
    struct job *jobs;
    bool follows;
    pthread_mutex_t lock;
    size_t next, next_output; // job to begin; whose output comes next
};

// --- Jobs ----------------------------------------------------------------------------------------

static void run_job(const struct indexer *indexer, struct job *job, const char *trace, FILE *out)
{
    struct trace_command *command = &job->command;
    trace_command_begin_one(command, &indexer->common, trace, out);
    if (trace_command_open_images(command, &job->status) &&
        trace_command_pass(command, NULL, NULL, &job->status))
        job->status = trace_command_sum_up(command);
    trace_command_end_one(command);
}

// Several traces: what is said of one stands together, in the order in which they were given.
static void flush_outputs(struct indexer *indexer)
{
    while (indexer->next_output < indexer->traces.count &&
           indexer->jobs[indexer->next_output].is_done) {
        struct job *job = &indexer->jobs[indexer->next_output++];
        fwrite(job->pending_output, 1, job->pending_bytes, stderr);
        free(job->pending_output);
    }
}

static void *work(void *context)
{
    struct indexer *indexer = context;
    pthread_mutex_lock(&indexer->lock);
    while (indexer->next < indexer->traces.count) {
        size_t number = indexer->next++;
        struct job *job = &indexer->jobs[number];
        pthread_mutex_unlock(&indexer->lock);
        FILE *out = open_memstream(&job->pending_output, &job->pending_bytes);
        run_job(indexer, job, indexer->traces.items[number], out ? out : stderr);
        if (out)
            fclose(out);
        pthread_mutex_lock(&indexer->lock);
        job->is_done = true;
        flush_outputs(indexer);
    }
    pthread_mutex_unlock(&indexer->lock);
    return NULL;
}

// How many traces are indexed at a time; only one where memory is limited, as each takes its own.
static unsigned job_count(const struct indexer *indexer)
{
    if (indexer->common.diag.memory_bytes)
        return 1;
    uint64_t threads = u64_min(indexer->common.session.threads, LIMIT_INDEXING_JOBS);
    return (unsigned)u64_min(threads, indexer->traces.count);
}

// As many traces at a time as there are threads, which share what is left over.
static void run_jobs(struct indexer *indexer)
{
    pthread_t threads[LIMIT_INDEXING_JOBS];
    unsigned workers = job_count(indexer);
    if (indexer->traces.count == 1) {
        run_job(indexer, &indexer->jobs[0], indexer->traces.items[0], stderr);
        return;
    }
    indexer->common.session.threads /= workers;
    indexer->common.quiet = true; // meters would write over one another
    pthread_mutex_init(&indexer->lock, NULL);
    unsigned started = threads_start(threads, workers - 1, work, indexer, 0);
    work(indexer);
    while (started)
        pthread_join(threads[--started], NULL);
    pthread_mutex_destroy(&indexer->lock);
}

// --- Following -----------------------------------------------------------------------------------

static void on_published(void *self, uint64_t bytes, uint64_t lines)
{
    struct trace_command *command = self;
    progress_hide(&command->progress);
    fprintf(command->diag.out, "trawl: index of %s covers %" PRIu64 " lines, %" PRIu64 " bytes\n",
            command->session.path, lines, bytes);
}

// What is read once cannot be begun again. That a file is missing is said where it is opened.
static bool can_follow(const struct indexer *indexer, struct error *err)
{
    const char *trace = indexer->traces.items[0];
    struct stat about;
    if (stat(trace, &about) != 0 || S_ISREG(about.st_mode))
        return true;
    error_set(err, STATUS_INPUT, "%s: is no regular file, so it cannot be followed", trace);
    return false;
}

// Until nobody writes the trace any more, or an end is wanted. One that is cut or written
// anew is begun again.
static void follow(struct indexer *indexer)
{
    struct job *job = &indexer->jobs[0];
    const char *trace = indexer->traces.items[0];
    struct follow follow;
    interrupt_catch(INTERRUPT_BY_BOTH);
    do {
        follow_begin(&follow, trace);
        // Of less than that, what there is in the end is indexed at once.
        bool is_long = follow_wait_for(&follow, FOLLOW_FIRST_BYTES);
        follow.self = &job->command;
        follow.published = indexer->common.verbose ? on_published : NULL;
        indexer->common.session.index.follow = is_long ? &follow : NULL;
        run_job(indexer, job, trace, stderr);
        follow_end(&follow);
    } while (follow.was_changed);
}

static enum exit_status worse(enum exit_status a, enum exit_status b)
{
    static const int badness[] = {
        [EXIT_STATUS_DONE] = 0,
        [EXIT_STATUS_DAMAGED] = 1,
        [EXIT_STATUS_FAILED] = 2,
        [EXIT_STATUS_USAGE] = 3,
    };
    return badness[a] > badness[b] ? a : b;
}

static enum exit_status index_all(struct indexer *indexer)
{
    enum exit_status status = EXIT_STATUS_DONE;
    struct error err;
    indexer->jobs = calloc(indexer->traces.count, sizeof *indexer->jobs);
    if (!indexer->jobs) {
        error_set(&err, STATUS_MEMORY, "no memory");
        return diag_error(&indexer->common.diag, &err);
    }
    if (!indexer->follows)
        run_jobs(indexer);
    else if (can_follow(indexer, &err))
        follow(indexer);
    else
        indexer->jobs[0].status = diag_error(&indexer->common.diag, &err);
    for (size_t i = 0; i < indexer->traces.count; i++)
        status = worse(status, indexer->jobs[i].status);
    return status;
}

// --- The command ---------------------------------------------------------------------------------

// "K/N"
static int take_shard(struct session_index *index, struct options_parser *parser,
                      const struct option_match *match)
{
    char *end;
    unsigned long number = strtoul(match->value, &end, 10), count = 0;
    bool is_right = *match->value >= '0' && *match->value <= '9' && *end == '/' && end[1] >= '0' &&
                    end[1] <= '9';
    if (is_right)
        count = strtoul(end + 1, &end, 10);
    if (!is_right || *end || !number || number > count || count > LIMIT_SHARDS)
        return options_error(parser,
                             "--shard expects K/N with K from 1 to N and N at most " TEXT_OF(
                                 LIMIT_SHARDS) ", not '%s'",
                             match->value);
    index->shard_number = (uint32_t)number;
    index->shard_count = (uint32_t)count;
    return OPTION_END;
}

static int take_cut(struct session_index *index, struct options_parser *parser,
                    const struct option_match *match)
{
    char *end;
    const char *text = match->value;
    uint64_t cut = strtoull(text, &end, 10);
    bool is_rising =
        !index->shard_cuts.count || cut >= index->shard_cuts.items[index->shard_cuts.count - 1];
    if (*text < '0' || *text > '9' || *end || cut == UINT64_MAX)
        return options_error(parser, "--cut expects a number of bytes, not '%s'", text);
    if (!is_rising)
        return options_error(parser, "--cut %s: comes before the cut that was given last", text);
    if (!VEC_ROOM(&index->shard_cuts, 1))
        return options_no_memory(parser);
    index->shard_cuts.items[index->shard_cuts.count++] = cut;
    return OPTION_END;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct indexer *indexer = self;
    if (option == OPTION_NO_SYNC) {
        indexer->common.session.index.syncs = false;
        return OPTION_END;
    }
    if (option == OPTION_FOLLOW) {
        indexer->follows = true;
        return OPTION_END;
    }
    if (option == OPTION_SHARD)
        return take_shard(&indexer->common.session.index, parser, match);
    if (option == OPTION_CUT)
        return take_cut(&indexer->common.session.index, parser, match);
    if (!VEC_ROOM(&indexer->traces, 1))
        return options_no_memory(parser);
    indexer->traces.items[indexer->traces.count++] = match->value;
    return OPTION_END;
}

static void check_follow(struct indexer *indexer, struct options_parser *parser)
{
    struct session_index *index = &indexer->common.session.index;
    if (indexer->traces.count > 1)
        options_error(parser, "--follow goes with one trace only");
    else if (indexer->common.session.files.count || indexer->common.session.cores.count)
        options_error(parser, "--follow goes with a trace that is one file");
    else if (indexer->traces.count && strcmp(indexer->traces.items[0], "-") == 0)
        options_error(parser, "--follow goes with a file, not with standard input");
    else if (index->in_memory || index->use == INDEX_NO_BUILD)
        options_error(parser, "--follow does not go with --no-index or --memory-index");
    index->use = INDEX_FORCE; // whatever is there is of less
}

static void check_shard(struct indexer *indexer, struct options_parser *parser)
{
    const struct session_index *index = &indexer->common.session.index;
    if (!index->shard_number)
        options_error(parser, "--cut goes with --shard");
    else if (!index->path)
        options_error(parser, "--shard needs --index FILE, the part that it makes");
    else if (index->shard_cuts.count && index->shard_cuts.count != index->shard_count - 1)
        options_error(parser, "%u shards need --cut %u time%s, not %zu", index->shard_count,
                      index->shard_count - 1, plural(index->shard_count - 1),
                      index->shard_cuts.count);
    else if (indexer->follows || index->in_memory || index->use == INDEX_NO_BUILD)
        options_error(parser, "--shard does not go with --follow, --no-index or --memory-index");
}

// False: nothing to run, end with parser->status.
static bool take_options(struct indexer *indexer, struct options_parser *parser, int argc,
                         char *const *argv)
{
    const struct trace_command_own own = {indexer, take};
    if (!trace_command_options(&indexer->common, parser, argc, argv, &own))
        return false;
    if (indexer->common.session.index.path && indexer->traces.count > 1)
        options_error(parser, "--index goes with one trace only");
    if (indexer->follows)
        check_follow(indexer, parser);
    if (indexer->common.session.index.shard_number ||
        indexer->common.session.index.shard_cuts.count)
        check_shard(indexer, parser);
    return parser->status == EXIT_STATUS_DONE;
}

static const struct option_kinds needed_abilities[] = {
    {OPTION_IMAGE, 0, 0}, // for names and the byte order
    {OPTION_FORCE_IMAGE, TRACE_INSTRUCTIONS, 0},
    {OPTION_INDEX, 0, 0},
    {OPTION_FORCE_INDEX, 0, 0},
    {OPTION_ONLY_INDEX, 0, 0},
    {OPTION_NO_INDEX, 0, 0},
    {OPTION_MEMORY_INDEX, 0, 0},
    {OPTION_SEGMENT_EVENTS, 0, 0},
    {0},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct indexer indexer = {0};
    struct options_parser parser;
    trace_command_begin(&indexer.common, self);
    indexer.common.session.index.is_purpose = true;
    indexer.common.own_options = needed_abilities;
    enum exit_status status =
        take_options(&indexer, &parser, argc, argv) ? index_all(&indexer) : parser.status;
    free(indexer.jobs);
    free(indexer.traces.items);
    trace_command_free(&indexer.common);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_INDEX, 0, "index", "FILE", "write the index to FILE instead of TRACE.index"},
    {OPTION_FORCE_INDEX, 0, "force-index", NULL, "build it even if it fits"},
    {OPTION_FOLLOW, 0, "follow", NULL,
     "keep the index up with a trace while some program has it open for writing, or until Ctrl-C"},
    {OPTION_NO_INDEX, 0, "no-index", NULL, "build nothing: fail if the index does not fit"},
    {OPTION_MEMORY_INDEX, 0, "memory-index", NULL,
     "write nothing: only check that the trace can be read"},
    {OPTION_SHARD, 0, "shard", "K/N",
     "build only the part of the index for piece K of N of the trace, into the file of --index; "
     "'trawl merge' makes the index of all N parts"},
    {OPTION_CUT, 0, "cut", "BYTE",
     "where a piece begins, for all but the first; default: pieces of equal size"},
    {OPTION_NO_SYNC, 0, "no-sync", NULL, "do not wait until the index is on the disk"},
    {ROW_HIDDEN_ONLY_INDEX}, // as elsewhere
    {0},
};

static const struct option_spec own_reading_options[] = {
    {OPTION_IMAGE, 0, "image", "FILE[@OFFSET]",
     "ELF file of the program: its byte order, and names for the index to keep"},
    {ROW_FORCE_IMAGE},
    {ROW_LITTLE_ENDIAN},
    {ROW_BIG_ENDIAN},
    {ROW_IMPLICIT_THUMB},
    {ROW_STRICT},
    {0},
};

static const struct option_spec segment_options[] = {
    {OPTION_SEGMENT_EVENTS, 0, "segment-events", "N",
     "events in a segment (default " TEXT_OF(
         SEGMENT_EVENTS_DEFAULT) "; of a trace file by the size of its frames)"},
    {0},
};

const struct command_spec index_command = {
    .name = "index",
    .manner = MANNER_TRAWL,
    .describe_input = trace_inputs_describe,
    .summary = "build the index of a trace, or find that it fits",
    .description =
        "Builds the index of each trace. It is stored next to the trace as TRACE.index, or as "
        "TRACE.trawl if TRACE.index is a file of another program. Reports read an index that fits "
        "instead of the trace. One that is older than its trace, was made from other contents or "
        "with other options, or is damaged, is built again. With --image the index keeps the "
        "names that the image has for addresses, and later commands show them without the image; "
        "other images replace only those names. XRay logs are read faster than their indexes, so "
        "only 'stack' reads one of them unless --index or --no-index is given. For GDB trace "
        "files, state, writes, pc, stack and flamegraph read an index, and build it if there is "
        "none. With --follow a Tarmac trace is read on as it grows, from its first 64 KB on, and "
        "the "
        "index is replaced again and again by one that covers more; questions answer from that "
        "and say how much it covers. With --shard several machines can share the work on one large "
        "Tarmac trace, each building one part.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"how to read the trace", own_reading_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", run_options + 1},
                                            {NULL, segment_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){{"TRACE", "{input} to index", NULL, false, true}, {0}},
    .examples = "trawl index run.tarmac\n"
                "trawl index -v --threads 8 nightly/*.tarmac\n"
                "trawl index --follow run.tarmac\n"
                "trawl index --shard 3/8 --index run.part3 run.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};
