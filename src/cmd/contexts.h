// Profile and flame graph alike: run the pass into a calling context tree and find its roots.
#ifndef TRAWL_CMD_CONTEXTS_H
#define TRAWL_CMD_CONTEXTS_H

#include "cmd/trace_command.h"

struct contexts {
    struct context_tree tree;
    uint32_t roots[LIMIT_LANES]; // one a lane that takes part
    const char *lane_names[LIMIT_LANES];
    size_t root_count;
};

// False: reported, *status is what to end with. Freed by contexts_free either way.
bool contexts_gather(struct contexts *contexts, struct trace_command *command,
                     enum exit_status *status);
void contexts_free(struct contexts *contexts);

#endif
