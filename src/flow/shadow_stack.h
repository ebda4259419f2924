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
// To join what pieces of a trace do to the stacks, each matched as if nothing was before it, these
// would have to be kept of a piece:
//
// - The frames that each of its tasks leaves open, as they are here.
// - In order, the transfers that found no frame of the piece (returns, long jumps, slips), each
//   with the content that was gathered outside of all frames since the one before.
// - Its tasks, in the order in which they were first seen, with the SP and PC of that; the first is
//   that which the piece before ends in. Of each: the range of its SPs; whether it waits, and the
//   SP and PC that it does so at; and the switches between them. Tasks are numbered when joined.
// - In order, each transfer that asked for a waiting task by SP and PC and was not given one of
//   the piece with both: one of a piece before may wait there, and then goes on, whatever the piece
//   took instead (a task that has this SP in its range, a frame farther out, a new task). It is the
//   same where an exception returns and another begins at once, for which SP alone may have to tell
//   of which task that is, and with it the PC. A task of the piece that waits at both is the right
//   one, as who stops there last takes the place of who did before; those of pieces before that
//   wait at the same SP and PC wait no more.
// - The entries that calls went to, as a branch is a tail call only to what is known to be a
//   function; whether lines were missing, which makes searches wider from there on; and a slip that
//   waits for the next transfer.
//
// The entries, and the ranges of SPs, are why joining is not done: what a piece before knew can
// change what closed inside of this one. Where functions are given from outside (as by an image)
// entries cannot do that; tasks that are only found by their range still can.
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
