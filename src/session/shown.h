// Filters that let nothing through: what was asked for is then not there, an error that says what
// is.
#ifndef TRAWL_SESSION_SHOWN_H
#define TRAWL_SESSION_SHOWN_H

#include "session/session.h"

// For a report that has shown, or is about to show, nothing: STATUS_NOT_FOUND where a filter is to
// blame; STATUS_OK where there is none, and under the tarmac-* names, which have no such error.
enum status session_shows_nothing(struct session *session, struct error *err);

// The filter lets none of `count` frames through. Returns STATUS_NOT_FOUND.
enum status session_shows_no_frame(struct session *session, size_t count, struct error *err);

#endif
