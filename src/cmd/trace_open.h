// Opening a trace, and the images that name its functions.
#ifndef TRAWL_CMD_TRACE_OPEN_H
#define TRAWL_CMD_TRACE_OPEN_H

#include "cmd/trace_command.h"

// Finds the kind of the trace, and checks that it has what the command needs and that all options
// apply to it. A trace that cannot be opened is reported later, because its index may be enough.
// Does nothing when called again, nor under the tarmac-* names. False: reported, end with *status.
bool trace_command_detect(struct trace_command *command, enum exit_status *status);

// The same, and also opens the images, and the trace for passes.
bool trace_command_open_images(struct trace_command *command, enum exit_status *status);

// The steps of these: opens the trace as command->session.trace, leaving errors to the caller;
// prepares it for passes, at most once; and makes its meter.
enum status trace_command_open_trace(struct trace_command *command, struct error *err);
bool trace_command_make_ready(struct trace_command *command, enum exit_status *status);
enum meter trace_command_meter(const struct trace_command *command);

#endif
