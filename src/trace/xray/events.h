// The beginnings and ends of all calls of an XRay log, in the order of time or thread after thread,
// each with its stack.
//
// Each thread's calls nest: an exit of a function further down ends all calls above it, innermost
// first; one of a function that is not open is left out and counted; what is open where the log
// ends stays open. Memory is that of the stacks and a batch of events a thread.
#ifndef TRAWL_TRACE_XRAY_EVENTS_H
#define TRAWL_TRACE_XRAY_EVENTS_H

#include "trace/xray/match.h"
#include "trace/xray/stacks.h"
#include "trace/xray/turns.h"

struct xray_event {
    uint64_t tsc;
    uint32_t function, thread; // the latter in log->threads
    uint32_t stack;            // in events->stacks
    bool is_end;
};

// A thread and what it has next.
struct xray_event_lane {
    struct xray_cursor cursor;
    struct xray_match match;
    struct xray_event *events;
    uint32_t next, count, room; // in it
    bool is_leaving;            // an exit is under way, which ends all calls but `left`
    uint64_t left, exit_tsc;
};

// Fields are for reading.
struct xray_events {
    const struct xray_log *log;
    struct xray_event_lane *lanes; // of each thread
    struct xray_turns turns;       // of lanes that have events
    struct xray_stack_tree stacks;
    struct xray_batch batch;
    uint32_t entered[XRAY_BATCH]; // stacks of the batch's entries
    struct xray_exits exits;
    struct trace_damage damage; // inside of buffers
    bool is_sorted, lacks_memory;
};

// Without `is_sorted` thread after thread. False: no memory. Freed by xray_events_free either way,
// which also takes one that is all zero.
bool xray_events_begin(struct xray_events *events, const struct xray_log *log, bool is_sorted);

// The earliest time that a thread begins with, before any event is read; 0: there are none.
uint64_t xray_events_start(const struct xray_events *events);

// Up to `room` further events. Fewer: there are no more, or lacks_memory.
size_t xray_events_read(struct xray_events *events, struct xray_event *found, size_t room);

void xray_events_free(struct xray_events *events);

#endif
