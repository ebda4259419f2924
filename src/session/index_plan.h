// What the index of a session's trace must be made from, and how it is made: for passes and for
// questions.
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

// Finds the index of the open trace and judges it. STATUS_NOT_FOUND: the trace cannot have one, for
// example because it is changing, or none is wanted. Free `file` with index_file_free in either
// case.
enum status index_plan_find(const struct session *session, struct index_file *file,
                            struct error *err);

// Opens an index that fits and may be read, for code that needs it before the trace is read. *index
// NULL: there is none; if an existing one, with its names, cannot be used, the listener was
// informed. The caller closes it.
enum status index_plan_open(const struct session *session, struct trawl_index **index,
                            struct error *err);

// Tells the listener that the open index of the session's trace is damaged and not used.
void index_plan_tell_damaged(const struct session *session, const struct trawl_index *index);

// Whether the user asked for an index in any way.
bool index_plan_is_asked_for(const struct session_index *index);

// The error of a trace that is not a file.
enum status index_plan_no_file(const struct session *session, struct error *err);

#endif
