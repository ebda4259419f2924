// The beginnings and ends of all calls of an XRay log, ordered by time or thread after thread, each
// with its stack.
//
// The calls of each thread nest. An exit of a function further down ends all calls above it,
// innermost first. An exit of a function that is not open is counted and otherwise ignored. Calls
// that are open at the end of the log stay open. The memory needed is that of the stacks and a
// batch of events for each thread.
#ifndef TRAWL_TRACE_XRAY_EVENTS_H
#define TRAWL_TRACE_XRAY_EVENTS_H

#include "trace/xray/match.h"
#include "trace/xray/stacks.h"
#include "trace/xray/turns.h"

struct xray_event {
    uint64_t tsc;
    uint32_t function, thread; // index in log->threads
    uint32_t stack;            // index in events->stacks
    bool is_end;
};

// A thread and its next events.
struct xray_event_lane {
    struct xray_cursor cursor;
    struct xray_match match;
    struct xray_event *events;
    uint32_t next, count, room; // indices and counts in `events`
    bool is_leaving; // an exit is being processed, which ends all calls but the first `left`
    uint64_t left, exit_tsc;
};

// Fields are read-only for users.
struct xray_events {
    const struct xray_log *log;
    struct xray_event_lane *lanes; // one for each thread
    struct xray_turns turns;       // of lanes that have events
    struct xray_stack_tree stacks;
    struct xray_batch batch;
    uint32_t entered[XRAY_BATCH]; // stacks of the batch's entries
    struct xray_exits exits;
    struct trace_damage damage; // inside buffers
    bool is_sorted, lacks_memory;
};

// Without `is_sorted`, events are returned thread after thread. False: no memory. Free with
// xray_events_free in any case, which also accepts a struct of zeros.
bool xray_events_begin(struct xray_events *events, const struct xray_log *log, bool is_sorted);

// The earliest start time of a thread, before any event is read; 0: there are none.
uint64_t xray_events_start(const struct xray_events *events);

// Reads up to `room` further events. Fewer: there are no more, or lacks_memory.
size_t xray_events_read(struct xray_events *events, struct xray_event *found, size_t room);

void xray_events_free(struct xray_events *events);

#endif
