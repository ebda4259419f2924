// The tree of events, each with its call depth and the depth array of its subtree: made from all
// events, in order, and written sequentially.
#ifndef TRAWL_EXPORT_TTU_EVENT_TREE_H
#define TRAWL_EXPORT_TTU_EVENT_TREE_H

#include "export/ttu/call_depths.h"
#include "export/ttu/depth_arrays.h"
#include "export/ttu/event_log.h"

// Where the last event ends: the line after it, in the log's numbering, and the byte.
struct ttu_events_end {
    uint64_t line, position;
};

// Writes the tree to the stream; *root: its offset. False: no memory.
bool ttu_event_tree_write(struct ttu_stream *stream, const struct ttu_event_log *log,
                          const struct ttu_call_depths *depths, const struct ttu_events_end *end,
                          uint64_t *root);

#endif
