// How a session works in so much memory: by smaller chunks and segments, and then by fewer threads.
#ifndef TRAWL_SESSION_MEMORY_PLAN_H
#define TRAWL_SESSION_MEMORY_PLAN_H

#include "session/session.h"

// Lowers the threads, the bytes of a chunk and the events of a segment until what is under way at a
// time fits `memory_bytes`. What a trace needs beyond that (functions, stacks, places in memory)
// nobody knows before it is read: the limit itself sees to it (base/memory_limit.h).
void memory_plan_fit(struct session *session, uint64_t memory_bytes);

// The threads that fit it for work that has neither chunks nor segments; at least 1.
unsigned memory_plan_threads(unsigned threads, uint64_t memory_bytes);

#endif
