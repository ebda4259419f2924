// GDB trace files as the traces of commands: one is told from other traces by its first bytes.
#ifndef TRAWL_CMD_TFILE_TRACE_H
#define TRAWL_CMD_TFILE_TRACE_H

#include "cmd/trace_command.h"
#include "format/tfile_frame.h"
#include "pipeline/tfile_pass.h"

struct tfile_trace {
    struct tfile file;
    struct trace_damage damage; // what is inside of frames, too
    bool is_moved;              // some image was, as the tracepoints show
    struct tfile_pass pass;     // that makes an index
};

// Finds out whether the trace is a trace file; if it is, and the command takes them, sets
// command->tfile. Behind xray_trace_open. False: reported, *status is what to end with.
bool tfile_trace_detect(struct trace_command *command, enum exit_status *status);

// Opens the file, by what the images tell of the machine; moves images that may be anywhere to
// where they were, looks into all frames, and tells what is wrong. trace_command_open_images ends
// with it. False: likewise.
bool tfile_trace_open(struct trace_command *command, enum exit_status *status);

// Says with -v what was found.
void tfile_trace_sum_up(struct trace_command *command);

// The name of the function at a PC, NULL without one.
const char *tfile_trace_function(struct trace_command *command, uint64_t pc);

// A tracepoint is a lane: "tp2".
#define TFILE_LANE_NAME_BYTES 16
void tfile_trace_lane(const struct tfile_frame *frame, char name[TFILE_LANE_NAME_BYTES]);

// "recovered", "damaged", "short", "cut"; NULL for a frame as it should be.
const char *tfile_trace_marks(const struct tfile *file, const struct tfile_frame *frame);

// Of `trawl index`: opens the file without looking at images, and finds or builds its index. False:
// the command ends with *status.
bool tfile_trace_index(struct trace_command *command, enum exit_status *status);

// The pass that makes the index; NULL: the trace is no trace file.
struct tfile_pass *tfile_trace_begin_pass(struct trace_command *command);

// Builds it as `how` says. False: reported, *status is what to end with.
bool tfile_trace_build_index(struct trace_command *command, const struct indexing_options *how,
                             enum exit_status *status);

void tfile_trace_free(struct trace_command *command);

#endif
