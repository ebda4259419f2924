// verify: checks every byte of an index, and that the index belongs to its trace.
#include "analysis/trace_check.h"
#include "base/file_start.h"
#include "cmd/commands.h"
#include "cmd/query.h"
#include "cmd/query_run.h"
#include "idx/index_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_index(const char *path)
{
    return file_starts_with(path, INDEX_MAGIC, sizeof INDEX_MAGIC - 1);
}

static enum status check_trace(const struct session *session, struct error *err)
{
    size_t count;
    const char **paths = session_paths(session, &count);
    enum status status = paths ? trace_check(&session->view, session->view_path, paths, count, err)
                               : error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    free(paths);
    return status;
}

static enum exit_status check(void *self)
{
    struct query *query = self;
    struct error err;
    struct trawl_error from;
    bool is_alone = query->common.session.index.is_path_itself;
    enum status status =
        index_status(trawl_verify(query->common.session.view.index, &from), &from, &err);
    if (status == STATUS_OK && !is_alone)
        status = check_trace(&query->common.session, &err);
    if (status != STATUS_OK)
        return query_error(query, &err);
    printf("%s: no damage, %" PRIu64 " bytes%s%s\n", query->common.session.view_path,
           query->common.session.view.info.index_bytes, is_alone ? "" : "; the index of ",
           is_alone ? "" : query->common.session.path);
    return EXIT_STATUS_DONE;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct query query;
    struct options_parser parser;
    enum exit_status status = EXIT_STATUS_FAILED;
    query_begin(&query, self);
    query.common.session.index.is_verified = true;
    query.common.takes_index = true;
    if (!query_options(&query, &parser, argc, argv, NULL)) {
        status = parser.status;
    } else {
        struct session_index *index = &query.common.session.index;
        index->is_path_itself = is_index(query.common.session.path);
        bool is_named_twice = index->is_path_itself && index->path;
        if (is_named_twice)
            options_error(&parser,
                          "--index applies to a trace, but '%s' is an index: leave --index out",
                          query.common.session.path);
        status = is_named_twice ? parser.status : query_run(&query, check, &query);
    }
    query_free(&query);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_INDEX, 0, "index", "FILE", "the index (default: TRACE.index)"},
    {0},
};

const struct command_spec verify_command = {
    .name = "verify",
    .manner = MANNER_TRAWL,
    .summary = "check every byte of an index",
    .description = "Reads the whole index and checks it against its checksums. If the trace "
                   "exists, reads that too and checks that the index was built from it. The exit "
                   "status is 0 if no fault is found, otherwise 1.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"the trace in several files", files_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){
            {"TRACE", "trace whose index to check, or an index", NULL, false, false}, {0}},
    .examples = "trawl verify run.tarmac\n"
                "trawl verify run.tarmac.index\n",
    .run = run,
};
