// profile: its options, and one profile, for the report about one run (profile.c) and about several
// (profile_diff.c).
#ifndef TRAWL_CMD_PROFILE_H
#define TRAWL_CMD_PROFILE_H

#include "cmd/command.h"
#include "diff/build_functions.h"
#include "flow/profile.h"
#include "query/place_profile.h"

enum profile_sort { SORT_SELF, SORT_TOTAL, SORT_COUNT, SORT_ADDRESS, SORT_NAME };

struct profile_request {
    struct command common;
    unsigned sort; // enum profile_sort
    uint64_t top;
    bool by_caller;
    bool by_place;
    enum place_kind place;   // by_place
    struct command pristine; // copied for the others
};

// Makes the profile of the open trace, in the fastest way: by the kind itself, otherwise from
// calling contexts, of each task or of all together. `builds`: functions are those of several
// builds; NULL: of one. False: reported.
bool profile_take(const struct profile_request *request, struct command *command,
                  struct build_functions *builds, struct profile *profile);

// The report about several runs.
bool profile_report_runs(struct profile_request *request);

#endif
