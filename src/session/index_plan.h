// What the index of a session's trace has to be made from, and how it is made: for passes and
// questions alike.
#ifndef TRAWL_SESSION_INDEX_PLAN_H
#define TRAWL_SESSION_INDEX_PLAN_H

#include "session/index_file.h"
#include "session/indexing.h"
#include "session/session.h"

// What an index has to be made from to fit. Options that change what events are always count; the
// byte order, which only memory has, counts where `by_memory`.
struct index_wanted index_plan_wanted(const struct session *session,
                                      const struct fingerprint *fingerprint, bool by_memory);

// How to build it. One that `stays` is on the disk before it has its name, unless it is not to be.
struct indexing_options index_plan(struct session *session, const char *path,
                                   const struct fingerprint *fingerprint, bool stays);

// Whether names of the images that were given are kept in an index that is made; *why_not: the
// reason why they are not, where there are images and the user might wonder; else NULL.
bool index_plan_keeps_names(const struct session *session, const char **why_not);

// Finds the index of the open trace and judges it. STATUS_NOT_FOUND: it can have none, as one that
// is changing, or none is wanted. `file` is freed by index_file_free either way.
enum status index_plan_find(const struct session *session, struct index_file *file,
                            struct error *err);

// Opens the index that fits and may be read, for whoever wants to know something before the trace
// is read. *index NULL: there is none, and if one may be lost with its names, the listener was
// told. The caller's to close.
enum status index_plan_open(const struct session *session, struct trawl_index **index,
                            struct error *err);

// Tells the listener of the open index of the session's trace, which proved to be damaged, that it
// is not used.
void index_plan_tell_damaged(const struct session *session, const struct trawl_index *index);

// Whether somebody asked for an index in some way.
bool index_plan_is_asked_for(const struct session_index *index);

// Fails as the trace is no file.
enum status index_plan_no_file(const struct session *session, struct error *err);

#endif
