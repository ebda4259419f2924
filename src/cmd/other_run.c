#include "cmd/other_run.h"
#include "cmd/driver.h"

#include "cmd/trace_files.h"

bool runs_are_meant(const struct command *command, struct options_parser *parser)
{
    if (!command->session.index.path)
        return true;
    options_error(parser,
                  "--index names the index of one trace: it cannot be combined with --diff");
    return false;
}

bool runs_have_functions(struct command *a, const struct command *b)
{
    return session_can(&a->session, TRACE_ADDRESSES) == session_can(&b->session, TRACE_ADDRESSES) ||
           command_fail_with(a, STATUS_INPUT,
                             "%s and %s: one shows addresses and the other functions by their ids",
                             a->session.path, b->session.path);
}

bool runs_end(struct command *first, struct command *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        command_depends_on(first, &others[i]);
    if (!command_end(first))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct command *other = &others[i];
        enum exit_status status = other->asks_index ? query_sum_up(other) : command_sum_up(other);
        first->status = first->status != EXIT_STATUS_DONE ? first->status : status;
    }
    return true;
}

const struct option_spec other_files_options[] = {
    {OPTION_OTHER_THEN, 0, "other-then", "FILE",
     "as --then, for the other trace; of several, the last one named before this option"},
    {OPTION_OTHER_WITH, 0, "other-with", "[NAME=]FILE", "as --with, for the other trace"},
    {OPTION_OTHER_IMAGE, 0, "other-image", "[CORE=|SPACE=]FILE[@OFFSET]",
     "as --image, for the other trace: it ran another build of the program"},
    {0},
};

// Takes the name of the trace with a number.
static int take_path(struct command *command, struct options_parser *parser, size_t number,
                     const char *path)
{
    if (!VEC_EXTEND(&command->others, number + 1))
        return options_no_memory(parser);
    command->others.items[number].path = path;
    return OPTION_END;
}

int other_run_take_next(struct command *command, struct options_parser *parser,
                        const struct option_match *match)
{
    size_t number = 0;
    while (number < command->others.count && command->others.items[number].path)
        number++;
    return take_path(command, parser, number, match->value);
}

int other_run_take(struct command *command, struct options_parser *parser,
                   const struct option_match *match)
{
    return match->option ? take_path(command, parser, 0, match->value)
                         : other_run_take_next(command, parser, match);
}

int other_run_take_file(struct command *command, struct options_parser *parser, int option,
                        const struct option_match *match)
{
    if (!VEC_EXTEND(&command->others, 1))
        return options_no_memory(parser);
    struct other_run *run = &command->others.items[command->others.count - 1];
    if (option == OPTION_OTHER_IMAGE) {
        if (!VEC_ROOM(&run->images, 1))
            return options_no_memory(parser);
        run->images.items[run->images.count++] = match->value;
        return OPTION_END;
    }
    run->merges |= option == OPTION_OTHER_WITH;
    run->continues |= option == OPTION_OTHER_THEN;
    return trace_files_take(&run->files, match->value) ? OPTION_END : options_no_memory(parser);
}

static bool settle_files(struct other_run *run, struct options_parser *parser)
{
    const char *option = run->merges              ? "--other-with"
                         : run->files.paths.count ? "--other-then"
                                                  : "--other-image";
    char why[TRACE_FILES_WHY_BYTES] = "";
    if (!run->path)
        options_error(parser, "'%s' goes with another trace, and none is given", option);
    else if (run->merges && run->continues)
        options_error(parser, "'--other-then' cannot be combined with '--other-with'");
    else if (run->files.paths.count &&
             !trace_files_settle(&run->files, run->path, run->merges, why))
        options_no_memory(parser);
    else if (*why)
        options_error(parser, "'%s': %s", option, why);
    else
        return true;
    return false;
}

// What was typed for all traces is copied before the first one is opened: a list of images is then
// replaced by what it lists.
static bool settle_images(struct command *command, struct other_run *run,
                          struct options_parser *parser)
{
    const struct session *first = &command->session;
    run->is_other_build = run->images.count != 0;
    if (run->is_other_build || !first->images.count)
        return true;
    if (!VEC_EXTEND(&run->images, first->images.count))
        return options_no_memory(parser) == OPTION_END;
    memcpy(run->images.items, first->images.items, first->images.count * sizeof *run->images.items);
    return true;
}

bool other_run_settle(struct command *command, struct options_parser *parser)
{
    for (size_t i = 0; i < command->others.count; i++) {
        struct other_run *run = &command->others.items[i];
        if (!settle_files(run, parser) || !settle_images(command, run, parser))
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

bool other_runs_are_builds(const struct command *command)
{
    for (size_t i = 0; i < command->others.count; i++) {
        if (command->others.items[i].is_other_build)
            return true;
    }
    return false;
}

void other_run_begin(struct command *other, const struct command *common, size_t number)
{
    struct other_run *run = &common->others.items[number];
    struct session *session = &other->session;
    command_begin_one(other, common, run->path, stderr);
    // These still belong to the common command, as do its images, which grow with their session.
    session->files = run->files;
    session->images.items = run->images.items;
    session->images.count = run->images.count;
    session->images.capacity = run->images.capacity;
    command_set_given(other, OPTION_THEN, false);
    command_set_given(other, OPTION_WITH, false);
    command_set_given(other, OPTION_OTHER_THEN, run->continues);
    command_set_given(other, OPTION_OTHER_WITH, run->merges);
}

void other_run_end(struct command *other, struct command *common, size_t number)
{
    struct other_run *run = &common->others.items[number];
    if (common->status == EXIT_STATUS_FAILED)
        common->status = other->status;
    run->images.items = other->session.images.items;
    run->images.count = run->images.capacity = 0;
    command_free_one(other);
}

enum status other_run_open(struct session *session, const struct other_run *run, struct error *err)
{
    session->path = run->path;
    if (!session_files_copy(&session->files, &run->files) ||
        !VEC_ROOM(&session->images, run->images.count))
        return error_set(err, STATUS_MEMORY, "%s: no memory", run->path);
    for (size_t i = 0; i < run->images.count; i++)
        session->images.items[session->images.count++] = run->images.items[i];
    return STATUS_OK;
}
