// Calls as a trace of Perfetto: a thread's track for each lane, a slice for each call, an instant
// for each event of a log; what a call is reported with (arguments, "open") are its debug
// annotations.
//
// Field numbers: protos/perfetto/trace/{trace_packet,interned_data/*,track_event/*}.proto of
// Perfetto. Times are nanoseconds from the first of all lanes; a tick is one where the trace does
// not say how long it lasts. Readers keep the order of packets of one time, so calls nest as they
// did.
#ifndef TRAWL_EXPORT_PERFETTO_H
#define TRAWL_EXPORT_PERFETTO_H

#include "analysis/names.h"
#include "base/vec.h"
#include "export/name_ids.h"
#include "flow/call_sink.h"
#include "report/out.h"

// An event that may still get annotations.
struct perfetto_event {
    uint64_t time; // in nanoseconds
    uint32_t type; // 0: there is none
    bool has_function, is_new;
    uint32_t function; // its number; new: not met before
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
    bool lacks_memory;          // why it stopped, if not for `out`
};

// A file on `out`, of which nothing is written yet. `names` and `out` must outlive it.
void perfetto_init(struct perfetto *perfetto, struct out *out, struct names *names, uint64_t hz);

// For those who give calls. `perfetto` must stay where it is.
struct call_sink perfetto_sink(struct perfetto *perfetto);

// Counters, after all calls: a track, and its values. Numbers without a sign beyond those with one
// are doubles. False: stop.
bool perfetto_counter(struct perfetto *perfetto, const char *name);
bool perfetto_value(struct perfetto *perfetto, uint64_t time, uint64_t value, bool is_signed);

// Ends the file and frees everything.
void perfetto_end(struct perfetto *perfetto);

#endif
