// Calls in the Common Trace Format, version 1.8.3, which Trace Compass and babeltrace2 read: a
// directory with a file of events for each lane, and one that describes them.
// https://diamon.org/ctf/v1.8.3/
//
// Events are `enter` and `leave` with the number of a function, which the description names;
// `enter` also has the address, if PCs are addresses, and the line of the trace. `mark` tells how
// the call just left or entered ended ("open", "clipped"), `argument` has an argument of the call
// just entered, `event` any other event of a log. Times are ticks from the first of all lanes,
// taken as nanoseconds if the duration of a tick is unknown.
#ifndef TRAWL_EXPORT_CTF_H
#define TRAWL_EXPORT_CTF_H

#include "base/vec.h"
#include "export/name_ids.h"
#include "flow/call_sink.h"
#include "names/names.h"
#include "report/out.h"

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

// Writes the rest and, with `is_whole`, the description; otherwise removes what was written. Frees
// everything. False: it failed, for the reason above, and everything was removed.
bool ctf_end(struct ctf *ctf, bool is_whole);

#endif
