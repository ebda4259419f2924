// index: builds the indexes of traces that have none that fits.
#include "cmd/index.h"
#include "base/characters.h"
#include "base/interrupt.h"
#include "base/limits.h"
#include "cmd/commands.h"
#include "cmd/option_rows.h"
#include "cmd/trace_files.h"
#include "session/indexing.h"
#include "session/prefix_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OPTION_NO_SYNC = OPTION_OWN,
    OPTION_FOLLOW,
    OPTION_SHARD,
    OPTION_CUT,
    OPTION_SURVEY,
    OPTION_AFTER,
    OPTION_OUTPUT_DIR,
    OPTION_PATTERN,
    OPTION_JOBS,
    OPTION_SUMMARY,
};

struct indexer {
    struct command common;
    VEC(, const char *) words; // traces, and directories of them
    const char *output_dir, *pattern;
    uint64_t job_count; // 0: as many as there are threads
    const char *summary_format;
    bool follows;
    bool is_ttu; // writes the index of the Tarmac Trace Utilities
    struct index_inputs inputs;
};

// --- Following -----------------------------------------------------------------------------------

struct following {
    struct indexer *indexer;
    struct command *command;
    struct text_list added; // pieces found after the start
};

static void on_published(void *self, int file, uint64_t bytes, uint64_t lines)
{
    (void)file;
    struct command *command = ((struct following *)self)->command;
    progress_hide(&command->progress);
    fprintf(command->diag.out, "trawl: index of %s covers %" PRIu64 " lines, %" PRIu64 " bytes\n",
            command->session.path, lines, bytes);
}

// Whether the current list of pieces begins with those already read.
static bool begins_with(const struct session_files *now, const struct session_files *before,
                        const struct text_list *added)
{
    if (now->paths.count < before->paths.count + added->count)
        return false;
    for (size_t i = 0; i < before->paths.count + added->count; i++) {
        const char *path = i < before->paths.count ? before->paths.items[i]
                                                   : added->items[i - before->paths.count];
        if (strcmp(now->paths.items[i], path) != 0)
            return false;
    }
    return true;
}

// Finds the next piece by the patterns on the command line.
static enum status find_next_file(void *self, const char **piece, struct error *err)
{
    struct following *following = self;
    const struct session_files *before = &following->indexer->common.session.files;
    struct text_list *added = &following->added;
    struct session_files now;
    char why[TRACE_FILES_WHY_BYTES] = "";
    const char *trace = following->indexer->words.items[0];
    enum status status = STATUS_OK;
    *piece = NULL;
    if (!trace_files_settle_again(&now, before, trace, why) || !VEC_ROOM(added, 1))
        status = error_set(err, STATUS_MEMORY, "%s: no memory", trace);
    else if (*why || !begins_with(&now, before, added))
        status = error_set(err, STATUS_INPUT, "%s: its other files are no longer the same", trace);
    size_t number = before->paths.count + added->count;
    if (status == STATUS_OK && now.paths.count > number) {
        *piece = added->items[added->count++] = now.paths.items[number];
        now.paths.items[number] = NULL;
    }
    session_files_free(&now);
    return status;
}

// Finds the pieces again after the trace was restarted: they may be others.
static bool find_files_anew(struct session *session)
{
    struct session_files now;
    char why[TRACE_FILES_WHY_BYTES] = "";
    if (!session->files.typed.count)
        return true;
    bool is_found = trace_files_settle_again(&now, &session->files, session->path, why) && !*why;
    struct session_files other = is_found ? session->files : now;
    if (is_found)
        session->files = now;
    session_files_free(&other);
    return is_found;
}

// Input that can be read only once cannot be read again. A missing file is reported when it is
// opened.
static bool can_follow(const struct indexer *indexer, struct error *err)
{
    const char *trace = indexer->words.items[0];
    struct stat about;
    if (stat(trace, &about) != 0 || S_ISREG(about.st_mode))
        return true;
    error_set(err, STATUS_INPUT, "%s: is not a regular file, so it cannot be followed", trace);
    return false;
}

// Follows the trace until nobody writes to it any more, or an end is requested. A trace that was
// truncated or rewritten is started again.
static enum exit_status follow(struct indexer *indexer)
{
    const char *trace = indexer->words.items[0];
    const struct index_input input = {.trace = (char *)(uintptr_t)trace};
    struct session *session = &indexer->common.session;
    struct index_outcome outcome = {.status = EXIT_STATUS_FAILED};
    struct command command;
    struct follow follow;
    struct error err;
    session->path = trace;
    interrupt_catch(INTERRUPT_BY_BOTH);
    do {
        if (follow_begin(&follow, session, &err) != STATUS_OK)
            return diag_error(&indexer->common.diag, &err);
        // A shorter trace is indexed at once when it has ended.
        bool is_long = follow_wait_for(&follow, FOLLOW_FIRST_BYTES);
        struct following following = {indexer, &command, {0}};
        follow.self = follow.indexes.self = &following;
        follow.indexes.published = indexer->common.verbose ? on_published : NULL;
        // A rotated trace has further pieces, and no files to merge.
        bool is_rotated = session->files.typed.count && !session->files.cores.count;
        follow.find_next_file = is_rotated ? find_next_file : NULL;
        session->index.follows = is_long;
        session->index.prefix_indexes = is_long ? &follow.indexes : NULL;
        index_job_run(&command, &indexer->common, &input, stderr, &outcome);
        index_outcome_free(&outcome);
        follow_end(&follow);
        text_list_free(&following.added);
    } while (follow.was_changed && find_files_anew(session));
    return outcome.status;
}

// --- Many ----------------------------------------------------------------------------------------

static enum status find_inputs(struct indexer *indexer, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < indexer->words.count && status == STATUS_OK; i++)
        status = index_inputs_add(&indexer->inputs, indexer->words.items[i], indexer->pattern, err);
    if (status == STATUS_OK && indexer->output_dir)
        status = index_inputs_place(&indexer->inputs, indexer->output_dir, true, err);
    return status;
}

static enum exit_status index_many(struct indexer *indexer)
{
    struct error err;
    enum exit_status result;
    enum table_format format = TABLE_TEXT;
    struct index_jobs jobs = {.common = &indexer->common, .inputs = &indexer->inputs};
    enum status status = find_inputs(indexer, &err);
    jobs.at_once = indexer->job_count;
    if (indexer->summary_format)
        table_format_named(indexer->summary_format, &format);
    if (status == STATUS_OK && indexer->summary_format)
        status = index_summary_begin(&jobs.summary, format, &err);
    if (status == STATUS_OK)
        status = index_jobs_run(&jobs, &result, &err);
    if (status == STATUS_OK)
        status = index_summary_end(&jobs.summary, &err);
    return status == STATUS_OK ? result : diag_error(&indexer->common.diag, &err);
}

static enum exit_status index_all(struct indexer *indexer)
{
    struct error err;
    if (indexer->is_ttu)
        return index_ttu(&indexer->common, indexer->words.items[0]);
    if (!indexer->follows)
        return index_many(indexer);
    return can_follow(indexer, &err) ? follow(indexer) : diag_error(&indexer->common.diag, &err);
}

// --- The command ---------------------------------------------------------------------------------

// "K/N"
static int take_shard(struct index_policy *index, struct options_parser *parser,
                      const struct option_match *match)
{
    char *end;
    unsigned long number = strtoul(match->value, &end, 10), count = 0;
    bool is_right = is_digit(*match->value) && *end == '/' && is_digit(end[1]);
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

static int take_cut(struct index_policy *index, struct options_parser *parser,
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
    if (option == OPTION_SURVEY) {
        indexer->common.session.index.is_survey = true;
        return OPTION_END;
    }
    if (option == OPTION_AFTER) {
        // Takes a file, or all files that match a pattern.
        struct index_policy *index = &indexer->common.session.index;
        glob_t found = {0};
        int result = access(match->value, F_OK) == 0 ? GLOB_NOMATCH
                                                     : trace_files_match(match->value, &found);
        bool has_memory = result != GLOB_NOSPACE;
        if (result == GLOB_NOMATCH) // opening it will report what is wrong
            has_memory = text_list_add(&index->surveys, match->value);
        for (size_t i = 0; i < found.gl_pathc && has_memory; i++)
            has_memory = text_list_add(&index->surveys, found.gl_pathv[i]);
        globfree(&found);
        return has_memory ? OPTION_END : options_no_memory(parser);
    }
    if (option == OPTION_OUTPUT_DIR || option == OPTION_PATTERN) {
        *(option == OPTION_PATTERN ? &indexer->pattern : &indexer->output_dir) = match->value;
        return OPTION_END;
    }
    if (option == OPTION_JOBS) {
        char *end;
        indexer->job_count = strtoull(match->value, &end, 10);
        if (*match->value < '0' || *match->value > '9' || *end || !indexer->job_count ||
            indexer->job_count > LIMIT_INDEXING_JOBS)
            return options_bad_value(parser, match,
                                     "a number from 1 to " TEXT_OF(LIMIT_INDEXING_JOBS));
        return OPTION_END;
    }
    if (option == OPTION_SUMMARY) {
        enum table_format format;
        indexer->summary_format = match->value;
        return table_format_named(match->value, &format)
                   ? OPTION_END
                   : options_bad_value(parser, match, "table, csv or json");
    }
    if (!VEC_ROOM(&indexer->words, 1))
        return options_no_memory(parser);
    indexer->words.items[indexer->words.count++] = match->value;
    return OPTION_END;
}

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// Options for one trace cannot be combined with several traces.
static void check_many(struct indexer *indexer, struct options_parser *parser)
{
    const struct index_policy *index = &indexer->common.session.index;
    bool is_many = indexer->words.count != 1 || is_directory(indexer->words.items[0]);
    bool has_files = indexer->common.session.files.typed.count > 0, has_directory = false;
    for (size_t i = 0; indexer->pattern && i < indexer->words.count; i++)
        has_directory |= is_directory(indexer->words.items[i]);
    if (index->path && is_many)
        options_error(parser, "--index needs a single trace");
    else if (index->path && indexer->output_dir)
        options_error(parser, "--index cannot be combined with --output-dir");
    else if (index->in_memory && indexer->output_dir)
        options_error(parser, "--memory-index cannot be combined with --output-dir");
    else if (is_many && (index->shard_number || has_files || indexer->follows))
        options_error(parser, "--shard, --then, --with and --follow need a single trace");
    else if (indexer->follows && (indexer->summary_format || indexer->output_dir))
        options_error(parser, "--follow cannot be combined with --summary or --output-dir");
    else if (indexer->pattern && !has_directory)
        options_error(parser, "--pattern needs a directory");
    else if (indexer->job_count > 1 && indexer->common.diag.memory_bytes)
        options_error(parser, "--max-memory needs one trace at a time (--jobs 1)");
}

// The first given option that has no meaning for an index of the Tarmac Trace Utilities. NULL:
// none.
static const struct option_spec *find_foreign_option(const struct command *command)
{
    static const int foreign[] = {OPTION_INDEX,        OPTION_FORCE_INDEX,    OPTION_NO_INDEX,
                                  OPTION_MEMORY_INDEX, OPTION_FOLLOW,         OPTION_SHARD,
                                  OPTION_CUT,          OPTION_SURVEY,         OPTION_AFTER,
                                  OPTION_ONLY_INDEX,   OPTION_JOBS,           OPTION_SUMMARY,
                                  OPTION_OUTPUT_DIR,   OPTION_SEGMENT_EVENTS, OPTION_THEN,
                                  OPTION_WITH,         OPTION_PATTERN,        OPTION_TASK_KEY};
    for (const struct option_group *group = command->spec->groups; group->options; group++) {
        for (const struct option_spec *option = group->options; option->id; option++) {
            for (size_t i = 0; i < ARRAY_COUNT(foreign); i++) {
                if (option->id == foreign[i] && command_was_given(command, option->id))
                    return option;
            }
        }
    }
    return NULL;
}

// False: nothing to run, end with parser->status.
static bool take_options(struct indexer *indexer, struct options_parser *parser, int argc,
                         char *const *argv)
{
    if (!command_options(&indexer->common, parser, argc, argv,
                         &(struct command_steps){.self = indexer, .take = take}))
        return false;
    const struct command *command = &indexer->common;
    const struct option_spec *option = find_foreign_option(command);
    char name[OPTION_TEXT_BYTES];
    indexer->is_ttu = command->format && strcmp(command->format, "ttu") == 0;
    if (command->format && !indexer->is_ttu && strcmp(command->format, "trawl") != 0) {
        options_error(parser, "--format expects trawl or ttu, not '%s'", command->format);
    } else if (!indexer->is_ttu && command->output) {
        options_error(parser, "-o goes with --format ttu; --index names the index of trawl");
    } else if (indexer->is_ttu && !command->output) {
        options_error(parser, "--format ttu needs -o FILE, the index to write");
    } else if (indexer->is_ttu && option) {
        option_text(option, name);
        options_error(parser, "--format ttu cannot be combined with %s", name);
    } else if (indexer->is_ttu &&
               (indexer->words.count != 1 || is_directory(indexer->words.items[0]))) {
        options_error(parser, "--format ttu goes with one trace only");
    }
    if (parser->status != EXIT_STATUS_DONE)
        return false;
    check_many(indexer, parser);
    if (indexer->follows) {
        struct index_policy *index = &indexer->common.session.index;
        if (indexer->words.count && strcmp(indexer->words.items[0], "-") == 0)
            options_error(parser, "--follow needs a file, not standard input");
        else if (index->in_memory || index->use == INDEX_NO_BUILD)
            options_error(parser, "--follow cannot be combined with --no-index or --memory-index");
        index->use = INDEX_FORCE; // an existing index covers less
    }
    if (indexer->common.session.index.shard_number ||
        indexer->common.session.index.shard_cuts.count || indexer->common.session.index.is_survey ||
        indexer->common.session.index.surveys.count) {
        const struct index_policy *index = &indexer->common.session.index;
        if (!index->shard_number)
            options_error(parser, "--cut, --survey and --after need --shard");
        else if (index->is_survey && index->surveys.count)
            options_error(parser, "--survey cannot be combined with --after: it needs no other");
        else if (!index->path)
            options_error(parser, "--shard needs --index FILE, the part that it makes");
        else if (index->shard_cuts.count && index->shard_cuts.count != index->shard_count - 1)
            options_error(parser, "%u shards need --cut %u time%s, not %zu", index->shard_count,
                          index->shard_count - 1, plural(index->shard_count - 1),
                          index->shard_cuts.count);
        else if (indexer->follows || index->in_memory || index->use == INDEX_NO_BUILD)
            options_error(parser,
                          "--shard cannot be combined with --follow, --no-index or --memory-index");
    }
    return parser->status == EXIT_STATUS_DONE;
}

static const struct option_need option_needs[] = {
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
    command_begin(&indexer.common, self);
    indexer.common.writes_tables = false;
    indexer.common.session.index.is_purpose = true;
    indexer.common.own_options = option_needs;
    enum exit_status status =
        take_options(&indexer, &parser, argc, argv) ? index_all(&indexer) : parser.status;
    index_inputs_free(&indexer.inputs);
    free(indexer.words.items);
    command_free(&indexer.common);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_INDEX, 0, "index", "FILE", "write the index to FILE instead of TRACE.index"},
    {OPTION_FORCE_INDEX, 0, "force-index", NULL, "build the index even if one fits"},
    {OPTION_FOLLOW, 0, "follow", NULL,
     "update the index while some program has the trace open for writing, or until Ctrl-C"},
    {OPTION_NO_INDEX, 0, "no-index", NULL, "build no index: fail if the existing one does not fit"},
    {OPTION_MEMORY_INDEX, 0, "memory-index", NULL,
     "write nothing: only check that the trace can be read"},
    {OPTION_SHARD, 0, "shard", "K/N",
     "build only the part of the index for piece K of N of the trace, into the file of --index; "
     "'trawl merge' makes the index of all N parts"},
    {OPTION_CUT, 0, "cut", "BYTE",
     "where a piece begins, at the next line whose time rises; for all but the first; default: "
     "pieces of equal size"},
    {OPTION_SURVEY, 0, "survey", NULL,
     "with --shard: read only the piece, and write a survey of it to the file of --index"},
    {OPTION_AFTER, 0, "after", "FILE",
     "with --shard: the survey of a piece before, or a pattern in quotes ('run.survey*'); with "
     "those of all pieces before, the text before the piece is not read"},
    {OPTION_FORMAT, 0, "format", "FORMAT",
     "trawl (default), or ttu: an index for tarmac-browser and tarmac-indextool of the Tarmac "
     "Trace "
     "Utilities, written to the file of -o"},
    {OPTION_OUTPUT, 'o', "output", "FILE", "with --format ttu: the index to write"},
    {OPTION_NO_SYNC, 0, "no-sync", NULL, "do not wait until the index is on the disk"},
    {ROW_HIDDEN_ONLY_INDEX}, // as elsewhere
    {0},
};

static const struct option_spec many_options[] = {
    {OPTION_OUTPUT_DIR, 0, "output-dir", "DIR",
     "write all indexes to DIR, which is created if it does not exist: the index of "
     "DIRECTORY/a/b.tarmac is DIR/a/b.tarmac.index; if names clash, a hash of the whole path is "
     "added"},
    {OPTION_PATTERN, 0, "pattern", "PATTERN",
     "which files of a directory are traces ('*.log'; default: *.tarmac, compressed or not, "
     "*.xray, xray-log.* and *.tf)"},
    {OPTION_JOBS, 0, "jobs", "N",
     "index N traces at a time, which share the threads (default: one for each thread, at "
     "most " TEXT_OF(LIMIT_INDEXING_JOBS) ")"},
    {OPTION_SUMMARY, 0, "summary", "FORMAT",
     "print a line for each trace when it is done, failed ones last: table, csv, or json (one "
     "object per line)"},
    {0},
};

static const struct option_spec own_reading_options[] = {
    {OPTION_IMAGE, 0, "image", "[CORE=]FILE[@OFFSET]",
     "ELF file of the program: its byte order, and names for the index to keep"},
    {ROW_FORCE_IMAGE},
    {ROW_LITTLE_ENDIAN},
    {ROW_BIG_ENDIAN},
    {ROW_IMPLICIT_THUMB},
    {ROW_ISA},
    {ROW_STRIP_PREFIX},
    {ROW_TASK_KEY},
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
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_EVENTS,
    .describe_input = trace_inputs_describe,
    .summary = "build the index of a trace, unless one fits already",
    .description =
        "Builds the index of each trace. It is stored next to the trace as TRACE.index, or as "
        "TRACE.trawl if TRACE.index is a file of another program. Reports read an index that fits "
        "instead of the trace. An index that is older than its trace, was built from other "
        "contents or with other options, or is damaged, is built again. If only lines were added "
        "to "
        "the trace since, queries answer from the index, say how much of the trace it covers, and "
        "end with status 3; 'trawl index' builds it again, and reports that need no index read "
        "the trace. With --image the index "
        "keeps the "
        "names that the image has for addresses, and later commands show them without the image; "
        "other images replace only those names. XRay logs are read faster than their indexes, so "
        "only 'stack' reads one of them unless --index or --no-index is given. For GDB trace "
        "files, state, writes, pc, stack and flamegraph read an index, and build it if there is "
        "none. With --follow a Tarmac trace is read as it grows, from its first 64 KB on, and the "
        "index is repeatedly replaced by one that covers more; queries use that index and say how "
        "much it covers. Files of cores (--with) are covered up to where their order is certain: a "
        "core that writes nothing holds up the others until it goes on or its file is closed. New "
        "pieces of a rotated trace (--then 'trace.*') are added when they appear. With --shard "
        "several machines can share the work on one large "
        "Tarmac trace, each building one part. If TRACE is a directory, all traces in it and below "
        "it are indexed; their names tell which files are traces. Traces whose index fits already "
        "are skipped, so a command that was interrupted can simply be repeated. With --format ttu "
        "an index for the browsers of the Tarmac Trace Utilities is written instead, which trawl "
        "itself does not read. Then the trace is read as they read it, several cores as one, and "
        "a damaged line belongs to the event before it.\n"
        "Several TRACEs are separate traces, each with its own index. To merge the files of "
        "several "
        "cores into one trace, name one of them as TRACE and the others with --with: trawl index "
        "cpu0.tarmac --with 'cpu*.tarmac'. To join the pieces of a rotated trace, use --then.",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"many traces", many_options},
                                            {"how to read the trace", own_reading_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", run_options + 1},
                                            {NULL, segment_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){
            {"TRACE", "{input} to index, or a directory of them, with all below", NULL, false,
             true},
            {0}},
    .examples = "trawl index run.tarmac\n"
                "trawl index -v --threads 8 nightly/*.tarmac\n"
                "trawl index --follow run.tarmac\n"
                "trawl index --output-dir indexes --summary json nightly/ > done.jsonl\n"
                "trawl index --shard 3/8 --index run.part3 run.tarmac\n"
                "trawl index --format ttu -o run.ttu-index run.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};
