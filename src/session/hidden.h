// The functions of a trace that --hide leaves out.
#ifndef TRAWL_SESSION_HIDDEN_H
#define TRAWL_SESSION_HIDDEN_H

#include "session/session.h"

// Whether anything is hidden.
bool session_hides_any(const struct session *session);

// Whether calls of the function entered at `pc` are hidden: by its name as shown, by that name
// without an offset, by its name in the object, or by its address.
bool session_hides(struct session *session, uint64_t pc);

#endif
