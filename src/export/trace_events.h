// Calls as Chrome trace events (JSON), which Perfetto, chrome://tracing and speedscope read.
//
// Begin and end events nest properly, lane by lane. Times count from the first of all lanes:
// readers store them as floating point, which would lose the nanoseconds of absolute times. If the
// duration of a tick is unknown, it is shown as a microsecond. Times of beginnings and ends ascend
// within a lane (event_time.h), and an end has the name of its beginning, by which speedscope
// matches it.
#ifndef TRAWL_EXPORT_TRACE_EVENTS_H
#define TRAWL_EXPORT_TRACE_EVENTS_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "export/event_time.h"
#include "flow/call_sink.h"
#include "names/names.h"
#include "report/out.h"

struct trace_event_name;

// A name as written.
struct trace_event_text {
    const char *text;
    size_t length;
};

// Fields are private.
struct trace_events {
    struct out *out;
    struct names *names;
    uint64_t hz, start;                     // ticks per second; the time that counts as 0
    uint64_t pid, tid;                      // of the lane
    struct event_time time;                 // of its last event
    bool has_calls;                         // of the lane
    VEC(, struct trace_event_text) open;    // names of its open calls
    VEC(, struct trace_event_name) written; // PCs with their names as written
    struct hash_index by_pc;
    struct arena arena;
    bool is_begun, lacks_memory; // lacks_memory: it stopped for that
    bool has_events, is_open;    // the last event can still get arguments
    uint32_t argument_count;     // of that event
};

// Prepares a file on `out`; nothing is written yet. Times are ticks, `hz` per second (0: unknown).
// `names` and `out` must outlive it.
void trace_events_init(struct trace_events *events, struct out *out, struct names *names);

// The receiver of calls. `events` must not move.
struct call_sink trace_events_sink(struct trace_events *events);

// Ends the file, if it was begun, and frees everything.
void trace_events_end(struct trace_events *events);

#endif
