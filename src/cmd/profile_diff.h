// profile --diff: what changed between the profiles of two runs, function by function.
#ifndef TRAWL_CMD_PROFILE_DIFF_H
#define TRAWL_CMD_PROFILE_DIFF_H

#include "cmd/profile_places.h"
#include "flow/profile.h"

struct profile_diff {
    enum profile_sort sort; // for figures, by the amount of the change
    uint64_t top;           // the most rows
};

// A run and its profile.
struct profile_side {
    struct trace_command *command;
    const struct profile *profile;
};

// Writes the table to the output of the first. False: reported, end with *status.
bool profile_diff_write(const struct profile_diff *wanted, const struct profile_side sides[2],
                        struct out *out, enum exit_status *status);

#endif
