// How a session works with limited memory: with smaller chunks and segments, and then with fewer
// threads.
#ifndef TRAWL_SESSION_MEMORY_PLAN_H
#define TRAWL_SESSION_MEMORY_PLAN_H

#include "session/session.h"

// Reduces the threads, the bytes of a chunk and the events of a segment until the work in progress
// fits in `memory_bytes`. The further needs of a trace (functions, stacks, places in memory) are
// unknown before it is read: the limit itself covers them (base/spool.h).
void memory_plan_fit(struct session *session, uint64_t memory_bytes);

// The number of threads for work without chunks and segments; at least 1.
unsigned memory_plan_threads(unsigned threads, uint64_t memory_bytes);

#endif
