// The commands of `trawl tfile`. A file in this folder defines each.
#ifndef TRAWL_CMD_TFILE_COMMANDS_H
#define TRAWL_CMD_TFILE_COMMANDS_H

#include "cmd/command.h"
#include "trace/tfile/tfile.h"

extern const struct command_spec tfile_frames_command, tfile_show_command, tfile_series_command;

// Shared options: how the file is read and named, which frames are selected, how commands run.
extern const struct positional_spec tfile_positional[]; // only the file
extern const struct option_spec tfile_read_options[];
extern const struct option_spec tfile_filter_options[];
extern const struct option_spec tfile_run_options[];

// Begins a command over a trace file.
void tfile_begin(struct command *command, const struct command_spec *spec);

// The first step of its report: whether the trace is a trace file, with frames that are wanted.
bool tfile_is_open(struct command *command);

// The file, if the command has it open.
struct tfile *tfile_file(const struct command *command);

// The name of the function at a PC, NULL without one.
const char *tfile_function(struct command *command, uint64_t pc);

// Whether a frame is selected.
bool tfile_wants_frame(struct command *command, uint64_t number);

#endif
