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

// Begins a command over a trace file, and takes its whole command line. False: end with
// parser->status.
bool tfile_begin_command(struct command *command, const struct command_spec *spec,
                         struct options_parser *parser, int argc, char *const *argv,
                         const struct command_own *own);

// Opens images and file. False: reported, *status is what to end with.
bool tfile_open_trace(struct command *command, enum exit_status *status);

// The file, if the command has it open.
struct tfile *tfile_file(const struct command *command);

// The name of the function at a PC, NULL without one.
const char *tfile_function(struct command *command, uint64_t pc);

// Whether a frame is selected.
bool tfile_wants_frame(struct command *command, uint64_t number);

#endif
