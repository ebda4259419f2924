#include "cmd/other_run.h"
#include "cmd/driver.h"

#include "cmd/trace_files.h"

bool two_runs_are_meant(const struct command *command, struct options_parser *parser)
{
    if (!command->session.index.path)
        return true;
    options_error(parser,
                  "--index names the index of one trace: it cannot be combined with --diff");
    return false;
}

bool two_runs_have_functions(struct command *a, const struct command *b)
{
    return session_can(&a->session, TRACE_ADDRESSES) == session_can(&b->session, TRACE_ADDRESSES) ||
           command_fail_with(a, STATUS_INPUT,
                             "%s and %s: one shows addresses and the other functions by their ids",
                             a->session.path, b->session.path);
}

bool two_runs_end(struct command *a, struct command *b)
{
    command_depends_on(a, b);
    if (!command_end(a))
        return false;
    enum exit_status of_b = b->asks_index ? query_sum_up(b) : command_sum_up(b);
    a->status = a->status != EXIT_STATUS_DONE ? a->status : of_b;
    return true;
}

const struct option_spec other_files_options[] = {
    {OPTION_OTHER_THEN, 0, "other-then", "FILE",
     "as --then, for the other trace; of several, the last one named before this option"},
    {OPTION_OTHER_WITH, 0, "other-with", "[NAME=]FILE", "as --with, for the other trace"},
    {0},
};

int other_run_take(struct command *command, struct options_parser *parser,
                   const struct option_match *match)
{
    size_t number = 0;
    while (!match->option && number < command->others.count && command->others.items[number].path)
        number++;
    if (!VEC_EXTEND(&command->others, number + 1))
        return options_no_memory(parser);
    command->others.items[number].path = match->value;
    return OPTION_END;
}

int other_run_take_file(struct command *command, struct options_parser *parser, int option,
                        const struct option_match *match)
{
    if (!VEC_EXTEND(&command->others, 1))
        return options_no_memory(parser);
    struct other_run *run = &command->others.items[command->others.count - 1];
    run->merges |= option == OPTION_OTHER_WITH;
    run->continues |= option == OPTION_OTHER_THEN;
    return trace_files_take(&run->files, match->value) ? OPTION_END : options_no_memory(parser);
}

static bool settle_run(struct other_run *run, struct options_parser *parser)
{
    const char *option = run->merges ? "--other-with" : "--other-then";
    char why[TRACE_FILES_WHY_BYTES] = "";
    if (!run->files.paths.count)
        return true;
    if (!run->path)
        options_error(parser, "'%s' goes with another trace, and none is given", option);
    else if (run->merges && run->continues)
        options_error(parser, "'--other-then' cannot be combined with '--other-with'");
    else if (!trace_files_settle(&run->files, run->path, run->merges, why))
        options_no_memory(parser);
    else if (*why)
        options_error(parser, "'%s': %s", option, why);
    else
        return true;
    return false;
}

bool other_run_settle(struct command *command, struct options_parser *parser)
{
    for (size_t i = 0; i < command->others.count; i++) {
        if (!settle_run(&command->others.items[i], parser))
            return false;
    }
    command_set_given(command, OPTION_OTHER_THEN, false); // not for the first trace
    command_set_given(command, OPTION_OTHER_WITH, false);
    return true;
}

const char *other_run_path(const struct command *command)
{
    return command->others.count ? command->others.items[0].path : NULL;
}

void other_run_end(struct command *other, struct command *common)
{
    if (common->status == EXIT_STATUS_FAILED)
        common->status = other->status;
    command_end_one(other);
}

void other_run_begin(struct command *other, const struct command *common)
{
    const struct other_run *run = &common->others.items[0];
    command_begin_one(other, common, run->path, stderr);
    other->session.files = run->files; // which still belong to the common command
    command_set_given(other, OPTION_THEN, false);
    command_set_given(other, OPTION_WITH, false);
    command_set_given(other, OPTION_OTHER_THEN, run->continues);
    command_set_given(other, OPTION_OTHER_WITH, run->merges);
}

enum status other_run_open(struct session *session, const struct other_run *run, struct error *err)
{
    session->path = run->path;
    return session_files_copy(&session->files, &run->files)
               ? STATUS_OK
               : error_set(err, STATUS_MEMORY, "%s: no memory", run->path);
}
