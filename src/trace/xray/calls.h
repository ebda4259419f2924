// The calls of an XRay log for its index, numbered in the order of their entries, lane by lane.
//
// The length of a call is known only at its exit, before which millions of other calls may begin.
// So a thread is matched twice (match.h): first for the lengths, one number for each call, and then
// for everything else, when all facts about a group of calls are known as soon as their entries
// are. Matching again is several times as fast as writing the results and reading them again.
#ifndef TRAWL_TRACE_XRAY_CALLS_H
#define TRAWL_TRACE_XRAY_CALLS_H

#include "base/spool.h"
#include "idx/call_batch.h"
#include "trace/xray/lane.h"

// In a length: the call was still open at the end of the log.
#define XRAY_CALL_IS_OPEN (UINT64_C(1) << 63)

// The state of a thread. Fields are read-only for users.
struct xray_calls {
    struct xray_lane lane;   // in its open calls, xray_call.tsc is the number of the call
    uint64_t number;         // of the next call
    struct spool *lengths;   // last event - first event, of each call
    uint64_t *buffer_events; // of all buffers: the number of events before each; NULL: not needed
    uint64_t next_buffer;    // the first buffer whose number is not known yet
    uint64_t first_event;    // of the lane, counted in the log
};

enum xray_calls_progress {
    XRAY_CALLS_GO_ON,
    XRAY_CALLS_LANE_ENDS,
    XRAY_CALLS_NO_MEMORY, // or no space for temporary files
};

// Begins a thread. For thread 0, initialize with zeros except for `lengths` and `buffer_events`;
// the other threads must follow in order. False: no memory. Free with xray_calls_free in any case.
bool xray_calls_begin(struct xray_calls *calls, const struct xray_log *log, uint32_t thread);
void xray_calls_free(struct xray_calls *calls);

// Reads up to `events` more function records of the thread, and the records between them, for the
// lengths of calls.
enum xray_calls_progress xray_calls_measure(struct xray_calls *calls, uint64_t events);

// Ends the thread: sets the lengths of open calls.
void xray_calls_end_measured(struct xray_calls *calls);

// Reads records until `group` is full or the thread ends. Does not need lengths.
enum xray_calls_progress xray_calls_list(struct xray_calls *calls, struct call_group *group);

#endif
