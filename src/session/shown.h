// Filters that select nothing: an error that says what there is.
#ifndef TRAWL_SESSION_SHOWN_H
#define TRAWL_SESSION_SHOWN_H

#include "session/session.h"

// --- shown.c -------------------------------------------------------------------------------------

// For a report that has shown, or will show, nothing: STATUS_NOT_FOUND if a filter is the reason;
// STATUS_OK if there is none, and under the tarmac-* names, which have no such error.
enum status session_shows_nothing(struct session *session, struct error *err);

// The error if the filter selects none of `count` frames. Returns STATUS_NOT_FOUND.
enum status session_shows_no_frame(struct session *session, size_t count, struct error *err);

// --- --hide --------------------------------------------------------------------------------------

// The functions of a trace that --hide leaves out.

// Whether anything is hidden.
bool session_hides_any(const struct session *session);

// Whether calls of the function entered at `pc` are hidden: by its name as shown, by that name
// without an offset, by its name in the object, or by its address.
bool session_hides(struct session *session, uint64_t pc);

// Whether one of the names in a set is that of the function entered at `pc`, in the same way.
bool session_is_called(struct session *session, struct hidden_names *names, uint64_t pc);

#endif
