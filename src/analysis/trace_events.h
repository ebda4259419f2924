// Calls as Chrome trace events (JSON), which Perfetto, chrome://tracing and speedscope read.
//
// Begin and end events nest properly, lane by lane. Times count from the first of all lanes:
// readers take them as floating point, which would not hold the nanoseconds of an absolute time.
// Where ticks per second are unknown, a tick is shown as a microsecond.
// Times of beginnings and ends rise within a lane (event_time.h), and an end has the name of its
// beginning, by which speedscope knows it.
#ifndef TRAWL_ANALYSIS_TRACE_EVENTS_H
#define TRAWL_ANALYSIS_TRACE_EVENTS_H

#include "analysis/event_time.h"
#include "analysis/names.h"
#include "base/hash_seed.h"
#include "base/vec.h"
#include "report/out.h"

struct trace_event_name;

// A name as it is written.
struct trace_event_text {
    const char *text;
    size_t length;
};

// Fields are private.
struct trace_events {
    struct out *out;
    struct names *names;
    uint64_t hz, start;                  // ticks per second; the time that counts as 0
    uint64_t pid, tid;                   // of the lane
    struct event_time time;              // of its last event
    bool has_calls;                      // of the lane
    VEC(, struct trace_event_text) open; // names of its open calls
    struct hash_seed seed;
    struct trace_event_name *slots; // PCs with their names as they are written
    size_t slot_count, name_count;
    struct arena arena;
    bool has_events, is_open; // the event written last may get arguments
    uint32_t argument_count;  // that it has
};

// Begins a file on `out`. Times are ticks, `hz` of them a second (0: unknown), counted from
// `start`.
void trace_events_begin(struct trace_events *events, struct out *out, struct names *names,
                        uint64_t hz, uint64_t start);

// What follows is of this lane, called `name`.
void trace_events_lane(struct trace_events *events, uint64_t pid, uint64_t tid, const char *name);

// A call of the function at `pc`, and the end of the innermost one. False: no memory.
bool trace_events_enter(struct trace_events *events, uint64_t time, uint64_t pc);
void trace_events_leave(struct trace_events *events, uint64_t time);

// An argument of the call that was just entered.
void trace_events_argument(struct trace_events *events, uint64_t value);

// The call that just ended did not: its end is that of the trace, or of the range.
void trace_events_mark(struct trace_events *events, const char *what);

// Something that happened: `name`, about a function if that is not NULL.
void trace_events_instant(struct trace_events *events, uint64_t time, const char *name,
                          const char *function);

// The bytes and the number that such an event was logged with.
void trace_events_payload(struct trace_events *events, const void *payload, size_t payload_bytes);
void trace_events_type(struct trace_events *events, uint64_t type);

// Ends the file and frees everything.
void trace_events_end(struct trace_events *events);

#endif
