// What the calls that a trace shows tell about an unwound stack: which functions PCs belong to,
// where interrupted code continues, and where the stack cannot be right, because a rule may not
// belong to the code that ran, and a frame pointer or a link register may be left over from
// elsewhere.
#ifndef TRAWL_UNWIND_UNWIND_DOUBT_H
#define TRAWL_UNWIND_UNWIND_DOUBT_H

#include "elf/image_set.h"
#include "idx/trawl.h"
#include "trace/index_view.h"
#include "unwind/unwind_frame.h"

// --- The function of a call ----------------------------------------------------------------------

// Whether two PCs are in the same function; true if neither has a symbol.
bool call_is_same_function(const struct image_set *images, uint64_t a, uint64_t b);

// Whether a PC is in the function of a call, or in one that this continues in without a call:
// functions in assembly run into the next one, or branch there from their end.
bool call_has_pc(const struct image_set *images, const struct trawl_call *call, uint64_t pc);

// --- Doubts --------------------------------------------------------------------------------------

// Sets stack->doubt, for a stack after an event of its lane. Frames outside of all calls in the
// trace cannot be doubted.
enum status unwind_doubt_find(const struct index_view *view, const struct image_set *images,
                              const struct trawl_event *at, struct unwind_stack *stack,
                              struct error *err);

// --- Interrupted code (interrupted.c) ------------------------------------------------------------

// The PC, without Thumb bit: the return address that the machine recorded (ELR of AArch64),
// otherwise the place where the interrupted task of the lane continues. STATUS_NOT_FOUND: the trace
// ends before that.
enum status interrupted_at(const struct index_view *view, uint64_t lane,
                           const struct trawl_call *exception, uint64_t *pc, struct error *err);

#endif
