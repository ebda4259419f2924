#include "cmd/two_runs.h"

bool two_runs_are_meant(const struct trace_command *command, struct options_parser *parser)
{
    if (!command->session.index.path)
        return true;
    options_error(parser,
                  "--index names the index of one trace: it cannot be combined with --diff");
    return false;
}

bool two_runs_have_functions(struct trace_command *a, const struct trace_command *b,
                             enum exit_status *status)
{
    struct error err;
    if (session_can(&a->session, TRACE_ADDRESSES) == session_can(&b->session, TRACE_ADDRESSES))
        return true;
    error_set(&err, STATUS_INPUT,
              "%s and %s: one shows addresses and the other functions by their ids",
              a->session.path, b->session.path);
    *status = trace_command_error(a, &err);
    return false;
}

enum exit_status two_runs_end(struct trace_command *a, struct out *out, struct trace_command *b)
{
    trace_command_depends_on(a, b);
    enum exit_status of_a = trace_command_end(a, out);
    enum exit_status of_b = trace_command_sum_up(b);
    return of_a != EXIT_STATUS_DONE ? of_a : of_b;
}
