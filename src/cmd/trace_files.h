// The other files of a trace, as they are typed.
#ifndef TRAWL_CMD_TRACE_FILES_H
#define TRAWL_CMD_TRACE_FILES_H

#include "session/session.h"

// Takes a FILE or a pattern of some. False: no memory.
bool trace_files_take(struct session *session, const char *typed);

// Once session->path is known: puts what patterns match in their places, by the numbers in their
// names, without the trace itself and indexes. What is there by its name is no pattern. *unmatched:
// a pattern that matches nothing, else NULL. False: no memory.
bool trace_files_settle(struct session *session, const char **unmatched);

#endif
