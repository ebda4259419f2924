// The tree of events, each with its call depth and the depth array of its subtree: made from all
// events, in order, and written sequentially. Depths come from a pass of their own, as one signed
// byte for each event: only a call that has returned is one for the Tarmac Trace Utilities.
#ifndef TRAWL_EXPORT_TTU_EVENT_TREE_H
#define TRAWL_EXPORT_TTU_EVENT_TREE_H

#include "base/spool.h"
#include "export/ttu/event_log.h"
#include "export/ttu/file.h"
#include "flow/call_consumer.h"

// Where the last event ends: the line after it, in the log's numbering, and the byte.
struct ttu_events_end {
    uint64_t line, position;
};

// The depth of each event in calls that return, as the changes at each event.
struct ttu_call_depths {
    struct spool steps; // for each event up to the last change: how much deeper it is
};

void ttu_call_depths_free(struct ttu_call_depths *depths);

// For a pass, which must only report calls that returned. `depths` must not move.
struct call_consumer ttu_call_depths_consumer(struct ttu_call_depths *depths);

static inline int ttu_call_depths_step(const struct ttu_call_depths *depths, uint64_t event)
{
    return event < depths->steps.used_bytes ? ((const int8_t *)depths->steps.base)[event] : 0;
}

// Writes the tree to the stream; *root: its offset. False: no memory.
bool ttu_event_tree_write(struct ttu_stream *stream, const struct ttu_event_log *log,
                          const struct ttu_call_depths *depths, const struct ttu_events_end *end,
                          uint64_t *root);

#endif
