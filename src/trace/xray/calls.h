// The calls of an XRay log for its index, numbered in the order of their entries, lane by lane.
//
// How long a call is, its exit tells, which may come after millions of others have begun. So a
// thread is matched twice (match.h): first for the lengths, which are a number for each call,
// and then for all else, when what a group of calls needs is known as soon as its entries are. To
// match again is several times as fast as to write down and read again what was found.
#ifndef TRAWL_TRACE_XRAY_CALLS_H
#define TRAWL_TRACE_XRAY_CALLS_H

#include "base/spool.h"
#include "idx/call_group.h"
#include "trace/xray/lane.h"

// Of a length: the call was still open at the end of the log.
#define XRAY_CALL_IS_OPEN (UINT64_C(1) << 63)

// A thread under way. Fields are for reading.
struct xray_calls {
    struct xray_lane lane;   // of its open calls, xray_call.tsc is instead the call's number
    uint64_t number;         // of the next call
    struct spool *lengths;   // last event - first event, of each call
    uint64_t *buffer_events; // of all buffers: how many events are before them; NULL: not wanted
    uint64_t next_buffer;    // whose number is not there yet
    uint64_t first_event;    // of the lane, among those of all
};

enum xray_calls_progress {
    XRAY_CALLS_GO_ON,
    XRAY_CALLS_LANE_ENDS,
    XRAY_CALLS_NO_MEMORY, // or no room for temporary files
};

// Begins with a thread: with thread 0 all is zero but `lengths` and `buffer_events`, and others
// follow one another. False: no memory. Freed by xray_calls_free either way.
bool xray_calls_begin(struct xray_calls *calls, const struct xray_log *log, uint32_t thread);
void xray_calls_free(struct xray_calls *calls);

// Takes up to `events` more function records of the thread, for the lengths of calls, and what
// is between them.
enum xray_calls_progress xray_calls_measure(struct xray_calls *calls, uint64_t events);

// Ends the thread: tells the lengths of those that are open.
void xray_calls_end_measured(struct xray_calls *calls);

// Takes so many records that `group` is full, or all that are left. Needs no lengths.
enum xray_calls_progress xray_calls_list(struct xray_calls *calls, struct call_group *group);

#endif
