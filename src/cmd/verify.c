// verify: checks every byte of an index, and that the index belongs to its trace.
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "idx/file_role.h"
#include "query/trace_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status check_trace(const struct session *session, struct error *err)
{
    size_t count;
    const char **paths = session_paths(session, &count);
    enum status status = paths ? trace_check(&session->view, session->view_path, paths, count, err)
                               : error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    free(paths);
    return status;
}

static bool report(void *self)
{
    struct command *command = self;
    const struct session *session = &command->session;
    struct error err;
    struct trawl_error from;
    bool is_alone = session->index.is_path_itself;
    enum status status = index_status(trawl_verify(session->view.index, &from), &from, &err);
    if (status == STATUS_OK && !is_alone)
        status = check_trace(session, &err);
    if (status != STATUS_OK)
        return command_fail(command, &err);
    printf("%s: no damage, %" PRIu64 " bytes%s%s\n", session->view_path,
           session->view.info.index_bytes, is_alone ? "" : "; the index of ",
           is_alone ? "" : session->path);
    return command_done(command);
}

// An index, or the trace of one.
static bool check(void *self, struct options_parser *parser)
{
    struct command *command = self;
    struct session *session = &command->session;
    enum file_role role = file_role_at(session->path);
    struct error err;
    session->index.is_path_itself = role == ROLE_INDEX;
    if (role != ROLE_INDEX && role != ROLE_OTHER) {
        file_role_refuse(session->path, role, ROLE_INDEX, &err);
        parser->status = diag_error(&command->diag, &err);
        return false;
    }
    if (role == ROLE_INDEX && session->index.path) {
        options_error(parser, "--index applies to a trace, but '%s' is an index: leave --index out",
                      session->path);
        return false;
    }
    return true;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct command command;
    command_begin(&command, self);
    command.session.index.is_verified = true;
    command.takes_index = command.asks_index = true;
    return command_run(&command, argc, argv,
                       &(struct command_steps){&command, NULL, check, report});
}

static const struct option_spec own_options[] = {
    {OPTION_INDEX, 0, "index", "FILE", "the index (default: TRACE.index)"},
    {ROW_STRIP_PREFIX},
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
