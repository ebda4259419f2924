// Messages of commands while a session runs: lines that cannot be read, the index, damage,
// progress; in the style of trawl or of the Tarmac Trace Utilities.
#ifndef TRAWL_CMD_TRACE_LISTENER_H
#define TRAWL_CMD_TRACE_LISTENER_H

#include "cmd/command.h"

// The listener of the command's session, according to its options.
struct session_listener command_listener(struct command *command);

// Reports a note of a pass about a line, if it is to be shown; `command` is the struct
// command.
void trace_listener_note(void *command, const struct line_note_report *note);

// Ends the meter of passes, and reports failures. True: success.
bool command_passed(struct command *command, enum status result, const struct error *err);

#endif
