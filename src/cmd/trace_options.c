// The options that commands over a trace share, and what each does to the command.
#include "cli/options.h"
#include "cli/values.h"
#include "cmd/command.h"
#include "cmd/option_rows.h"
#include "cmd/other_run.h"
#include "cmd/system.h"
#include "cmd/trace_files.h"
#include "search/line_prefix.h"
#include "session/indexing.h"
#include "session/memory_plan.h"
#include "trace/kinds.h"

#include <stdio.h>

// The usual kind, which ends the table, comes first.
void trace_inputs_describe(const struct command_spec *spec, char text[OPTION_INPUT_BYTES])
{
    const struct trace_kind *taken[16];
    size_t count = 0, used = 0;
    for (size_t i = 0; count < ARRAY_COUNT(taken); i++) {
        const struct trace_kind *kind = trace_kinds[i];
        // Rows of one kind of trace, in several forms, have the same words.
        const bool is_new = !count || taken[count - 1]->words.a != kind->words.a;
        if (!trace_lacks(kind, spec->needs) && is_new)
            taken[count++] = kind;
        if (!kind->is)
            break;
    }
    for (size_t i = 0; i < count && used < OPTION_INPUT_BYTES; i++) {
        const struct trace_kind *kind = taken[i ? i - 1 : count - 1];
        const char *before = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        const char *blank = strchr(kind->words.a, ' '); // after the article of "a Tarmac trace"
        used += (size_t)snprintf(text + used, OPTION_INPUT_BYTES - used, "%s%s", before,
                                 blank ? blank + 1 : kind->words.a);
    }
}

// --- Which options apply to which traces ---------------------------------------------------------

// For every command that has the option; options that are not listed apply to every kind.
static const struct option_need shared[] = {
    {OPTION_IMPLICIT_THUMB, TRACE_TTU, 0},
    {OPTION_ISA, TRACE_INSTRUCTIONS, TRACE_TTU},
    {OPTION_STRIP_PREFIX, TRACE_LINES, 0},
    {OPTION_CHUNK_SIZE, TRACE_CHUNKS, 0},
    {OPTION_DEDUCE, TRACE_CALLS, TRACE_ADDRESSES},
    {OPTION_EVENTS, TRACE_EVENTS, 0},
    {OPTION_OLD_EVENTS, TRACE_EVENTS, 0},
    {OPTION_LITTLE_ENDIAN, TRACE_MEMORY, 0},
    {OPTION_BIG_ENDIAN, TRACE_MEMORY, 0},
    {OPTION_LOAD_OFFSET, TRACE_ADDRESSES, 0},
    {OPTION_FORCE_IMAGE, TRACE_INSTRUCTIONS, 0},
    {OPTION_NO_IMAGE_MEMORY, TRACE_INSTRUCTIONS, 0},
    {OPTION_PHYSICAL, TRACE_INSTRUCTIONS, 0},
    {OPTION_SPACE, TRACE_INSTRUCTIONS, 0},
    {OPTION_NO_OFFSETS, TRACE_ADDRESSES, 0},
    {OPTION_TIME, TRACE_TIMES, 0},
    {OPTION_BY, TRACE_TASKS, 0},
    {OPTION_TASK, TRACE_TASKS, 0},
    {OPTION_TASK_NAME, TRACE_TASKS, 0},
    {OPTION_TASK_KEY, TRACE_TASKS, 0},
    {OPTION_OS, TRACE_TASKS, 0},
    {OPTION_CONTEXT, TRACE_LINES, 0},
    {OPTION_THEN, TRACE_LINES, 0},
    {OPTION_WITH, TRACE_LINES, 0},
    {OPTION_OTHER_THEN, TRACE_LINES, 0},
    {OPTION_OTHER_WITH, TRACE_LINES, 0},
    {0},
};

static const struct option_need *find(const struct option_need *table, int option)
{
    while (table && table->option && table->option != option)
        table++;
    return table && table->option ? table : NULL;
}

bool option_needs_check(struct command *command)
{
    const struct trace_kind *kind = command->session.trace->kind;
    for (const struct option_group *group = command->spec->groups; group->options; group++) {
        for (const struct option_spec *option = group->options; option->id; option++) {
            const struct option_need *row = find(command->own_options, option->id);
            char name[OPTION_TEXT_BYTES];
            row = row ? row : find(shared, option->id);
            bool joins =
                kind->joins && (option->id == OPTION_WITH || option->id == OPTION_OTHER_WITH);
            if (!row || !command_was_given(command, option->id) || joins ||
                ((kind->abilities & row->needs) == row->needs && !(kind->abilities & row->without)))
                continue;
            option_text(option, name);
            command_fail_with(command, STATUS_INPUT, "%s: is %s, to which %s does not apply",
                              command->session.path, kind->words.a, name);
            command->status = EXIT_STATUS_USAGE;
            return false;
        }
    }
    return true;
}

const struct option_spec ttu_options[] = {
    {TTU_IMAGE},
    {TTU_LOAD_OFFSET},
    {TTU_LITTLE_ENDIAN},
    {TTU_BIG_ENDIAN},
    {TTU_IMPLICIT_THUMB},
    {TTU_DEBUG},
    {TTU_VERBOSE},
    {TTU_QUIET},
    {TTU_SHOW_PROGRESS},
    {TTU_INDEX},
    // The reference's manual has these for every tool, but only its browser knows them.
    {OPTION_FORCE_INDEX, 0, "force-index", NULL, NULL},
    {ROW_HIDDEN_ONLY_INDEX},
    {OPTION_NO_INDEX, 0, "no-index", NULL, NULL},
    {OPTION_MEMORY_INDEX, 0, "memory-index", NULL, NULL},
    // How the pass runs, which must not show: for our tests.
    {ROW_HIDDEN_THREADS},
    {ROW_HIDDEN_CHUNK_SIZE},
    {ROW_HIDDEN_SEGMENT_EVENTS},
    {0},
};

const struct option_spec ttu_no_offsets_options[] = {
    {OPTION_NO_OFFSETS, 0, "no-offsets", NULL,
     "do not show an offset in call-tree records which start after the function entry point"},
    {0},
};

const struct option_spec image_options[] = {
    {ROW_IMAGE}, {ROW_LOAD_OFFSET}, {ROW_FORCE_IMAGE}, {ROW_DEMANGLE}, {ROW_NO_DEMANGLE}, {0},
};

const struct option_spec no_offsets_options[] = {
    {ROW_NO_OFFSETS},
    {0},
};

const struct option_spec byte_order_options[] = {
    {ROW_LITTLE_ENDIAN},
    {ROW_BIG_ENDIAN},
    {0},
};

const struct option_spec reading_options[] = {
    {ROW_IMPLICIT_THUMB}, {ROW_ISA}, {ROW_STRIP_PREFIX}, {ROW_STRICT}, {0},
};

const struct option_spec xray_options[] = {
    {ROW_DEDUCE},
    {0},
};

const struct option_spec open_frames_options[] = {
    {ROW_OPEN_FRAMES},
    {0},
};

const struct option_spec filter_options[] = {
    {OPTION_TIME, 0, "time", "A..B",
     "only what happens from time A to time B; times may have a fraction (1.5); +1.5s, +20ms: "
     "since "
     "the beginning"},
    {ROW_LANE_EVENTS},
    {ROW_OLD_EVENTS},
    {OPTION_LANE, 0, "lane", "NAME", "only this core or thread, by its name in the trace (cpu0)"},
    {0},
};

const struct option_spec call_filter_options[] = {
    {OPTION_FUNCTION, 0, "function", "NAME", "only calls of this function (name or address)"},
    {OPTION_DEPTH, 0, "depth", "N", "only N levels of calls below the root"},
    {ROW_HIDE},
    {0},
};

#define TASK_NAME_OPTIONS                                                                          \
    {OPTION_TASK, 0, "task", "NAME|ADDRESS",                                                       \
     "only this task: its name as --by task shows it, a pattern (*), or an address in its stack"}, \
        {OPTION_TASK_NAME, 0, "task-name", "EXPR",                                                 \
         "with --by task: name each task by the value of EXPR while it runs, read from an "        \
         "index: a number, or the text that it points to, as in pxCurrentTCB->pcTaskName with "    \
         "DWARF, or *(char**)(u32(current)+16)"},                                                  \
    {                                                                                              \
        ROW_OS                                                                                     \
    }

const struct option_spec task_name_options[] = {TASK_NAME_OPTIONS, {0}};

const struct option_spec task_options[] = {
    {OPTION_BY, 0, "by", "task", "tell the tasks of an operating system apart, by their stacks"},
    TASK_NAME_OPTIONS,
    {0},
};

const struct option_spec index_options[] = {
    {OPTION_INDEX, 0, "index", "FILE",
     "use this index, and build it if it does not fit (default: TRACE.index, if it fits)"},
    {OPTION_FORCE_INDEX, 0, "force-index", NULL, "build the index again, then report"},
    {ROW_HIDDEN_ONLY_INDEX},
    {OPTION_NO_INDEX, 0, "no-index", NULL, "build no index: report from the existing one"},
    {OPTION_MEMORY_INDEX, 0, "memory-index", NULL, "neither read nor write an index"},
    {ROW_TASK_KEY},
    {ROW_HIDDEN_SEGMENT_EVENTS}, // for our tests
    {0},
};

const struct option_spec files_options[] = {
    {OPTION_THEN, 0, "then", "FILE",
     "the trace continues in FILE, the next piece of a rotated trace; may be given several "
     "times. A pattern in quotes ('trace.*') stands for all matching files except TRACE and "
     "indexes, in the order of the numbers in their names"},
    {OPTION_WITH, 0, "with", "[NAME=]FILE",
     "merge the lines of FILE, the trace of another core, with those of TRACE, by their times; may "
     "be given several times, or be a pattern in quotes. Lines that name no core get NAME, or "
     "the name of FILE up to its first dot (cpu0.tarmac); NAME=TRACE names that of TRACE. XRay "
     "logs: "
     "FILE is the log of another process on the same machine, of the program of TRACE or, with "
     "NAME, "
     "of another one, whose image is --image NAME=PROGRAM"},
    {OPTION_LANE_FILE, 0, "lane", "NAME=FILE", NULL}, // the same as --with NAME=FILE
    {0},
};

const struct option_spec run_options[] = {
    {ROW_OUTPUT},
    {ROW_THREADS},
    {OPTION_CHUNK_SIZE, 0, "chunk-size", "SIZE",
     "bytes that one worker reads at a time; K, M or G allowed (default " TEXT_OF(
         PASS_CHUNK_MB_DEFAULT) "M)"},
    {OPTION_MAX_MEMORY, 0, "max-memory", "SIZE", MEMORY_OPTION_TEXT},
    {OPTION_VERBOSE, 'v', "verbose", NULL, "say what was found and where the time went"},
    {ROW_QUIET},
    {0},
};

static const struct option_spec memory_options[] = {{ROW_NO_IMAGE_MEMORY}, {0}};
static const struct option_group common_groups[] = {
    {"what to show", filter_options},
    {NULL, call_filter_options},
    {NULL, task_options},
    {"how to read the trace", image_options},
    {NULL, no_offsets_options},
    {NULL, memory_options},
    {NULL, byte_order_options},
    {NULL, reading_options},
    {NULL, xray_options},
    {NULL, open_frames_options},
    {"the index", index_options},
    {"traces in several files", files_options},
    {NULL, other_files_options},
    {"how to run", run_options},
    {0},
};
static const int usual_options[] = {OPTION_IMAGE,    OPTION_TIME,   OPTION_LANE,
                                    OPTION_FUNCTION, OPTION_OUTPUT, 0};
const struct common_options trace_common_options = {common_groups, usual_options};

const int trace_alternatives[] = {
    TRACE_ALTERNATIVES,
    0,
};

const struct positional_spec trace_positional[] = {
    {"TRACE", "{input} to read; - for standard input", NULL, false, false},
    {0},
};

const struct positional_spec ttu_trace_positional[] = {
    {"TRACEFILE", "Tarmac trace file to read", NULL, false, false},
    {0},
};

static int take_image(struct command *command, struct options_parser *parser, const char *argument)
{
    if (command->session.reading == READING_TTU)
        command->session.images.count = 0; // the last one given counts
    if (command->session.reading == READING_TTU && !*argument)
        return OPTION_END;
    if (!VEC_ROOM(&command->session.images, 1))
        return options_no_memory(parser);
    command->session.images.items[command->session.images.count++] = argument;
    return OPTION_END;
}

static int take_debug(struct command *command, struct options_parser *parser, const char *type)
{
    if (strcmp(type, "list") == 0)
        printf("List of diagnostic types:\n"
               "--debug=call_heuristics: debug call and return analysis\n");
    else if (strcmp(type, "call_heuristics") == 0)
        command->debug_calls = true;
    else
        return options_error(parser, "unknown diagnostic type '%s'", type);
    return OPTION_END;
}

static int take_prefix(struct command *command, struct options_parser *parser,
                       const struct option_match *match)
{
    struct error err;
    line_prefix_close(command->prefix); // the last one given counts
    enum status status = line_prefix_open(&command->prefix, match->value, &err);
    command->session.prefix = command->prefix;
    if (status == STATUS_MEMORY)
        return options_no_memory(parser);
    return status == STATUS_OK ? OPTION_END : options_bad_value(parser, match, err.text);
}

static int take_number(struct options_parser *parser, const struct option_match *match,
                       uint64_t min, uint64_t max, const char *expected, uint64_t *value)
{
    if (!parse_u64_within(match->value, min, max, value))
        return options_bad_value(parser, match, expected);
    return OPTION_END;
}

static int take_chunk_size(struct command *command, struct options_parser *parser,
                           const struct option_match *match)
{
    uint64_t size;
    if (!parse_size(match->value, &size) || size < LIMIT_CHUNK_BYTES_MIN ||
        size > LIMIT_CHUNK_BYTES_MAX)
        return options_bad_value(parser, match, "a size from 1 to 1G");
    command->session.chunk_bytes = size;
    return OPTION_END;
}

static int take_valued(struct command *command, struct options_parser *parser, int option,
                       const struct option_match *match)
{
    uint64_t number;
    struct value_range range;
    switch (option) {
    case OPTION_LOAD_OFFSET:
        if (!parse_load_offset(match->value, &command->session.name_options.load_offset))
            return options_bad_value(parser, match, "a number");
        return OPTION_END;
    case OPTION_THREADS:
        if (take_number(parser, match, 1, LIMIT_THREADS, "a number from 1 to 256", &number))
            return OPTION_STOP;
        command->session.threads = (unsigned)number;
        return OPTION_END;
    case OPTION_CHUNK_SIZE:
        return take_chunk_size(command, parser, match);
    case OPTION_MAX_MEMORY:
        return memory_option_take(parser, match, &command->diag);
    case OPTION_SEGMENT_EVENTS:
        if (take_number(parser, match, 1, SEGMENT_EVENTS_MAX, "a number from 1 to 16777216",
                        &number))
            return OPTION_STOP;
        command->session.index.segment_events = (uint32_t)number;
        return OPTION_END;
    case OPTION_CONTEXT:
        command->context.is_wanted = true;
        return take_number(parser, match, 0, LIMIT_CONTEXT_LINES,
                           "a number of lines, at most 100000", &command->context.count);
    case OPTION_DEPTH:
        return take_number(parser, match, 0, UINT64_MAX, "a number of levels",
                           &command->session.filter.depth_max);
    case OPTION_TIME:
        if (!parse_time_range(match->value, &range) && !parse_seconds_range(match->value, &range))
            return options_bad_value(parser, match, "times as A..B, A.. or ..B");
        command->session.filter.range.first_time = range.first;
        command->session.filter.range.last_time = range.last;
        if (time_range_is_relative(match->value)) // its meaning depends on the trace
            command->session.typed_times = match->value;
        return OPTION_END;
    case OPTION_OLD_EVENTS:
        diag_note(&command->diag, "--events is now --lane-events, as event:N counts in the trace; "
                                  "the old name ends with 3.0");
        // fallthrough
    case OPTION_EVENTS:
        if (!parse_range(match->value, &range))
            return options_bad_value(parser, match, "events as A..B, A.. or ..B");
        command->session.filter.range.first_event = range.first;
        command->session.filter.range.last_event = range.last;
        return OPTION_END;
    }
    ASSERT(false);
    return OPTION_STOP;
}

static int take_task_option(struct command *command, struct options_parser *parser, int option,
                            const struct option_match *match)
{
    struct session *session = &command->session;
    bool is_expression = option == OPTION_TASK_NAME || option == OPTION_TASK_KEY;
    if (is_expression && strlen(match->value) > LIMIT_TASK_EXPRESSION_BYTES)
        return options_bad_value(parser, match,
                                 "at most " TEXT_OF(LIMIT_TASK_EXPRESSION_BYTES) " bytes");
    if (option == OPTION_OS) {
        session->os = match->value;
        return OPTION_END;
    }
    if (option == OPTION_TASK_KEY) {
        session->task_key_expression = match->value;
        return OPTION_END;
    }
    session->splits_by_task = session->parts_interrupts = true;
    command->shows_tasks |= option != OPTION_TASK;
    if (option == OPTION_BY && strcmp(match->value, "task") != 0)
        return options_bad_value(parser, match, "task");
    if (option == OPTION_TASK)
        session->filter.task = match->value;
    if (option == OPTION_TASK_NAME)
        session->task_expression = match->value;
    return OPTION_END;
}

static int take_file(struct command *command, struct options_parser *parser, const char *typed)
{
    return trace_files_take(&command->session.files, typed) ? OPTION_END
                                                            : options_no_memory(parser);
}

static bool takes_files(const struct command_spec *spec)
{
    for (const struct option_group *group = spec->groups; group->options; group++) {
        if (group->options == files_options)
            return true;
    }
    return false;
}

// NAME=FILE is the file of a core, NAME without = selects what to show, if the command has that
// option. Names of lanes never contain =.
static int take_lane(struct command *command, struct options_parser *parser, int option,
                     const struct option_match *match)
{
    if (strchr(match->value, '=') && takes_files(command->spec)) {
        command_set_given(command, option, command->session.filter.lane != NULL);
        command_note_given(command, OPTION_WITH);
        return take_file(command, parser, match->value);
    }
    if (option == OPTION_LANE_FILE)
        return options_bad_value(parser, match, "NAME=FILE");
    command->session.filter.lane = match->value;
    return OPTION_END;
}

int command_option(struct command *command, struct options_parser *parser, int option,
                   const struct option_match *match)
{
    switch (option) {
    case OPTION_POSITIONAL:
        command->session.path = match->value;
        return OPTION_END;
    case OPTION_IMAGE:
        return take_image(command, parser, match->value);
    case OPTION_FORCE_IMAGE:
        command->session.forces_images = true;
        return OPTION_END;
    case OPTION_NO_IMAGE_MEMORY:
        command->session.ignores_image_memory = true;
        return OPTION_END;
    case OPTION_PHYSICAL:
        command->is_physical = true;
        return OPTION_END;
    case OPTION_SPACE:
        command->space = match->value;
        return OPTION_END;
    case OPTION_DEBUG:
        return take_debug(command, parser, match->value);
    case OPTION_STRIP_PREFIX:
        return take_prefix(command, parser, match);
    case OPTION_LITTLE_ENDIAN:
    case OPTION_BIG_ENDIAN:
        command->session.byte_order =
            option == OPTION_BIG_ENDIAN ? TRACE_BIG_ENDIAN : TRACE_LITTLE_ENDIAN;
        return OPTION_END;
    case OPTION_BYTE_ORDER: {
        bool is_big = strcmp(match->value, "big") == 0;
        if (!is_big && strcmp(match->value, "little") != 0)
            return options_bad_value(parser, match, "little or big");
        command->session.byte_order = is_big ? TRACE_BIG_ENDIAN : TRACE_LITTLE_ENDIAN;
        return OPTION_END;
    }
    case OPTION_IMPLICIT_THUMB:
        command->session.implicit_thumb = true;
        return OPTION_END;
    case OPTION_ISA:
        if (strcmp(match->value, "rv32") != 0 && strcmp(match->value, "rv64") != 0)
            return options_bad_value(parser, match, "rv32 or rv64");
        command->session.isa_bits = match->value[2] == '3' ? 32 : 64;
        return OPTION_END;
    case OPTION_VERBOSE:
        command->verbose = true;
        return OPTION_END;
    case OPTION_WIDE:
        command->wide = true;
        return OPTION_END;
    case OPTION_QUIET:
        command->quiet = true;
        command->show_progress = false;
        return OPTION_END;
    case OPTION_SHOW_PROGRESS:
        command->show_progress = true;
        return OPTION_END;
    case OPTION_INDEX:
        command->session.index.path = *match->value ? match->value : NULL;
        return OPTION_END;
    case OPTION_FORCE_INDEX:
        command->session.index.use = INDEX_FORCE;
        return OPTION_END;
    case OPTION_ONLY_INDEX:
        command->session.index.use = INDEX_ONLY;
        return OPTION_END;
    case OPTION_NO_INDEX:
        command->session.index.use = INDEX_NO_BUILD;
        return OPTION_END;
    case OPTION_MEMORY_INDEX:
        command->session.index.in_memory = true;
        return OPTION_END;
    case OPTION_STRICT:
        command->session.is_strict = true;
        return OPTION_END;
    case OPTION_DEDUCE:
        return OPTION_END;
    case OPTION_DEMANGLE:
    case OPTION_NO_DEMANGLE:
        command->session.name_options.demangle = option == OPTION_DEMANGLE;
        command->session.name_options.keeps_mangled = option == OPTION_NO_DEMANGLE;
        return OPTION_END;
    case OPTION_NO_OFFSETS:
        command->no_offsets = true;
        return OPTION_END;
    case OPTION_OPEN_FRAMES: // which is what happens now
        return OPTION_END;
    case OPTION_LINES:
        command->split_by |= SPLIT_LINES;
        return OPTION_END;
    case OPTION_INLINES:
        command->split_by |= SPLIT_INLINES;
        return OPTION_END;
    case OPTION_INSTRUCTIONS:
        command->split_by |= SPLIT_INSTRUCTIONS;
        return OPTION_END;
    case OPTION_RETURNED_ONLY:
        command->session.keeps_open_calls = false;
        return OPTION_END;
    case OPTION_AT:
        command->at = match->value;
        return OPTION_END;
    case OPTION_OUTPUT:
        command->output = match->value;
        return OPTION_END;
    case OPTION_FORMAT:
        command->format = match->value;
        if (command->writes_tables && !table_format_named(match->value, &command->table_format))
            return options_bad_value(parser, match, "table, csv or json");
        return OPTION_END;
    case OPTION_LANE:
    case OPTION_LANE_FILE:
        return take_lane(command, parser, option, match);
    case OPTION_FUNCTION:
        command->session.filter.function = match->value;
        return OPTION_END;
    case OPTION_THEN:
    case OPTION_WITH:
        return take_file(command, parser, match->value);
    case OPTION_OTHER_THEN:
    case OPTION_OTHER_WITH:
    case OPTION_OTHER_IMAGE:
        return other_run_take_file(command, parser, option, match);
    case OPTION_HIDE:
        return hidden_names_add(&command->session.hidden, match->value) ? OPTION_END
                                                                        : options_no_memory(parser);
    case OPTION_BY:
    case OPTION_TASK:
    case OPTION_TASK_NAME:
    case OPTION_TASK_KEY:
    case OPTION_OS:
        return take_task_option(command, parser, option, match);
    default:
        return take_valued(command, parser, option, match);
    }
}

static uint64_t given_bit(int option)
{
    int number = option >= OPTION_OWN ? option - OPTION_OWN : option;
    ASSERT(number >= 0 && number < 64);
    return UINT64_C(1) << number;
}

void command_note_given(struct command *command, int option)
{
    if (option > 0) // not a positional
        command_set_given(command, option, true);
}

void command_set_given(struct command *command, int option, bool is_given)
{
    uint64_t *given = &command->given[option >= OPTION_OWN];
    *given = is_given ? *given | given_bit(option) : *given & ~given_bit(option);
}

bool command_was_given(const struct command *command, int option)
{
    return (command->given[option >= OPTION_OWN] & given_bit(option)) != 0;
}

void command_fit_memory(struct command *command)
{
    if (command->diag.memory_bytes)
        memory_plan_fit(&command->session, command->diag.memory_bytes);
}

bool command_options(struct command *command, struct options_parser *parser, int argc,
                     char *const *argv, const struct command_steps *steps)
{
    struct option_match match;
    const char *trace = NULL; // the first
    int option;
    options_begin(parser, command->spec, argc, argv);
    while ((option = options_next(parser, &match)) != OPTION_END) {
        if (option == OPTION_STOP)
            return false;
        command_note_given(command, option);
        if (option == OPTION_POSITIONAL && !trace)
            trace = match.value;
        // Traces are its own, too, if there may be several.
        bool is_own = option >= OPTION_OWN ||
                      (option == OPTION_POSITIONAL &&
                       (match.positional > 0 || command->spec->positionals[0].repeated));
        option = is_own && steps->take ? steps->take(steps->self, parser, option, &match)
                                       : command_option(command, parser, option, &match);
        if (option == OPTION_STOP)
            return false;
    }
    command_fit_memory(command);
    if (command->session.files.paths.count && trace) {
        bool merges = command_was_given(command, OPTION_WITH);
        char why[TRACE_FILES_WHY_BYTES] = "";
        if (merges && command_was_given(command, OPTION_THEN)) {
            options_error(parser, "'--then' cannot be combined with '--with'");
            return false;
        }
        if (command->spec->positionals[0].repeated && parser->positional_count > 1) {
            options_error(parser, "'%s' needs a single TRACE", merges ? "--with" : "--then");
            return false;
        }
        if (!trace_files_settle(&command->session.files, trace, merges, why)) {
            options_no_memory(parser);
            return false;
        }
        if (*why) {
            options_error(parser, "'%s': %s", merges ? "--with" : "--then", why);
            return false;
        }
    }
    return other_run_settle(command, parser) &&
           (!steps->check || steps->check(steps->self, parser));
}
