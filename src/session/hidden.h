// Which functions of a trace --hide leaves out.
#ifndef TRAWL_SESSION_HIDDEN_H
#define TRAWL_SESSION_HIDDEN_H

#include "session/session.h"

// Whether anything is to be hidden.
bool session_hides_any(const struct session *session);

// Whether calls of the function entered at `pc` are hidden: by its name as it is shown, without an
// offset too, as its object has it, or by 0xADDRESS.
bool session_hides(struct session *session, uint64_t pc);

#endif
