// Shared by reports that compare a trace with another (--diff).
#ifndef TRAWL_CMD_TWO_RUNS_H
#define TRAWL_CMD_TWO_RUNS_H

#include "cmd/trace_command.h"

// Whether the options are valid for two traces. False: reported.
bool two_runs_are_meant(const struct trace_command *command, struct options_parser *parser);

// Whether the functions of two open traces can be compared: both have addresses, or both have ids.
// False: reported, end with *status.
bool two_runs_have_functions(struct trace_command *a, const struct trace_command *b,
                             enum exit_status *status);

// Ends the report, which belongs to A, with the messages about both.
enum exit_status two_runs_end(struct trace_command *a, struct out *out, struct trace_command *b);

#endif
