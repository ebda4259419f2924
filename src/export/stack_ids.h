// The functions of the current stack of stacks_walk, by number; for split frames, labels with their
// own numbers.
#ifndef TRAWL_EXPORT_STACK_IDS_H
#define TRAWL_EXPORT_STACK_IDS_H

#include "analysis/stacks.h"
#include "base/vec.h"
#include "export/name_ids.h"

// All zero is empty.
struct stack_ids {
    struct name_ids ids;
    VEC(, uint32_t) open; // functions of the stack entered, the outermost first
};

// Processes an event of the walk. STACK_OWN: *function is the one inside the open ones. False: no
// memory.
bool stack_ids_take(struct stack_ids *stack, enum stack_event event,
                    const struct stack_visit *visit, uint32_t *function);

void stack_ids_free(struct stack_ids *stack);

#endif
