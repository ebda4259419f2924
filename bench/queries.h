// The index of a trace and random questions to it, for bench/queries.cpp: C below, C++ above this
// line.
#ifndef TRAWL_BENCH_QUERIES_H
#define TRAWL_BENCH_QUERIES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum question {
    ASK_EVENT,
    ASK_EVENT_AT_TIME,
    ASK_ALL_REGISTERS,
    ASK_REGISTER,
    ASK_REGISTER_WRITTEN,
    ASK_REGISTER_WRITTEN_NEXT,
    ASK_MEMORY_8,
    ASK_MEMORY_64,
    ASK_MEMORY_WRITTEN_8,
    ASK_MEMORY_WRITTEN_64,
    ASK_MEMORY_WRITTEN_NEXT_8,
    ASK_MEMORY_WRITTEN_NEXT_64,
    ASK_STACK,      // the call at a point and all around it
    ASK_NEXT_VISIT, // of the address of another point
    ASK_PREVIOUS_VISIT,
    ASK_MISSED_VISIT,  // of an address near another point that is never executed: everything is
                       // read
    ASK_CALLS_IN_TURN, // the next call, as a report does
    ASK_EVENTS_IN_TURN,
    QUESTIONS
};

// Where the points of questions are.
enum where {
    NEAR, // one segment in the middle of the trace
    FAR,  // anywhere
    WHERES
};

struct queries;

// Makes the index of the trace at `index_path`, and chooses points. NULL: there is no such trace,
// or it cannot be indexed.
struct queries *queries_open(const char *trace_path, const char *index_path);

// Removes the index.
void queries_close(struct queries *queries);

// Makes the index again. False: it failed.
bool queries_build(const struct queries *queries);

uint64_t queries_trace_bytes(const struct queries *queries);
uint64_t queries_index_bytes(const struct queries *queries);
uint64_t queries_instructions(const struct queries *queries);

// Closes the index and opens it again, so that nothing is cached.
void queries_reopen(struct queries *queries);

// Asks the question at the next point. Returns something that depends on the answer.
uint64_t queries_ask(struct queries *queries, enum question question, enum where where);

#ifdef __cplusplus
}
#endif

#endif
