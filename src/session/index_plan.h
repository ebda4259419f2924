// What the index of a session's trace must be made from, and how it is made.
#ifndef TRAWL_SESSION_INDEX_PLAN_H
#define TRAWL_SESSION_INDEX_PLAN_H

#include "session/index_file.h"
#include "session/indexing.h"
#include "session/session.h"

// What an index must be made from to fit. Options that change events always count; the byte order,
// which affects only memory, counts if `by_memory`.
struct index_wanted index_plan_wanted(const struct session *session,
                                      const struct fingerprint *fingerprint, bool by_memory);

// How to build it. An index that `stays` is synced to the disk before it gets its name, unless
// syncing is off.
struct indexing_options index_plan(struct session *session, const char *path,
                                   const struct fingerprint *fingerprint, bool stays);

// Whether a new index will contain the names of the given images; *why_not: the reason if it will
// not and the user might wonder, otherwise NULL.
bool index_plan_keeps_names(const struct session *session, const char **why_not);

#endif
