#include "cmd/option_kinds.h"

// What holds for every command that has the option; those that are not here go with every kind.
static const struct option_kinds shared[] = {
    {OPTION_IMPLICIT_THUMB, KIND_TARMAC},
    {OPTION_CHUNK_SIZE, KIND_TARMAC},
    {OPTION_DEDUCE, KIND_XRAY},
    {OPTION_LITTLE_ENDIAN, KIND_TARMAC | KIND_TFILE}, // a log tells its own
    {OPTION_BIG_ENDIAN, KIND_TARMAC | KIND_TFILE},
    {OPTION_LOAD_OFFSET, KIND_TARMAC | KIND_TFILE}, // a log has ids of functions
    {OPTION_NO_OFFSETS, KIND_TARMAC | KIND_TFILE},
    {OPTION_TIME, KIND_TARMAC | KIND_XRAY},
    {OPTION_INDEX, KIND_TARMAC | KIND_XRAY}, // frames are read from the file itself
    {OPTION_FORCE_INDEX, KIND_TARMAC | KIND_XRAY},
    {OPTION_ONLY_INDEX, KIND_TARMAC | KIND_XRAY},
    {OPTION_NO_INDEX, KIND_TARMAC | KIND_XRAY},
    {OPTION_MEMORY_INDEX, KIND_TARMAC | KIND_XRAY},
    {OPTION_SEGMENT_EVENTS, KIND_TARMAC | KIND_XRAY},
    {0},
};

static const struct option_kinds *find(const struct option_kinds *table, int option)
{
    while (table && table->option && table->option != option)
        table++;
    return table && table->option ? table : NULL;
}

static unsigned kinds_of(const struct trace_command *command, int option)
{
    const struct option_kinds *row = find(command->own_kinds, option);
    row = row ? row : find(shared, option);
    return row ? row->kinds : KINDS_ALL;
}

static bool refuse(struct trace_command *command, const struct option_spec *option,
                   enum exit_status *status)
{
    struct error err;
    const char *kind = command->xray    ? "an XRay log"
                       : command->tfile ? "a GDB trace file"
                                        : "a Tarmac trace";
    error_set(&err, STATUS_INPUT, "%s: is %s, for which --%.*s means nothing", command->trace, kind,
              (int)strcspn(option->names, ","), option->names);
    trace_command_error(command, &err);
    *status = EXIT_STATUS_USAGE;
    return false;
}

bool option_kinds_check(struct trace_command *command, enum exit_status *status)
{
    unsigned kind = command->xray ? KIND_XRAY : command->tfile ? KIND_TFILE : KIND_TARMAC;
    for (const struct option_group *group = command->spec->groups; group->options; group++) {
        for (const struct option_spec *option = group->options; option->id; option++) {
            if (trace_command_was_given(command, option->id) &&
                !(kinds_of(command, option->id) & kind))
                return refuse(command, option, status);
        }
    }
    return true;
}
