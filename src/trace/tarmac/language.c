#include "trace/tarmac/language.h"

#include "arch/arm/control.h"
#include "arch/arm/exceptions.h"
#include "arch/arm/two_stacks.h"
#include "trace/tarmac/access.h"
#include "trace/tarmac/line_read.h"

// --- The stack pointer of cores with two ---------------------------------------------------------

static void name_stack(void *state, uint32_t number, const char *name)
{
    two_stacks_name(state, number, name);
}

static bool has_stacks(void *state)
{
    struct two_stacks *stacks = state;
    return atomic_load(&stacks->has_roles);
}

static bool carry_stacks(void *state, struct segment *segment)
{
    return two_stacks_carry(state, segment);
}

static void free_stacks(void *state)
{
    two_stacks_free(state);
}

static const struct line_carry stacks = {
    .size_bytes = sizeof(struct two_stacks),
    .name = name_stack,
    .is_needed = has_stacks,
    .carry = carry_stacks,
    .free = free_stacks,
};

// -------------------------------------------------------------------------------------------------

const struct line_language tarmac_language = {
    .study = tarmac_line_study,
    .add_access = access_add,
    .branch = control_decode,
    .opens_frame = control_opens_frame,
    .exceptions = &arm_exceptions,
    .exception_returns = arm_exception_returns,
    .carry = &stacks,
};
