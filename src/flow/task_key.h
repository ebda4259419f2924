// By what a system knows its tasks: a register or a variable of its kernel that says which task
// runs, found or given by the user (--task-key). A key says more than a stack: a forked process has
// the stack pointer of its parent, and a task that ended leaves its stack to the next.
//
// A key is one place with a function of what is in it, so that the lines alone show each of its
// values, in any chunk of a trace: an expression over several places would need the state before.
// It does not say when the task changes: kernels write it some time before they switch. So it
// decides to which task control goes where it leaves a stack (shadow_stack.h), in the way that its
// kind allows:
#ifndef TRAWL_FLOW_TASK_KEY_H
#define TRAWL_FLOW_TASK_KEY_H

#include "base/base.h"

enum task_key_kind {
    KEY_NONE,
    // A register of the address space (TTBR0, CONTEXTIDR), found: kernels may change it at any time
    // while they run themselves, so it only counts where control enters the mode of programs.
    KEY_OF_SPACE_FOUND,
    KEY_OF_SPACE, // given; counts as KEY_OF_VARIABLE while no programs were seen
    // A variable or another register, given: written before a switch, by return or by exception
    // return.
    KEY_OF_VARIABLE,
    // `current` of Linux, in SP_EL0: tasks switch by a return, never by an exception return.
    KEY_OF_KERNEL,
    // No key, but shown in the same way: where exceptions go from now on (mtvec).
    KEY_OF_VECTORS,
    KEY_KINDS,
};

// Of what a trace shows between two transfers, that which says more is kept.
static inline unsigned task_key_rank(unsigned kind)
{
    return kind == KEY_OF_VECTORS ? KEY_NONE : kind;
}

// Where a key given by the user is. All zero is none.
struct task_key {
    enum task_key_kind kind;
    uint64_t size_bytes; // of a variable at this address; 0: it is the register
    uint64_t address;
    const char *name; // of the register
    // The key for what is in its place.
    uint64_t (*value)(const void *self, uint64_t content);
    const void *self;
};

static inline uint64_t task_key_value(const struct task_key *key, uint64_t content)
{
    return key->value ? key->value(key->self, content) : content;
}

#endif
