// flamegraph --diff: the stacks of two runs, as text with two counts or as a picture.
#ifndef TRAWL_CMD_FLAMEGRAPH_DIFF_H
#define TRAWL_CMD_FLAMEGRAPH_DIFF_H

#include "cmd/trace_command.h"
#include "report/flame_svg.h"

struct flamegraph_diff {
    const struct trace_command *pristine; // the options, copied for the other
    bool is_picture;
    enum flame_run widths; // of the picture
};

// Reports on both; the kind of the first is known (trace_command_detect). Returns the status to end
// with.
enum exit_status flamegraph_diff(struct trace_command *command,
                                 const struct flamegraph_diff *wanted);

#endif
