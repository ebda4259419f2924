// The calls of a lane as tracks of its tasks: one for each name, with everything that tasks of that
// name did.
#ifndef TRAWL_SESSION_TASK_TRACKS_H
#define TRAWL_SESSION_TASK_TRACKS_H

#include "session/call_walk.h"
#include "session/session.h"

// Passes to the walk's sink a lane for each task of lane `number` that the filter selects, ordered
// by name. `root` is the first call of the lane. The time of a task outside of its calls counts for
// the function in which the task was first seen. False: the sink stopped, or there is no memory
// (walk->lacks_memory).
bool task_tracks_give(const struct session *session, struct call_walk *walk, size_t number,
                      const struct call *root);

#endif
