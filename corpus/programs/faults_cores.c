// Faults between two cores, each in a line whose comment says which: as faults.c. The cores take
// turns, by stages.
#include "faults.h"

static volatile uint32_t stage, sink;

void wait_for_others(void)
{
    sink = 0;
}

static NOINLINE void wait_for_stage(uint32_t number)
{
    while (stage < number) {
        wait_for_others();
    }
}

// --- What one core does --------------------------------------------------------------------------

struct job {
    uint32_t kind, size;
};

static struct job job;

static NOINLINE void post_job(void)
{
    struct job made;
    made.kind = 1;
    if (!FAULTY) {
        made.size = 2;
    }
    LAUNDER(made);
    job.kind = made.kind;
    job.size = made.size;
}

static volatile uint32_t *shared;

static NOINLINE void share_local(void)
{
    volatile uint32_t local[4];
    for (int i = 0; i < 4; i++) {
        local[i] = 3;
    }
    shared = local;
}

static uint32_t *block;
static struct lock lock_a, lock_b, lock_c;

static NOINLINE void take_both(struct lock *first, struct lock *second)
{
    mutex_lock(first);
    mutex_lock(second); // -> lock-order
    mutex_unlock(second);
    mutex_unlock(first);
}

// --- And the other goes by -----------------------------------------------------------------------

static NOINLINE void take_job(void)
{
    struct job taken = job;
    LAUNDER(taken);
    if (taken.kind == 7) {
        sink = 1;
    }
    if (taken.size == 7) { // -> undefined-decision
        sink = 2;
    }
}

static NOINLINE void read_local_of_other(void)
{
    static uint32_t good[4];
    if (!FAULTY) {
        shared = good;
    }
    sink = shared[2]; // -> dead-frame
}

static NOINLINE void read_freed_by_other(void)
{
    sink = block[1]; // -> use-after-free
}

static NOINLINE void free_again(void)
{
    if (FAULTY) {
        free(block); // -> double-free
    }
}

static NOINLINE void release_others(void)
{
    if (FAULTY) {
        mutex_unlock(&lock_c); // -> others-lock
    }
}

// -------------------------------------------------------------------------------------------------

static void core_0(void)
{
    post_job();
    share_local();
    block = malloc(40);
    block[1] = 1;
    if (FAULTY) {
        free(block);
    }
    take_both(&lock_a, &lock_b);
    mutex_lock(&lock_c);
    stage = 1;
    wait_for_stage(2);
    if (!FAULTY) {
        free(block);
        mutex_unlock(&lock_c);
    }
}

static void core_1(void)
{
    wait_for_stage(1);
    take_job();
    read_local_of_other();
    read_freed_by_other();
    free_again();
    take_both(FAULTY ? &lock_b : &lock_a, FAULTY ? &lock_a : &lock_b);
    release_others();
    stage = 2;
}

int main(int core)
{
    if (core) {
        core_1();
    } else {
        core_0();
    }
    return 0;
}
