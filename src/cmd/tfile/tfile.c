// tfile: chooses one of its commands by the first argument; and what they share.
#include "cli/subcommands.h"
#include "cli/values.h"
#include "cmd/commands.h"
#include "cmd/option_rows.h"
#include "cmd/tfile/commands.h"
#include "cmd/trace_pass.h"
#include "session/shown.h"

#include <stdio.h>

const struct positional_spec tfile_positional[] = {
    {"TRACE", "trace file of GDB; - for standard input", NULL, false, false},
    {0},
};

const struct option_spec tfile_read_options[] = {
    {OPTION_IMAGE, 0, "image", "FILE[@OFFSET]",
     "ELF file of the program, moved by OFFSET (default for one that may be anywhere: as the "
     "tracepoints show); may be given several times"},
    {ROW_LOAD_OFFSET},
    {OPTION_DEMANGLE, 0, "demangle", NULL, "show C++, Rust and D names as in the source"},
    {OPTION_NO_DEMANGLE, 0, "no-demangle", NULL, "show names as the images have them (default)"},
    {OPTION_LITTLE_ENDIAN, 0, "li", NULL, "the target is little-endian (default: as it shows)"},
    {OPTION_BIG_ENDIAN, 0, "bi", NULL, "the target is big-endian"},
    {OPTION_STRICT, 0, "strict", NULL, "stop at the first damage"},
    {0},
};

const struct option_spec tfile_filter_options[] = {
    {OPTION_EVENTS, 0, "events", "A..B", "only frames A to B, counted from 0"},
    {OPTION_LANE, 0, "lane", "NAME", "only frames of this tracepoint (tp2)"},
    {OPTION_FUNCTION, 0, "function", "NAME", "only frames in this function (name or address)"},
    {0},
};

const struct option_spec tfile_run_options[] = {
    {ROW_OUTPUT},
    {ROW_THREADS},
    {OPTION_VERBOSE, 'v', "verbose", NULL, "say what was found"},
    {0},
};

bool tfile_begin_command(struct command *command, const struct command_spec *spec,
                         struct options_parser *parser, int argc, char *const *argv,
                         const struct command_own *own)
{
    command_begin(command, spec);
    command->writes_tables = false; // they know further formats
    command->no_offsets = true;     // the PC is next to the function
    return command_options(command, parser, argc, argv, own);
}

struct tfile *tfile_file(const struct command *command)
{
    return &tfile_of(command->session.trace)->file;
}

const char *tfile_function(struct command *command, uint64_t pc)
{
    const char *name = names_of(&command->session.names, pc);
    return *name ? name : NULL;
}

static bool has_lane(const struct command *command)
{
    char name[TFILE_LANE_NAME_BYTES];
    for (size_t i = 0; i < tfile_file(command)->frames.count; i++) {
        tfile_lane_name(&tfile_file(command)->frames.items[i], name);
        if (strcmp(name, command->session.filter.lane) == 0)
            return true;
    }
    return false;
}

static void no_lane(const struct command *command, struct error *err)
{
    struct lane_names names = {.kind = "tracepoint"};
    char name[TFILE_LANE_NAME_BYTES];
    for (size_t i = 0; i < tfile_file(command)->frames.count; i++) {
        tfile_lane_name(&tfile_file(command)->frames.items[i], name);
        lane_names_add(&names, name);
    }
    filter_no_lane(&command->session.filter, command->session.path, &names, err);
}

static bool has_wanted_frame(struct command *command)
{
    size_t count = tfile_file(command)->frames.count;
    bool is_filtered = !filter_is_all(&command->session.filter);
    for (size_t i = 0; i < count; i++) {
        if (!is_filtered || tfile_wants_frame(command, i))
            return true;
    }
    return !is_filtered;
}

bool tfile_open_trace(struct command *command, enum exit_status *status)
{
    struct error err;
    if (!command_open_images(command, status))
        return false;
    if (!command->session.trace)
        err = command->session.trace_error;
    else if (!tfile_of(command->session.trace))
        error_set(&err, STATUS_INPUT, "%s: is not a GDB trace file", command->session.path);
    else if (command->session.filter.lane && !has_lane(command))
        no_lane(command, &err);
    else if (!has_wanted_frame(command))
        session_shows_no_frame(&command->session, tfile_file(command)->frames.count, &err);
    else
        return true;
    *status = command_error(command, &err);
    return false;
}

bool tfile_wants_frame(struct command *command, uint64_t number)
{
    const struct tfile_frame *frame = &tfile_file(command)->frames.items[number];
    char name[TFILE_LANE_NAME_BYTES];
    uint64_t pc;
    if (!call_range_has(&command->session.filter.range, 0, number)) // frames have no time
        return false;
    tfile_lane_name(frame, name);
    if (!filter_takes_lane(&command->session.filter, name))
        return false;
    return !command->session.filter.function || (tfile_frame_pc(tfile_file(command), frame, &pc) &&
                                                 session_takes_function(&command->session, pc));
}

static const struct command_spec *const commands[] = {
    &tfile_frames_command,
    &tfile_show_command,
    &tfile_series_command,
    NULL,
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    return subcommands_run(self, argc, argv);
}

const struct command_spec tfile_command = {
    .name = "tfile",
    .manner = MANNER_TRAWL,
    .summary = "frames of GDB trace files: frames, show, series",
    .description = "Takes a command and its arguments. 'trawl tfile --help' lists the commands; "
                   "'trawl info' shows what a trace file holds.",
    .positionals =
        (const struct positional_spec[]){{"COMMAND", "what to do", NULL, false, false},
                                         {"ARGUMENT", "its options and files", NULL, true, true},
                                         {0}},
    .examples = "trawl tfile frames --image prog run.tf\n",
    .commands = commands,
    .run = run,
};
