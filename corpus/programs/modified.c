// Code that the program writes: a function whose instruction calls one function, then another, then
// branches to it; one that is copied to where another was.
#include "lib.h"

extern uint32_t patched(uint32_t value);
extern uint32_t *const patched_branch;
extern uint32_t copied(uint32_t value);
extern const uint32_t template_add[], template_call[];
enum { TEMPLATE_WORDS = 8, ROUNDS = 40 };

static NOINLINE uint32_t helper(uint32_t value)
{
    return value ^ value >> 7;
}

uint32_t doubled(uint32_t value)
{
    return helper(value) * 2;
}

uint32_t tripled(uint32_t value)
{
    return helper(value + 1) * 3;
}

static NOINLINE void synchronize(const void *address)
{
    __asm__ volatile("dc cvau, %0\n dsb ish\n ic ivau, %0\n dsb ish\n isb" ::"r"(address)
                     : "memory");
}

static NOINLINE void write_code(uint32_t *at, uint32_t word)
{
    *(volatile uint32_t *)at = word;
    synchronize(at);
}

// BL to a function, or B.
static NOINLINE uint32_t branch_from(const uint32_t *from, uint32_t (*to)(uint32_t), bool is_call)
{
    intptr_t words = (const uint32_t *)(uintptr_t)to - from;
    return (is_call ? 0x94000000u : 0x14000000u) | ((uint32_t)words & 0x3ffffff);
}

static NOINLINE void copy_code(uint32_t *to, const uint32_t *from)
{
    for (unsigned i = 0; i < TEMPLATE_WORDS; i++) {
        write_code(to + i, from[i]);
    }
}

int main(void)
{
    uint32_t sum = 1;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        write_code(patched_branch,
                   branch_from(patched_branch, round % 3 ? doubled : tripled, true));
        sum += patched(round);
        if (round % 4 == 0) {
            copy_code((uint32_t *)(uintptr_t)copied, round % 8 ? template_add : template_call);
        }
        sum = sum * 5 + copied(round);
    }
    print_number("sum ", sum);
    program_exit(0);
}
