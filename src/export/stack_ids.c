#include "export/stack_ids.h"

#include <stdlib.h>

bool stack_ids_take(struct stack_ids *stack, enum stack_event event,
                    const struct stack_visit *visit, uint32_t *function)
{
    if (event == STACK_LEAVE) {
        stack->open.count--;
        return true;
    }
    if (!name_ids_of(&stack->ids, visit->label ? visit->label_number : visit->pc, function))
        return false;
    if (event == STACK_OWN)
        return true;
    if (!VEC_ROOM(&stack->open, 1))
        return false;
    stack->open.items[stack->open.count++] = *function;
    return true;
}

void stack_ids_free(struct stack_ids *stack)
{
    name_ids_free(&stack->ids);
    free(stack->open.items);
    *stack = (struct stack_ids){0};
}
