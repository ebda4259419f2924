// tfile: chooses one of its commands by the first argument; and what they share.
#include "cli/options.h"
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
    {OPTION_BYTE_ORDER, 0, "byte-order", "ORDER",
     "little or big: how the target has its bytes (default: as the file or an image shows it)"},
    {ROW_LITTLE_ENDIAN},
    {OPTION_BIG_ENDIAN, 0, "bi", NULL, NULL},
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

void tfile_begin(struct command *command, const struct command_spec *spec)
{
    command_begin(command, spec);
    command->writes_tables = false; // they know further formats
    command->no_offsets = true;     // the PC is next to the function
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

bool tfile_is_open(struct command *command)
{
    struct session *session = &command->session;
    struct error err;
    if (!session->trace)
        return command_fail(command, &session->trace_error);
    if (!tfile_of(session->trace))
        return command_fail_with(command, STATUS_INPUT, "%s: is not a GDB trace file",
                                 session->path);
    const size_t count = tfile_file(command)->frames.count;
    struct lane_names names = {.kind = "tracepoint"};
    bool has_lane = !session->filter.lane, is_wanted = filter_is_all(&session->filter);
    for (size_t i = 0; i < count && !has_lane; i++) {
        char name[TFILE_LANE_NAME_BYTES];
        tfile_lane_name(&tfile_file(command)->frames.items[i], name);
        lane_names_add(&names, name);
        has_lane = strcmp(name, session->filter.lane) == 0;
    }
    if (!has_lane) {
        filter_no_lane(&session->filter, session->path, &names, &err);
        return command_fail(command, &err);
    }
    for (size_t i = 0; i < count && !is_wanted; i++)
        is_wanted = tfile_wants_frame(command, i);
    if (is_wanted)
        return true;
    session_shows_no_frame(session, count, &err);
    return command_fail(command, &err);
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

const struct command_spec tfile_command = {
    .name = "tfile",
    .option_set = OPTIONS_TRAWL,
    .summary = "frames of GDB trace files: frames, show, series",
    .description = "Takes a command and its arguments. 'trawl tfile --help' lists the commands; "
                   "'trawl info' shows what a trace file holds.",
    .positionals =
        (const struct positional_spec[]){{"COMMAND", "what to do", NULL, false, false},
                                         {"ARGUMENT", "its options and files", NULL, true, true},
                                         {0}},
    .examples = "trawl tfile frames --image prog run.tf\n",
    .commands = commands,
    .run = subcommands_run,
};
