// The passes of reports: over the trace, or over its index if that is used. If they return false,
// the command ends with its status: it has failed, which was reported, or has nothing more to do.
#ifndef TRAWL_CMD_TRACE_PASS_H
#define TRAWL_CMD_TRACE_PASS_H

#include "cmd/command.h"
#include "flow/pc_counts.h"
#include "session/call_stream.h"
#include "session/passes.h"

// Finds the kind of the trace, and checks that it has what the command needs and that all options
// apply to it. A trace that cannot be opened is reported later, because its index may be enough.
// Does nothing when called again, nor under the tarmac-* names.
bool command_detect(struct command *command);

// The same, and also opens the images, and the trace for passes.
bool command_open_images(struct command *command);

// The steps of these: opens the trace as command->session.trace, leaving errors to the caller;
// prepares it for passes, at most once; and makes its meter.
enum status command_open_trace(struct command *command, struct error *err);
bool command_make_ready(struct command *command);
enum meter command_meter(const struct command *command);

// Calls go to a consumer (NULL: none), visits are of watched addresses (NULL: none);
bool command_pass(struct command *command, const struct call_consumer *consumer,
                  const struct watch_list *watch);

// into a profile of the selected lanes, for kinds that have their own way (trace_direct.profile);
bool command_profile(struct command *command, struct profile *profile);

// to a sink (session/call_stream.h), for output that is written while the trace is read;
bool command_stream(struct command *command, const struct call_sink *sink);

// or as the caller requests (session/passes.h).
bool command_request(struct command *command, const struct pass_request *request);

// Opens the index (session/session_index.h) in addition to a pass that follows, for which the trace
// must be a file. False: reported.
bool command_view(struct command *command);

// Opens the trace for a pass, if it is not open yet. False: reported.
bool command_ensure_open(struct command *command);

// session_pass_again, with the meter.
enum status command_pass_again(struct command *command, const struct segment_consumer *segments,
                               struct error *err);

// Goes over the trace, which must be open (command_open_images), and adds what the selected
// lanes executed within the filter's range.
bool instruction_counts_add(struct command *command, struct pc_counts *counts);

#endif
