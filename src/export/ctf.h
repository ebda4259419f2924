// Calls in the Common Trace Format, version 1.8.3, which Trace Compass and babeltrace2 read: a
// directory with a file of events for each lane, and one that describes them.
// https://diamon.org/ctf/v1.8.3/
//
// Events are `enter` and `leave` with their function, which is a number that the description names;
// `enter` says where that is where PCs are addresses, and in which line of the trace. `mark` tells
// how the call ended that was just left or entered ("open", "clipped"), `argument` what the one was
// called with that was just entered, `event` what a log has besides. Times are ticks from the first
// of all lanes, a nanosecond each where the trace does not say how long one lasts.
#ifndef TRAWL_EXPORT_CTF_H
#define TRAWL_EXPORT_CTF_H

#include "analysis/names.h"
#include "base/vec.h"
#include "export/name_ids.h"
#include "flow/call_sink.h"
#include "report/out.h"

// Fields are private, except for those under "why it stopped".
struct ctf {
    const char *directory;
    struct names *names;
    uint64_t hz, start;    // ticks per second, 0: unknown; the time that counts as 0
    uint64_t lane_count;   // so far
    struct out out;        // the lane's file
    bool is_open;          // it is
    char *lane;            // its name
    struct name_ids ids;   // of functions
    VEC(, uint32_t) open;  // the lane's open calls
    VEC(, uint8_t) packet; // events that are not written yet, after the packet's head
    size_t head_bytes;     // of it
    uint64_t first, last;  // times of its events
    size_t enter;          // where the last `enter` is in it; 0: another event came after
    // Why it stopped.
    bool lacks_memory;
    struct error failure; // STATUS_OK: none
};

// A trace in `directory`, which is there and empty. `names` must outlive it.
void ctf_init(struct ctf *ctf, const char *directory, struct names *names, uint64_t hz);

// For those who give calls. `ctf` must stay where it is.
struct call_sink ctf_sink(struct ctf *ctf);

// Writes what is left and, with `is_whole`, the description; without it removes what was written.
// Frees everything. False: it failed, see above, and nothing was left.
bool ctf_end(struct ctf *ctf, bool is_whole);

#endif
