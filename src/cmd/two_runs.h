// What reports that compare a trace with another (--diff) have in common.
#ifndef TRAWL_CMD_TWO_RUNS_H
#define TRAWL_CMD_TWO_RUNS_H

#include "cmd/trace_command.h"

// Whether the options can be meant for two traces. False: reported.
bool two_runs_are_meant(const struct trace_command *command, struct options_parser *parser);

// Whether functions of one, both of which are open, can be those of the other: addresses, or ids.
// False: reported, *status is what to end with.
bool two_runs_have_functions(struct trace_command *a, const struct trace_command *b,
                             enum exit_status *status);

// Ends the report, which is A's, and says what both have to say.
enum exit_status two_runs_end(struct trace_command *a, struct out *out, struct trace_command *b);

#endif
