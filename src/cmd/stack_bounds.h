// The stacks of a run with their bounds, whose they are, and which ran below their ends.
//
// Bounds come from what knows most: the operating system's own for its tasks, the variable that a
// stack is in, or the symbols of a linker script, which often has only the top; then the stack may
// grow down to the variables, and other stacks, below.
#ifndef TRAWL_CMD_STACK_BOUNDS_H
#define TRAWL_CMD_STACK_BOUNDS_H

#include "check/stack_usage.h"
#include "cmd/command.h"

struct stack_bounds {
    uint64_t bottom, top;
    bool has_bottom, has_top;
    bool is_by_neighbor; // the bottom is only where another stack is seen to begin
    bool is_beyond;      // the stack was used beyond it
    const char *into;    // in another stack, or a variable; NULL: not known
    char by[160];
};

struct bounded_stacks {
    // Given, all else zero.
    struct command *command;
    struct dataflow *flow; // NULL: there is no text to read instructions from
    uint64_t until;        // events before it

    struct stack_usage found;
    const struct os_system *os;  // NULL: none is known
    struct stack_bounds *bounds; // of each stack
    bool has_overflow;
};

// Finds them. To be freed also after a failure.
enum status bounded_stacks_find(struct bounded_stacks *stacks, struct error *err);
void bounded_stacks_free(struct bounded_stacks *stacks);

// Whose stack it is.
const char *bounded_stacks_owner(struct bounded_stacks *stacks, const struct stack_use *use);

// Whether what an exception interrupted was on the same stack.
bool bounded_stacks_interrupted(const struct bounded_stacks *stacks, const struct stack_use *use,
                                const struct trawl_call *exception);

// The variable around an address.
bool bounded_stacks_variable(const struct bounded_stacks *stacks, uint64_t address,
                             struct image_symbol *found);

#endif
