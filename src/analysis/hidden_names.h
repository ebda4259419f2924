// Functions that --hide leaves out of reports, by their names or by patterns, and how much was left
// out.
//
// A call of such a function is left out with everything that it calls, and with its time. Handlers
// that interrupt it were not called by it: they stay, within its caller.
#ifndef TRAWL_ANALYSIS_HIDDEN_NAMES_H
#define TRAWL_ANALYSIS_HIDDEN_NAMES_H

#include "base/vec.h"

struct hidden_name {
    const char *pattern; // a name, with * ? and [] as in file names; the caller's
    bool was_met;
};

// All zero hides nothing.
struct hidden_names {
    VEC(, struct hidden_name) items;
    // What was left out: whole calls with their ticks, and of stacks at a point frames.
    uint64_t ticks, calls, frames;
};

// False: no memory. Freed by hidden_names_free.
bool hidden_names_add(struct hidden_names *hidden, const char *pattern);
void hidden_names_free(struct hidden_names *hidden);

// Whether a pattern is a name, or matches it.
bool hidden_name_is(const struct hidden_name *hidden, const char *name);

// Whether any is meant by the caller, who says so of each. Notes all that are.
bool hidden_names_have(struct hidden_names *hidden, void *self,
                       bool (*is_meant)(void *self, const struct hidden_name *hidden));

#endif
