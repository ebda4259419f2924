// How far stacks are used: the lowest stack pointer of each, and what was stored below it when the
// machine or a handler saved registers there.
//
// A stack is what the stack pointer stays in. An instruction that computes it from itself or from
// the frame pointer goes on in the same stack, also past its end: that is an overflow. Any other
// write of it may be of another one, which is then the stack that was left with this very value,
// the one that has the value, or a new one. Instructions are read from the trace only where the
// value is outside of what the stack had before, which becomes rare soon, so a pass over 40 million
// events reads a few thousand lines.
#ifndef TRAWL_CHECK_STACK_USAGE_H
#define TRAWL_CHECK_STACK_USAGE_H

#include "arch/arch.h"
#include "base/vec.h"
#include "dataflow/dataflow.h"
#include "flow/effects.h"

// --- What an instruction does with it ------------------------------------------------------------

// The registers of calls in a set of instructions, by their offsets; UINT64_MAX: it has none.
struct stack_registers {
    uint64_t link, frame[2];
};

struct stack_registers stack_registers_of(const struct index_view *view, uint32_t isa);

// From what an instruction computes the stack pointer with that offset: from itself or the frame
// pointer, with nothing else that is in a register, with others, not from these, or by its effect
// on which stack pointer is in use (MSR CONTROL of the M profile).
enum stack_origin {
    STACK_FROM_ITSELF,
    STACK_FROM_ITSELF_AND_OTHERS,
    STACK_FROM_OTHERS,
    STACK_FROM_BANK
};
enum stack_origin stack_origin_of(const struct effects *effects, const struct stack_registers *of,
                                  uint64_t offset);

// --- How far it goes -----------------------------------------------------------------------------

#define STACK_NAME_BYTES 64

// What is known of a stack from outside of its use.
struct stack_about {
    bool has_bounds;
    uint64_t bottom, top;        // the first byte of it, and the first behind it; 0: not known,
                                 // then it is where it is first seen
    char name[STACK_NAME_BYTES]; // whose it is; "": not known
};

struct stack_use {
    uint64_t lane;
    uint64_t low, high;    // the lowest and highest stack pointer
    uint64_t event;        // at which it was lowest
    uint64_t stored;       // the lowest byte that was saved below a stack pointer; else `low`
    uint64_t stored_event; // by which
    uint64_t first;        // at which it was used first
    uint64_t task;         // of the lane, which used it first
    bool is_of_handlers;   // first used by one
    bool is_moved;         // it is not only a value that the stack pointer had in passing
    struct stack_about about;
    // Of the walk.
    uint64_t sp, left;   // when it was left, and by which event
    uint64_t next_store; // nothing stores below it before this event, as long as it is not lower
};

struct stack_usage {
    // Given, all else zero. The walk takes events before `until`.
    const struct index_view *view;
    struct dataflow *flow; // NULL: there is no text to read instructions from
    uint64_t until;
    // What an operating system says of the stack that its running task has at an event.
    enum status (*find_about)(void *self, uint64_t lane, uint64_t event, struct stack_about *about,
                              struct error *err);
    // Whether a stack pointer is in a variable in which another is not. NULL: no variables are
    // known.
    bool (*is_apart)(void *self, uint64_t sp, uint64_t other);
    void *self;

    VEC(, struct stack_use) stacks; // in the order of their first use, lane by lane
    bool has_overflow; // a stack was used beyond its end, or where another is: values do not tell
                       // them apart any more, only instructions do
    bool is_cut;       // there were more stacks than LIMIT_CHECKED_STACKS
};

// To be freed also after a failure.
enum status stack_usage_find(struct stack_usage *usage, struct error *err);
void stack_usage_free(struct stack_usage *usage);

// The lowest byte that was used.
static inline uint64_t stack_use_lowest(const struct stack_use *use)
{
    return use->stored < use->low ? use->stored : use->low;
}

#endif
