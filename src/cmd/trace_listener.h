// Messages of commands while a session runs: lines that cannot be read, the index, damage,
// progress; in the style of trawl or of the Tarmac Trace Utilities.
#ifndef TRAWL_CMD_TRACE_LISTENER_H
#define TRAWL_CMD_TRACE_LISTENER_H

#include "cmd/trace_command.h"

// The listener of the command's session, as its options have it.
struct session_listener trace_command_listener(struct trace_command *command);

// Says what a pass notes of a line, where that is to be said; `command` is the struct
// trace_command.
void trace_listener_note(void *command, const struct line_note_report *note);

// Ends the meter of passes, and reports how they ended: true if well; else *status is what to end
// with.
bool trace_command_passed(struct trace_command *command, enum status result,
                          const struct error *err, enum exit_status *status);

#endif
