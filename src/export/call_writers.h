// The writers of calls for viewers: each receives the calls of a pass through a call_sink
// (flow/call_sink.h) and writes them as one format. A writer is a struct whose fields are private,
// a function that prepares it, one that gives its sink, and one that ends the file.
//
// What they cost: calls come in the order of the trace and are written at once, so an export takes
// as long as reading the trace, 0.99 to 1.10 times the time of a flame graph (bench/RESULTS.md,
// Formats of exports). Two have to wait: the Firefox Profiler stores samples by columns, so those
// of a lane are kept in a temporary file, and speedscope's list of functions is complete only at
// the end. Nothing here knows a kind of trace or an index; new formats are further files beside
// these.
#ifndef TRAWL_EXPORT_CALL_WRITERS_H
#define TRAWL_EXPORT_CALL_WRITERS_H

#include "base/hash_index.h"
#include "base/spool.h"
#include "base/vec.h"
#include "export/event_time.h"
#include "export/name_ids.h"
#include "flow/call_sink.h"
#include "names/names.h"
#include "names/source_lines.h"
#include "query/stacks.h"
#include "report/json.h"
#include "report/out.h"

// --- perfetto.c ----------------------------------------------------------------------------------

// Calls as a trace of Perfetto: a thread's track for each lane, a slice for each call, an instant
// for each event of a log. Details of a call (arguments, "open") are debug annotations.
//
// Field numbers: protos/perfetto/trace/{trace_packet,interned_data/*,track_event/*}.proto of
// Perfetto. Times are nanoseconds since the first time of all lanes; a tick counts as one if its
// duration is unknown. Readers keep the order of packets with equal times, so nesting is preserved.

// An event that may still get annotations.
struct perfetto_event {
    uint64_t time; // in nanoseconds
    uint32_t type; // 0: no event
    bool has_function, is_new;
    bool has_name;     // of its own
    uint32_t function; // its number; is_new: its first occurrence
    uint32_t argument_count;
};

// Fields are private.
struct perfetto {
    struct out *out;
    struct names *names;
    uint64_t hz, start; // ticks per second, 0: unknown; the time that counts as 0
    uint64_t track;     // of the lane, or counter, from 1
    struct name_ids ids;
    struct perfetto_event event;
    VEC(, char) text;           // the name of the event, or of a new function
    VEC(, uint8_t) annotations; // of the event
    bool lacks_memory;          // it stopped for that, if not because of `out`
};

// Prepares a file on `out`; nothing is written yet. `names` and `out` must outlive it.
void perfetto_init(struct perfetto *perfetto, struct out *out, struct names *names);

// The receiver of calls. `perfetto` must not move.
struct call_sink perfetto_sink(struct perfetto *perfetto);

// After all calls, in a lane: a slice of that name.
bool perfetto_span(struct perfetto *perfetto, uint64_t from, uint64_t until, const char *name);

// Counters, after all calls: a track, then its values. Unsigned numbers too large for signed ones
// are written as doubles. False: stop.
bool perfetto_counter(struct perfetto *perfetto, const char *name);
bool perfetto_value(struct perfetto *perfetto, uint64_t time, uint64_t value, bool is_signed);

// Ends the file and frees everything.
void perfetto_end(struct perfetto *perfetto);

// --- speedscope.c --------------------------------------------------------------------------------

// Calls as a file of speedscope: an "evented" profile for each lane, over one table of functions.
// https://www.speedscope.app/file-format-schema.json
//
// Times count from the first of all lanes: microseconds, or ticks if the duration of a tick is
// unknown.

// Fields are private.
struct speedscope {
    struct json json;
    struct names *names;
    struct source_lines *places;
    const char *title;       // of the whole file
    uint64_t hz, start;      // ticks per second, 0: unknown; the time that counts as 0
    struct stack_ids stack;  // of the lane
    VEC(, uint64_t) weights; // of the samples of the lane
    bool is_of_sums;         // samples, not calls
    bool is_begun, is_in_lane, has_event;
    uint64_t first, last; // times of the lane
    bool lacks_memory;    // it stopped for that, if not because of the output
};

// Prepares a file on `out`; nothing is written yet. `title`, `names`, `places` (where functions
// begin) and `out` must outlive it.
void speedscope_init(struct speedscope *speedscope, struct out *out, struct names *names,
                     struct source_lines *places, const char *title);

// The receiver of calls. `speedscope` must not move.
struct call_sink speedscope_sink(struct speedscope *speedscope);

// Or, if only the sums for each stack are known: begin the file, then each lane, whose stacks the
// walk receives: each is a sample, with its own time as its weight. False: no memory, or nothing
// can be written.
bool speedscope_begin_sums(struct speedscope *speedscope, uint64_t hz);
bool speedscope_begin_lane(struct speedscope *speedscope, const char *name);
struct stack_walk speedscope_walk(struct speedscope *speedscope);

// Ends the file, if it was begun, and frees everything.
void speedscope_end(struct speedscope *speedscope);

// --- firefox.c -----------------------------------------------------------------------------------

// Calls as a profile of the Firefox Profiler, in its processed format, version 61: stacks are a
// tree that all threads share, and the samples of a lane have its stack, time and duration
// ("tracing-ms"). Later versions of the viewer accept it, too.
//
// https://github.com/firefox-devtools/profiler, src/types/profile.ts and
// docs-developer/CHANGELOG-formats.md. Times are milliseconds since the first time of all lanes; a
// tick counts as a nanosecond if its duration is unknown. Stacks of no duration have no sample.

// Fields are private.
struct firefox {
    struct json json;
    struct names *names;
    struct source_lines *places;
    const char *title;
    uint64_t hz, start;        // ticks per second, 0: unknown; the time that counts as 0
    uint64_t process;          // of the previous lane
    struct name_ids ids;       // of functions
    struct name_ids stacks;    // by the outer stack and the function
    VEC(, uint32_t) open;      // stacks of the lane's open calls
    uint64_t at;               // where the lane's samples end
    struct spool samples;      // of the lane, because columns are written one after the other
    VEC(, const char *) files; // files of functions
    bool is_begun, is_in_lane, has_event;
    bool lacks_memory; // it stopped for that, if not because of the output
};

// Prepares a file on `out`; nothing is written yet. `title`: what was traced. All arguments must
// outlive it.
void firefox_init(struct firefox *firefox, struct out *out, struct names *names,
                  struct source_lines *places, const char *title);

// The receiver of calls. `firefox` must not move.
struct call_sink firefox_sink(struct firefox *firefox);

// Ends the file, if it was begun, and frees everything.
void firefox_end(struct firefox *firefox);

// --- trace_events.c ------------------------------------------------------------------------------

// Calls as Chrome trace events (JSON), which Perfetto, chrome://tracing and speedscope read.
//
// Begin and end events nest properly, lane by lane. Times count from the first of all lanes:
// readers store them as floating point, which would lose the nanoseconds of absolute times. If the
// duration of a tick is unknown, it is shown as a microsecond. Times of beginnings and ends ascend
// within a lane (event_time.h), and an end has the name of its beginning, by which speedscope
// matches it.

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

// After all calls, in a lane: a slice of that name.
bool trace_events_span(struct trace_events *events, uint64_t from, uint64_t until,
                       const char *name);

// Ends the file, if it was begun, and frees everything.
void trace_events_end(struct trace_events *events);

// --- ctf.c ---------------------------------------------------------------------------------------

// Calls in the Common Trace Format, version 1.8.3, which Trace Compass and babeltrace2 read: a
// directory with a file of events for each lane, and one that describes them.
// https://diamon.org/ctf/v1.8.3/
//
// Events are `enter` and `leave` with the number of a function, which the description names;
// `enter` also has the address, if PCs are addresses, and the line of the trace. `mark` tells how
// the call just left or entered ended ("open", "clipped"), `argument` has an argument of the call
// just entered, `event` any other event of a log, `state` a state that begins and how many ticks it
// lasts. Times are ticks from the first of all lanes,
// taken as nanoseconds if the duration of a tick is unknown.

// Fields are private, except for those under "why it stopped".
struct ctf {
    const char *directory;
    struct names *names;
    uint64_t hz, start;    // ticks per second, 0: unknown; the time that counts as 0
    uint64_t lane_count;   // so far
    struct out out;        // the lane's file
    bool is_open;          // it is
    bool is_made;          // the directory; it is removed if the export fails
    bool is_caught;        // Ctrl-C and SIGTERM end the export in an orderly way
    char *lane;            // its name
    struct name_ids ids;   // of functions
    VEC(, uint32_t) open;  // the lane's open calls
    VEC(, uint8_t) packet; // events that are not written yet, after the packet's head
    size_t head_bytes;     // of it
    uint64_t first, last;  // times of its events
    size_t enter;          // the place of the last `enter` in it; 0: another event followed
    // Why it stopped.
    bool lacks_memory;
    struct error failure; // STATUS_OK: none
};

// A trace in `directory`, which is empty or is made with the first file. `names` must outlive it.
void ctf_init(struct ctf *ctf, const char *directory, struct names *names);

// The receiver of calls. `ctf` must not move.
struct call_sink ctf_sink(struct ctf *ctf);

// After all calls, in a lane: a state of that name.
bool ctf_span(struct ctf *ctf, uint64_t from, uint64_t until, const char *name);

// Writes the rest and, with `is_whole`, the description; otherwise removes what was written. Frees
// everything. False: it failed, for the reason above, and everything was removed.
bool ctf_end(struct ctf *ctf, bool is_whole);

#endif
