// Coroutines that switch stacks by hand: generators that yield from deep inside of a recursion, one
// that ends and begins again, two that share their code, one that resumes another.
#include "lib.h"

enum { COROUTINES = 6, STACK_WORDS = 256, VALUES = 70 };

struct coroutine {
    uintptr_t *sp; // where its registers are, while another runs
    struct coroutine *resumer;
    uint32_t value;
    bool has_ended;
};

// Saves what a function must keep on the stack, takes the other stack and returns there.
void switch_stacks(uintptr_t **from, uintptr_t *to);
uintptr_t *stack_prepare(uintptr_t *stack_end, void (*entry)(void));

struct coroutine *current_task; // NULL: main
static struct coroutine coroutines[COROUTINES];
static uintptr_t *main_sp;
static uintptr_t stacks[COROUTINES][STACK_WORDS] __attribute__((aligned(16)));

static uintptr_t **sp_of(struct coroutine *c)
{
    return c == NULL ? &main_sp : &c->sp;
}

static NOINLINE uint32_t resume(struct coroutine *to)
{
    struct coroutine *from = current_task;
    to->resumer = from;
    current_task = to;
    switch_stacks(sp_of(from), to->sp);
    return to->value;
}

static NOINLINE void yield(uint32_t value)
{
    struct coroutine *from = current_task;
    from->value = value;
    current_task = from->resumer;
    switch_stacks(&from->sp, *sp_of(current_task));
}

static NOINLINE void end(void)
{
    current_task->has_ended = true;
    yield(0);
}

static NOINLINE void permute(uint32_t *items, unsigned count)
{
    if (count == 1) {
        yield(items[0] << 8 | items[1] << 4 | items[2]);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        uint32_t kept = items[i];
        items[i] = items[count - 1];
        items[count - 1] = kept;
        permute(items, count - 1);
        items[count - 1] = items[i];
        items[i] = kept;
    }
}

static void permutations(void)
{
    uint32_t items[3] = {1, 2, 3};
    permute(items, 3);
    end();
}

static NOINLINE void walk(uint32_t from, uint32_t to)
{
    uint32_t middle = from + (to - from) / 2;
    if (from == to) {
        return;
    }
    walk(from, middle);
    yield(middle);
    walk(middle + 1, to);
}

static void tree(void)
{
    for (;;) {
        walk(0, 9);
    }
}

static void filtered(void)
{
    for (;;) {
        uint32_t value = resume(&coroutines[4]);
        if (value % 2 == 0) {
            yield(value);
        }
    }
}

static void numbers(void)
{
    for (uint32_t i = 0;; i += 3) {
        yield(i);
    }
}

static NOINLINE void start(unsigned number, void (*entry)(void))
{
    struct coroutine *c = &coroutines[number];
    c->has_ended = false;
    c->sp = stack_prepare(stacks[number] + STACK_WORDS, entry);
}

int main(void)
{
    uint32_t sum = 0;
    start(0, permutations);
    start(1, tree);
    start(2, tree);
    start(3, filtered);
    start(4, numbers);
    for (unsigned i = 0; i < VALUES; i++) {
        struct coroutine *c = &coroutines[i % 4];
        sum = sum * 31 + resume(c);
        if (c->has_ended) {
            start(i % 4, permutations);
        }
    }
    print_number("sum ", sum);
    program_exit(0);
}
