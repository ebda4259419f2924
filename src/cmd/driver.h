// The one way through a command: parses the command line, opens the trace or its index, has the
// command write its report, closes the output and says what is missing.
//
// A command contributes steps (struct command_steps), which return false if they failed. A failure
// is reported where it is found, by command_fail, which also notes the status to end with, so that
// nothing between there and command_run handles errors but by returning false. (We had functions
// that passed the status up through a pointer, beside those that passed up a struct error: every
// third line of a command was about one becoming the other.)
#ifndef TRAWL_CMD_DRIVER_H
#define TRAWL_CMD_DRIVER_H

#include "cmd/query.h"
#include "cmd/trace_pass.h"

// Runs the command with the arguments that follow its name, and frees it. Returns the status to end
// with. With `asks_index`, the index and the point are open when the report is written
// (cmd/query.h). If the index turns out to be damaged, it is rebuilt and `report` is called again;
// what was already shown came from sound blocks, and is not shown again. With --no-index, damage is
// an error.
enum exit_status command_run(struct command *command, int argc, char *const *argv,
                             const struct command_steps *steps);

// Its middle, for commands that open several traces, or open them in their own way: writes the
// report of a trace whose images are open.
void command_report(struct command *command, bool (*report)(void *self), void *self);

// Its end, for reports that have something to do after it: closes the output, sums up the damage
// and, if requested, where the time went. False: failed.
bool command_end(struct command *command);

#endif
