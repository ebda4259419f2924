// What a pass does about the index of its trace: reads it, builds it, or goes without.
#ifndef TRAWL_SESSION_PASS_INDEX_H
#define TRAWL_SESSION_PASS_INDEX_H

#include "session/run.h"

// The trace is open and ready, and still at its start. *is_done: the request was run over the
// index, or an index was all that was wanted; else the trace is to be read, from its start. Later
// requests are run over what this one was.
enum status session_pass_by_index(struct session *session, const struct pass_request *request,
                                  bool *is_done, struct error *err);

#endif
