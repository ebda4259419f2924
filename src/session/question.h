// Questions about points of a trace, which only an index answers: opening the one that fits, or one
// that is built first, beside the trace or, where that cannot be, in a temporary file.
#ifndef TRAWL_SESSION_QUESTION_H
#define TRAWL_SESSION_QUESTION_H

#include "session/session.h"

// Opens session.view: of the index that fits, or that is built; or of that which session.index
// says. Images are open; the trace, where there is one, is ready.
enum status session_open_view(struct session *session, struct error *err);

// Opens the view of an index that is there and fits, where it may be used; nothing is built and
// nothing is told. False: there is none, or it cannot be read.
bool session_open_view_that_fits(struct session *session);

// Closes the view of an index that proved to be damaged, where that may be built anew: opening it
// again does. False: `status` is none of that.
bool session_forsake_view(struct session *session, enum status status);

// What became of the place that the index of session.view is from.
enum index_turn {
    INDEX_STAYS,
    INDEX_IS_NEW,   // another one of this trace stands there
    INDEX_IS_UNFIT, // something else does, which is told once
};

// Looks whether the index was replaced or written to while it is in use. INDEX_IS_NEW: *fresh is a
// view of the new one, for session_take_view or to be closed. INDEX_IS_UNFIT: `err` says why.
enum index_turn session_look_for_index(struct session *session, struct index_view *fresh,
                                       struct error *err);

// Has session.view be `fresh` from now on. Whatever else uses the view before is done with it.
void session_take_view(struct session *session, struct index_view *fresh);

// The lane that the filter names, TRAWL_ANY_LANE without one. STATUS_NOT_FOUND: there is none.
enum status session_find_lane(const struct session *session, uint64_t *lane, struct error *err);

// Whether some event of the lane (or of any) lies in the filter's range: STATUS_NOT_FOUND if none
// does, with what there is.
enum status session_find_range(const struct session *session, uint64_t lane, struct error *err);

// The events of the trace whose numbers in the lane (or in any) lie in the range are all in
// [*first, *last].
enum status session_event_bounds(const struct session *session, uint64_t lane, uint64_t *first,
                                 uint64_t *last, struct error *err);

#endif
