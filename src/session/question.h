// Queries of points of a trace, which only an index can answer. Opens an index that fits, or builds
// one first: next to the trace or, if that is impossible, in a temporary file.
#ifndef TRAWL_SESSION_QUESTION_H
#define TRAWL_SESSION_QUESTION_H

#include "session/session.h"

// Opens session.view, of an index that fits or is built, or of the one that session.index
// specifies. The images must be open; the trace, if there is one, must be ready.
enum status session_open_view(struct session *session, struct error *err);

// Opens the view of an existing index that fits and may be used. Builds nothing and reports
// nothing. False: there is none, or it cannot be read.
bool session_open_view_that_fits(struct session *session);

// Closes the view of an index that proved to be damaged, if it may be rebuilt: opening the view
// again does so. False: `status` is not about damage, or the index may not be rebuilt.
bool session_forsake_view(struct session *session, enum status status);

// What happened to the file of the index of session.view.
enum index_turn {
    INDEX_STAYS,
    INDEX_IS_NEW,   // another index of this trace replaced it
    INDEX_IS_UNFIT, // something else replaced it, which is reported once
};

// Checks whether the index was replaced or written to while it is in use. INDEX_IS_NEW: *fresh is a
// view of the new one, for session_take_view, or to be closed. INDEX_IS_UNFIT: `err` has the
// reason.
enum index_turn session_look_for_index(struct session *session, struct index_view *fresh,
                                       struct error *err);

// Replaces session.view by `fresh`. Nothing may use the previous view any more.
void session_take_view(struct session *session, struct index_view *fresh);

// The lane with the filter's name; TRAWL_ANY_LANE without a filter. STATUS_NOT_FOUND: none.
enum status session_find_lane(const struct session *session, uint64_t *lane, struct error *err);

// Whether an event of the lane (or of any) is in the filter's range. STATUS_NOT_FOUND: none; the
// error says what there is.
enum status session_find_range(const struct session *session, uint64_t lane, struct error *err);

// Bounds for the events of the trace whose numbers in the lane (or in any) are in the range: all
// are in [*first, *last].
enum status session_event_bounds(const struct session *session, uint64_t lane, uint64_t *first,
                                 uint64_t *last, struct error *err);

#endif
