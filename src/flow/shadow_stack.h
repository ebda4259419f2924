// The calls of a lane as the machine makes them: a stack of frames, pushed and popped according to
// the encodings of instructions, SP, LR and exceptions.
//
// Each task has its own stack of frames. A task is switched out when control goes to the place, and
// with the stack pointer, where another had stopped, or to a new stack. Calls of a lane must nest
// for their consumers (call_consumer.h), so the open calls of a task end when it is switched out,
// marked CALL_SUSPENDED, and continue as new calls, marked CALL_RESUMED, when it runs again.
//
// Decisions are immediate: after each step, the stack is the true one as far as it can be known, so
// time counts for the innermost frame at once. An instruction lasts until the next one. Only if
// lines are missing, so that nothing shows what control did, may a step wait for the next
// (shadow_gap.c).
//
// Chunks of a trace are matched in parallel, and joined, by shadow_chunk.h.
#ifndef TRAWL_FLOW_SHADOW_STACK_H
#define TRAWL_FLOW_SHADOW_STACK_H

#include "flow/call_consumer.h"
#include "flow/function_map.h"
#include "flow/task_log.h"

struct exception_rules;

struct shadow_stack;

// NULL: no memory. `functions` are known from images, and must outlive it; NULL: none. `exceptions`
// are those of the architecture. With
// `returned_only`, calls that did not return are left out, and count for what is around them. `log`
// receives the tasks; NULL: not needed.
struct shadow_stack *shadow_stack_new(const struct call_consumer *consumer,
                                      const struct function_map *functions,
                                      const struct exception_rules *exceptions, bool returned_only,
                                      struct task_log *log);
void shadow_stack_free(struct shadow_stack *shadow);

// Takes one transfer; events in it are absolute. False: no memory.
bool shadow_stack_transfer(struct shadow_stack *shadow, const struct transfer *transfer);

// The content of current events: of the innermost frame, or outside of all. Valid until the next
// transfer.
struct call_content *shadow_stack_inside(struct shadow_stack *shadow);

// Ends the trace at node `last`: open calls end there, marked so. What happened outside of all
// calls goes to `outermost`. False: no memory.
bool shadow_stack_finish(struct shadow_stack *shadow, const struct node_ref *last,
                         struct call_content *outermost, struct call_counts *counts);

#endif
