// Calls as a trace of Perfetto: a thread's track for each lane, a slice for each call, an instant
// for each event of a log. Details of a call (arguments, "open") are debug annotations.
//
// Field numbers: protos/perfetto/trace/{trace_packet,interned_data/*,track_event/*}.proto of
// Perfetto. Times are nanoseconds since the first time of all lanes; a tick counts as one if its
// duration is unknown. Readers keep the order of packets with equal times, so nesting is preserved.
#ifndef TRAWL_EXPORT_PERFETTO_H
#define TRAWL_EXPORT_PERFETTO_H

#include "base/vec.h"
#include "export/name_ids.h"
#include "flow/call_sink.h"
#include "names/names.h"
#include "report/out.h"

// An event that may still get annotations.
struct perfetto_event {
    uint64_t time; // in nanoseconds
    uint32_t type; // 0: no event
    bool has_function, is_new;
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

// Counters, after all calls: a track, then its values. Unsigned numbers too large for signed ones
// are written as doubles. False: stop.
bool perfetto_counter(struct perfetto *perfetto, const char *name);
bool perfetto_value(struct perfetto *perfetto, uint64_t time, uint64_t value, bool is_signed);

// Ends the file and frees everything.
void perfetto_end(struct perfetto *perfetto);

#endif
