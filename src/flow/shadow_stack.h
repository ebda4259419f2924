// The calls of a lane as the machine makes them: a stack of frames that is pushed and popped by
// what instructions do, by their encodings, together with SP, LR and exceptions.
//
// Each task has a stack of frames of its own. One is left where control goes to a place, with a
// stack pointer, at which another had stopped, or onto a stack that was never seen. Calls of a lane
// must nest for those who consume them (calls.h): so the open calls of a task end where it is
// switched away from, marked CALL_SUSPENDED, and go on as others, marked CALL_RESUMED, where it
// comes back.
//
// Frames do not wait to be judged: each step leaves the true stack, as far as it can be known, so
// that what is spent counts for the innermost frame at once. An instruction counts up to the next.
// Only where lines are missing, so that nothing says what control did, a step may wait for the next
// (shadow_slip.h).
//
// Pieces of a trace are matched side by side, and joined, by shadow_piece.h.
#ifndef TRAWL_FLOW_SHADOW_STACK_H
#define TRAWL_FLOW_SHADOW_STACK_H

#include "flow/call_consumer.h"
#include "flow/function_map.h"
#include "flow/task_log.h"

struct shadow_stack;

// NULL: no memory. `functions` are those that are known from elsewhere, and have to stay; NULL:
// none. With `returned_only`, calls that did not return are left out, and count for what is around
// them. `log` is told of tasks; NULL: nobody asks.
struct shadow_stack *shadow_stack_new(const struct call_consumer *consumer,
                                      const struct function_map *functions, bool returned_only,
                                      struct task_log *log);
void shadow_stack_free(struct shadow_stack *shadow);

// Takes one transfer; events in it are absolute. False: no memory.
bool shadow_stack_transfer(struct shadow_stack *shadow, const struct transfer *transfer);

// What happens now belongs to this: of the innermost frame, or outside of all. It stays until the
// next transfer.
struct call_content *shadow_stack_inside(struct shadow_stack *shadow);

// Ends the trace at node `last`: what is still open ends there, marked so. What happened outside of
// any call goes to `outermost`. False: no memory.
bool shadow_stack_finish(struct shadow_stack *shadow, const struct node_ref *last,
                         struct call_content *outermost, struct call_counts *counts);

#endif
