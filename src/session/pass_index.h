// What a pass does with the index of its trace: read it, build it, or not use it.
#ifndef TRAWL_SESSION_PASS_INDEX_H
#define TRAWL_SESSION_PASS_INDEX_H

#include "session/run.h"

// The trace is open and ready, and at its start. *is_done: the request was run over the index, or
// only an index was wanted; otherwise the trace must be read, from its start. Later requests use
// the same source as this one.
enum status session_pass_by_index(struct session *session, const struct pass_request *request,
                                  bool *is_done, struct error *err);

#endif
