// Functions that --hide leaves out of reports, by name or pattern, and how much was left out.
//
// A call of such a function is left out together with its time and all that it calls. Handlers that
// interrupt it are not called by it: they stay, in its caller.
#ifndef TRAWL_NAMES_HIDDEN_NAMES_H
#define TRAWL_NAMES_HIDDEN_NAMES_H

#include "base/vec.h"
#include "names/names.h"

struct hidden_name {
    const char *pattern; // a name, with * ? and [] as in file names; the caller's
    bool was_met;
    struct typed_address address; // that it may be instead
};

// All zero hides nothing.
struct hidden_names {
    VEC(, struct hidden_name) items;
    // What was left out: whole calls with their ticks, or frames of stacks at a point.
    uint64_t ticks, calls, frames;
};

// False: no memory. Freed by hidden_names_free.
bool hidden_names_add(struct hidden_names *hidden, const char *pattern);
void hidden_names_free(struct hidden_names *hidden);

// Whether a pattern equals or matches a name.
bool hidden_name_is(const struct hidden_name *hidden, const char *name);

// Whether the caller's test is true for any of them. Records all for which it is.
bool hidden_names_have(struct hidden_names *hidden, void *self,
                       bool (*is_meant)(void *self, struct hidden_name *hidden));

#endif
