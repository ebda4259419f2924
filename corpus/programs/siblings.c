// Functions that end in calls of others: siblings that call each other in turn, in a ring, through
// tables, with more arguments than registers, under conditions, out of the middle of loops; thunks;
// shared beginnings and ends, which -Oz makes functions.
#include "lib.h"

typedef uint32_t (*step_t)(uint32_t state, uint32_t left);

static volatile uint32_t trail, arguments_sum;
static uint32_t tree_values[31];

#ifdef SIGNED
// Lets the core sign return addresses.
static inline void prepare(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, sctlr_el1" : "=r"(control));
    __asm__ volatile("msr sctlr_el1, %0\n isb" ::"r"(control | 1u << 31));
}
#else
static inline void prepare(void) {}
#endif

static NOINLINE uint32_t done(uint32_t state)
{
    trail += state;
    return state;
}

static NOINLINE uint32_t ring_b(uint32_t state, uint32_t left);
static NOINLINE uint32_t ring_c(uint32_t state, uint32_t left);

static NOINLINE uint32_t ring_a(uint32_t state, uint32_t left)
{
    trail ^= state;
    return left == 0 ? done(state) : ring_b(state * 3, left - 1);
}

static NOINLINE uint32_t ring_b(uint32_t state, uint32_t left)
{
    if (state & 4) {
        trail += left;
        return ring_c(state + 1, left);
    }
    return left == 0 ? done(~state) : ring_a(state ^ 0x55, left - 1);
}

static NOINLINE uint32_t ring_c(uint32_t state, uint32_t left)
{
    uint32_t deeper = left > 2 ? ring_a(state, 1) : 1;
    return left == 0 ? done(deeper) : ring_a(state + deeper, left - 1);
}

static NOINLINE uint32_t up(uint32_t state, uint32_t left);
static NOINLINE uint32_t down(uint32_t state, uint32_t left);
static const step_t volatile steps[] = {up, down, ring_a, ring_b};

static NOINLINE uint32_t up(uint32_t state, uint32_t left)
{
    return left == 0 ? state : steps[state % 2](state + 7, left - 1);
}

static NOINLINE uint32_t down(uint32_t state, uint32_t left)
{
    trail--;
    return left == 0 ? ~state : steps[left % 4](state - 1, left - 1);
}

static NOINLINE uint32_t many(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e,
                              uint32_t f, uint32_t g, uint32_t h, uint32_t i, uint32_t j)
{
    arguments_sum += a + b + c + d + e + f + g + h + i + j;
    return a == 0 ? done(j) : many(a - 1, c, d, e, f, g, h, i, j, b);
}

static NOINLINE uint32_t insert(uint32_t at, uint32_t value)
{
    if (at >= 31) {
        return done(value);
    }
    if (tree_values[at] == 0) {
        tree_values[at] = value;
        return at;
    }
    return insert(2 * at + (value > tree_values[at] ? 2 : 1), value);
}

static NOINLINE uint32_t visit(uint32_t at, step_t step)
{
    if (at >= 31 || tree_values[at] == 0) {
        return 0;
    }
    uint32_t left = visit(2 * at + 1, step);
    trail ^= left;
    uint32_t own = step(tree_values[at], 2);
    return own + left + visit(2 * at + 2, step);
}

static NOINLINE uint32_t find(uint32_t from, uint32_t value)
{
    for (uint32_t i = from; i < 31; i++) {
        if (tree_values[i] == value) {
            return ring_b(i, 3);
        }
    }
    return done(from);
}

int main(void)
{
    uint32_t sum = 0;
    prepare();
    for (uint32_t i = 1; i < 12; i++) {
        sum += ring_a(i, i);
        sum += up(i, i % 7);
        insert(0, i * 2654435761u >> 20);
        sum ^= find(0, i % 5 ? sum : tree_values[i % 4]);
    }
    sum += visit(0, down);
    sum += many(4, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    print_number("sum ", sum);
    program_exit(0);
}
