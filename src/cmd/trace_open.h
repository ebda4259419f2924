// Opening a trace, and the images that name its functions.
#ifndef TRAWL_CMD_TRACE_OPEN_H
#define TRAWL_CMD_TRACE_OPEN_H

#include "cmd/trace_command.h"

// Finds out of what kind the trace is, that this can do what the command needs, and that all
// options mean something for it. A trace that cannot be opened is left for later to tell, as its
// index may do. Does nothing a second time, nor under the tarmac-* names. False: reported, *status
// is what to end with.
bool trace_command_detect(struct trace_command *command, enum exit_status *status);

// The same, and opens the images, and the trace for passes.
bool trace_command_open_images(struct trace_command *command, enum exit_status *status);

// What these are made of: opens the trace as command->session.trace, errors are the caller's to
// report; makes it ready for passes, which does nothing a second time; and the meter that it is
// shown on.
enum status trace_command_open_trace(struct trace_command *command, struct error *err);
bool trace_command_make_ready(struct trace_command *command, enum exit_status *status);
enum meter trace_command_meter(const struct trace_command *command);

#endif
