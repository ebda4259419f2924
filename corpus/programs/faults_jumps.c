// Faults around long jumps, and more of the kinds of which faults.c has few, each in a line whose
// comment says which: as faults.c. Frames that a jump leaves have ended, locks that they hold stay
// held, and what is called afterwards lies over them.
#include "faults.h"

typedef uint64_t jump_buffer_t[24];

int set_jump(jump_buffer_t buffer) __attribute__((returns_twice));
_Noreturn void long_jump(jump_buffer_t buffer, int value);

static volatile uint32_t sink;
static uint32_t waits_left = UINT32_MAX; // until the program ends
static jump_buffer_t back;

void wait_for_others(void)
{
    sink = 0;
    if (--waits_left == 0) {
        program_exit(0);
    }
}

// --- Frames that a jump leaves -------------------------------------------------------------------

static volatile uint32_t *kept;

static NOINLINE void jump_from(uint32_t depth)
{
    volatile uint32_t local[24];
    local[0] = depth;
    local[23] = depth;
    if (depth == 0) {
        kept = local;
        long_jump(back, 1);
    }
    jump_from(depth - 1);
    sink = local[23];
}

// Its calls lie over the frames that were left.
static NOINLINE uint32_t go_down(uint32_t depth)
{
    volatile uint32_t local[4];
    local[depth & 3] = depth;
    return depth ? go_down(depth - 1) + local[depth & 3] : 0;
}

static NOINLINE void read_left_frame(void)
{
    static uint32_t good[24];
    if (set_jump(back) == 0) {
        jump_from(3);
    }
    if (!FAULTY) {
        kept = good;
    }
    sink = kept[0]; // -> dead-frame
}

static NOINLINE void write_left_frame(void)
{
    static uint32_t good[24];
    if (set_jump(back) == 0) {
        jump_from(5);
    }
    sink = go_down(6);
    if (set_jump(back) == 0) {
        jump_from(5);
    }
    if (!FAULTY) {
        kept = good;
    }
    kept[23] = 4; // -> dead-frame
}

static NOINLINE void decide_in_new_frame(void)
{
    volatile uint32_t local[4];
    if (set_jump(back) == 0) {
        jump_from(2);
    }
    if (!FAULTY) {
        local[2] = 7;
    }
    if (local[2] == 5) { // -> undefined-decision
        sink = 1;
    }
}

static struct lock lock_a, lock_b, lock_c, lock_d, lock_e, lock_f;

static NOINLINE void take_and_jump(struct lock *lock)
{
    mutex_lock(lock); // -> still-held
    sink = 2;
    if (!FAULTY) {
        mutex_unlock(lock);
    }
    long_jump(back, 1);
}

static NOINLINE void jump_with_lock(void)
{
    if (set_jump(back) == 0) {
        take_and_jump(&lock_a);
    }
}

static NOINLINE void take_deep(struct lock *lock, uint32_t depth)
{
    if (depth) {
        take_deep(lock, depth - 1);
        sink = depth;
        return;
    }
    mutex_lock(lock); // -> still-held
    sink = 3;
    if (!FAULTY) {
        mutex_unlock(lock);
    }
    long_jump(back, 1);
}

static NOINLINE void jump_with_deep_lock(void)
{
    if (set_jump(back) == 0) {
        take_deep(&lock_b, 3);
    }
}

// --- Addresses that nothing has set --------------------------------------------------------------

struct node {
    struct node *next;
    uint32_t value;
};

static const struct node both[2] = {{NULL, 4}, {NULL, 5}};

static NOINLINE void follow_undefined(void)
{
    struct node *nodes = malloc(2 * sizeof *nodes);
    if (!FAULTY) {
        nodes[1].next = nodes;
    }
    LAUNDER(nodes);
    sink = both[(uintptr_t)nodes[1].next >> 4 & 1].value; // -> undefined-address
    free(nodes);
}

static NOINLINE void store_by_undefined(void)
{
    static uint32_t table[4];
    uint32_t index;
    if (!FAULTY) {
        index = 1;
    }
    LAUNDER(index);
    table[index & 3] = 5; // -> undefined-address
    sink = table[2];
}

static NOINLINE void index_by_undefined_byte(void)
{
    static const uint8_t table[16] = {1, 2, 3};
    uint8_t bytes[8];
    bytes[0] = 3;
    if (!FAULTY) {
        bytes[5] = 2;
    }
    LAUNDER(bytes);
    sink = table[bytes[0]];
    sink = table[bytes[5] & 15]; // -> undefined-address
}

// --- Blocks --------------------------------------------------------------------------------------

static NOINLINE void delete_allocated(void)
{
    void *block = malloc(24);
    if (FAULTY) {
        operator_delete(block); // -> wrong-free
    } else {
        free(block);
    }
}

static NOINLINE void free_two_new(void)
{
    for (int i = 0; i < 2; i++) {
        void *block = operator_new(152);
        if (FAULTY) {
            free(block); // -> wrong-free
        } else {
            operator_delete(block);
        }
    }
}

static NOINLINE void free_on_stack(void)
{
    uint32_t local[8] = {0};
    LAUNDER(local);
    if (FAULTY) {
        free(local); // -> bad-free
    }
    sink = local[3];
}

static NOINLINE void free_twice_in_row(void)
{
    void *block = malloc(168);
    free(block);
    if (FAULTY) {
        free(block); // -> double-free
    }
}

// --- Locks ---------------------------------------------------------------------------------------

static NOINLINE void release_twice(void)
{
    mutex_lock(&lock_c);
    mutex_unlock(&lock_c);
    if (FAULTY) {
        mutex_unlock(&lock_c); // -> unlock
    }
}

static NOINLINE void sleep_with_two(void)
{
    mutex_lock(&lock_d);
    mutex_lock(&lock_e);
    if (!FAULTY) {
        mutex_unlock(&lock_e);
        mutex_unlock(&lock_d);
    }
    usleep(4); // -> held-waiting
    if (FAULTY) {
        mutex_unlock(&lock_e);
        mutex_unlock(&lock_d);
    }
}

static NOINLINE void take_again(void)
{
    mutex_lock(&lock_f);
    waits_left = 9;
    if (FAULTY) {
        mutex_lock(&lock_f); // -> relock
    }
    mutex_unlock(&lock_f);
}

int main(void)
{
    read_left_frame();
    write_left_frame();
    decide_in_new_frame();
    jump_with_lock();
    jump_with_deep_lock();
    follow_undefined();
    store_by_undefined();
    index_by_undefined_byte();
    delete_allocated();
    free_two_new();
    free_on_stack();
    free_twice_in_row();
    release_twice();
    sleep_with_two();
    print_number("done ", sink & 0);
    take_again();
    return 0;
}
