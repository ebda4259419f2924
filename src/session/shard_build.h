// Builds one part of an index, or a survey of its piece, as session.index requests: for traces
// whose index is made by several processes or machines and then merged (session/merging.h). A part
// is built whenever it is requested: whether an older one fits depends on the other parts.
#ifndef TRAWL_SESSION_SHARD_BUILD_H
#define TRAWL_SESSION_SHARD_BUILD_H

#include "base/fingerprint.h"
#include "session/session.h"

// The trace must be ready and at its start.
enum status shard_build(struct session *session, const struct fingerprint *fingerprint,
                        struct error *err);

#endif
