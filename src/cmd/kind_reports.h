// What a kind of trace answers in a way of its own, for the commands that ask all kinds. Where a
// row has nothing, the command's own answer, which knows no kinds, will do.
#ifndef TRAWL_CMD_KIND_REPORTS_H
#define TRAWL_CMD_KIND_REPORTS_H

#include "cmd/query.h"
#include "cmd/unwind_method.h"

struct kind_reports {
    const struct trace_kind *kind;
    // Each takes the whole command over, whose trace is known but not open, and returns the status
    // to end with.
    enum exit_status (*stack)(struct query *query, enum unwind_method how);
};

#endif
