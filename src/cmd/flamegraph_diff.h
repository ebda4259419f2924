// flamegraph --diff: the stacks of two runs, as text with two counts or as a picture.
#ifndef TRAWL_CMD_FLAMEGRAPH_DIFF_H
#define TRAWL_CMD_FLAMEGRAPH_DIFF_H

#include "cmd/trace_command.h"

struct flamegraph_diff {
    const struct trace_command *pristine; // of the options, which the other is a copy of
    bool is_picture;
};

// Reports on both; the first is found out (trace_command_detect). Returns the status to end with.
enum exit_status flamegraph_diff(struct trace_command *command,
                                 const struct flamegraph_diff *wanted);

#endif
