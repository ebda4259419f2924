#include "cmd/option_kinds.h"

// For every command that has the option; options that are not listed apply to every kind.
static const struct option_kinds shared[] = {
    {OPTION_IMPLICIT_THUMB, TRACE_ARM, 0},
    {OPTION_STRIP_PREFIX, TRACE_LINES, 0},
    {OPTION_CHUNK_SIZE, TRACE_CHUNKS, 0},
    {OPTION_DEDUCE, TRACE_CALLS, TRACE_ADDRESSES},
    {OPTION_LITTLE_ENDIAN, TRACE_MEMORY, 0},
    {OPTION_BIG_ENDIAN, TRACE_MEMORY, 0},
    {OPTION_LOAD_OFFSET, TRACE_ADDRESSES, 0},
    {OPTION_FORCE_IMAGE, TRACE_INSTRUCTIONS, 0},
    {OPTION_NO_OFFSETS, TRACE_ADDRESSES, 0},
    {OPTION_TIME, TRACE_TIMES, 0},
    {OPTION_BY, TRACE_TASKS, 0},
    {OPTION_TASK, TRACE_TASKS, 0},
    {OPTION_TASK_NAME, TRACE_TASKS, 0},
    {OPTION_CONTEXT, TRACE_LINES, 0},
    {OPTION_THEN, TRACE_LINES, 0},
    {OPTION_WITH, TRACE_LINES, 0},
    {OPTION_OTHER_THEN, TRACE_LINES, 0},
    {OPTION_OTHER_WITH, TRACE_LINES, 0},
    {0},
};

static const struct option_kinds *find(const struct option_kinds *table, int option)
{
    while (table && table->option && table->option != option)
        table++;
    return table && table->option ? table : NULL;
}

static bool means_something(const struct trace_command *command, int option)
{
    const struct option_kinds *row = find(command->own_options, option);
    unsigned abilities = command->session.trace->kind->abilities;
    row = row ? row : find(shared, option);
    return !row || ((abilities & row->needs) == row->needs && !(abilities & row->without));
}

static bool refuse(struct trace_command *command, const struct option_spec *option,
                   enum exit_status *status)
{
    struct error err;
    char name[OPTION_TEXT_BYTES];
    option_text(option, name);
    error_set(&err, STATUS_INPUT, "%s: is %s, to which %s does not apply", command->session.path,
              command->session.trace->kind->words.a, name);
    trace_command_error(command, &err);
    *status = EXIT_STATUS_USAGE;
    return false;
}

bool option_kinds_check(struct trace_command *command, enum exit_status *status)
{
    for (const struct option_group *group = command->spec->groups; group->options; group++) {
        for (const struct option_spec *option = group->options; option->id; option++) {
            if (trace_command_was_given(command, option->id) &&
                !means_something(command, option->id))
                return refuse(command, option, status);
        }
    }
    return true;
}
