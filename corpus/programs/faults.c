// Faults of a run, each in a function of its own: values that nothing has set, frames that have
// ended, blocks of a heap, locks. A line with a fault says which in a comment, an arrow and its
// kind. Compiled with CLEAN, the same functions do nothing wrong.
//
// The program survives all of its faults, so that one run has them all.
#include "faults.h"

static volatile uint32_t sink;
static uint32_t zero; // always

void wait_for_others(void)
{
    sink = 0;
}

// --- Values that nothing has set -----------------------------------------------------------------

static NOINLINE void fill_stack(uint32_t value)
{
    uint32_t filled[64];
    for (int i = 0; i < 64; i++) {
        filled[i] = value;
    }
    LAUNDER(filled);
}

static NOINLINE void undefined_local(void)
{
    uint32_t local;
    if (!FAULTY) {
        local = 1;
    }
    LAUNDER(local);
    if (local == 7) { // -> undefined-decision
        sink = 1;
    }
}

static NOINLINE void undefined_element(void)
{
    uint32_t items[8];
    for (int i = 0; i < 8 - FAULTY; i++) {
        items[i] = 1;
    }
    LAUNDER(items);
    uint32_t sum = 0;
    for (int i = 0; i < 8; i++) {
        sum += items[i];
    }
    if (sum == 7) { // -> undefined-decision
        sink = 2;
    }
}

struct pair {
    uint32_t first, second;
};

static NOINLINE void undefined_member(void)
{
    struct pair a, b;
    a.first = 1;
    if (!FAULTY) {
        a.second = 2;
    }
    LAUNDER(a);
    b = a; // copying is no fault
    LAUNDER(b);
    if (b.first == 3) {
        sink = 3;
    }
    if (b.second == 3) { // -> undefined-decision
        sink = 4;
    }
}

static NOINLINE void undefined_in_block(void)
{
    uint32_t *block = malloc(32);
    for (int i = FAULTY; i < 8; i++) {
        block[i] = 1;
    }
    LAUNDER(block);
    if (block[0] > 2) { // -> undefined-decision
        sink = 5;
    }
    free(block);
}

static NOINLINE void undefined_copy_of_block(void)
{
    unsigned char *block = FAULTY ? malloc(48) : calloc(1, 48), copy[48];
    memcpy(copy, block, sizeof copy);
    LAUNDER(copy);
    free(block);
    if (copy[20] == 'x') { // -> undefined-decision
        sink = 6;
    }
}

static const uint32_t table[4] = {1, 2, 3, 4};

static NOINLINE void undefined_index(void)
{
    uint32_t index;
    if (!FAULTY) {
        index = 2;
    }
    LAUNDER(index);
    sink = table[index & 3]; // -> undefined-address
}

static NOINLINE uint32_t pass_on(uint32_t value)
{
    return value * 3 + 1;
}

static NOINLINE void undefined_result(void)
{
    uint32_t value;
    if (!FAULTY) {
        value = 5;
    }
    LAUNDER(value);
    uint32_t made = pass_on(value);
    if (made > 1000) { // -> undefined-decision
        sink = 7;
    }
}

static NOINLINE void undefined_byte(void)
{
    unsigned char bytes[4];
    bytes[0] = bytes[1] = bytes[3] = 1;
    if (!FAULTY) {
        bytes[2] = 1;
    }
    LAUNDER(bytes);
    if (bytes[1] == 9) {
        sink = 8;
    }
    if (bytes[2] == 9) { // -> undefined-decision
        sink = 9;
    }
}

static NOINLINE void undefined_grown(void)
{
    uint32_t *block = malloc(16);
    block[0] = block[1] = block[2] = block[3] = 4;
    block = realloc(block, 64);
    if (!FAULTY) {
        block[10] = 4;
    }
    LAUNDER(block);
    if (block[3] == 5) {
        sink = 10;
    }
    if (block[10] == 5) { // -> undefined-decision
        sink = 11;
    }
    free(block);
}

// The stack has values of earlier calls, which are not its own.
static NOINLINE void undefined_stale(void)
{
    uint32_t local[4];
    if (!FAULTY) {
        local[1] = 0;
    }
    LAUNDER(local);
    while (local[1] == 0x12345) { // -> undefined-decision
        local[1] = 0;
        LAUNDER(local);
    }
}

static NOINLINE uint32_t select_by(uint32_t which)
{
    switch (which) { // -> undefined-decision
    case 1:
        return sink + 3;
    case 2:
        return sink * 5;
    case 3:
        return sink ^ 9;
    case 4:
        return sink - 8;
    case 5:
        return sink << 3;
    default:
        return 6;
    }
}

static NOINLINE void undefined_switch(void)
{
    uint32_t which;
    if (!FAULTY) {
        which = 2;
    }
    LAUNDER(which);
    sink = select_by(which);
}

static NOINLINE void undefined_string(void)
{
    char text[8];
    text[0] = 'a';
    if (!FAULTY) {
        text[1] = '\0';
    }
    text[2] = '\0';
    LAUNDER(text);
    const char *at = text;
    while (*at) { // -> undefined-decision
        at++;
    }
    sink = (uint32_t)(at - text);
}

// --- Frames that have ended ----------------------------------------------------------------------

static uint32_t *kept;
static char *kept_text;

static NOINLINE void keep(uint32_t *what)
{
    kept = what;
}

static NOINLINE void make_dangling(void)
{
    uint32_t local[4] = {1, 2, 3, 4};
    LAUNDER(local);
    keep(local);
}

static NOINLINE void dead_read(void)
{
    uint32_t good[4] = {0};
    LAUNDER(good);
    make_dangling();
    if (!FAULTY) {
        kept = good;
    }
    sink = kept[1]; // -> dead-frame
}

static NOINLINE void dead_write(void)
{
    uint32_t good[4] = {0};
    LAUNDER(good);
    make_dangling();
    if (!FAULTY) {
        kept = good;
    }
    kept[2] = 5; // -> dead-frame
}

static NOINLINE void make_deeper(uint32_t depth)
{
    uint32_t local[8];
    local[0] = depth;
    LAUNDER(local);
    if (depth) {
        make_deeper(depth - 1);
    } else {
        keep(local);
    }
    LAUNDER(local);
}

static NOINLINE void dead_deep(void)
{
    uint32_t good[4] = {0};
    LAUNDER(good);
    make_deeper(3);
    if (!FAULTY) {
        kept = good;
    }
    sink = kept[0]; // -> dead-frame
}

static NOINLINE void make_text(void)
{
    char text[16];
    for (int i = 0; i < 15; i++) {
        text[i] = 'a';
    }
    text[15] = '\0';
    LAUNDER(text);
    kept_text = text;
}

static NOINLINE void dead_text(void)
{
    make_text();
    if (!FAULTY) {
        kept_text = (char *)(uintptr_t) "text";
    }
    sink = (unsigned char)kept_text[3]; // -> dead-frame
}

static NOINLINE void dead_after_others(void)
{
    uint32_t good[4] = {0};
    LAUNDER(good);
    make_dangling();
    fill_stack(3);
    if (!FAULTY) {
        kept = good;
    }
    kept[0] += 1; // -> dead-frame
}

static NOINLINE void use_list(const struct pair *list)
{
    sink = list->second; // -> dead-frame
}

static struct pair *kept_pair;

static NOINLINE void make_pair(void)
{
    struct pair local = {1, 2};
    LAUNDER(local);
    kept_pair = &local;
}

static NOINLINE void dead_argument(void)
{
    static struct pair good;
    make_pair();
    if (!FAULTY) {
        kept_pair = &good;
    }
    use_list(kept_pair);
}

struct handler {
    void (*call)(uint32_t value);
    uint32_t value;
};

static struct handler *kept_handler;

static NOINLINE void handle(uint32_t value)
{
    sink = value;
}

static NOINLINE void make_handler(void)
{
    struct handler local = {handle, 4};
    LAUNDER(local);
    kept_handler = &local;
}

static NOINLINE void dead_handler(void)
{
    static struct handler good = {handle, 5};
    make_handler();
    if (!FAULTY) {
        kept_handler = &good;
    }
    kept_handler->call(kept_handler->value); // -> dead-frame
}

#if defined __aarch64__
#define STORE_BELOW "str %w0, [sp, #-64]"
#elif defined __riscv
#define STORE_BELOW "sw %0, -64(sp)"
#elif defined __x86_64__
#define STORE_BELOW "movl %0, -512(%%rsp)"
#else
#define STORE_BELOW "str %0, [sp, #-64]"
#endif

// What an interrupt may overwrite.
static NOINLINE uint32_t below_stack_pointer(uint32_t value)
{
    uint32_t words[8] = {0};
    LAUNDER(words);
    __asm__ volatile(STORE_BELOW : : "r"(value) : "memory"); // -> dead-frame
    return words[3];
}

static NOINLINE void dead_store(void)
{
    if (FAULTY) {
        sink = below_stack_pointer(7);
    }
}

// --- Return addresses ----------------------------------------------------------------------------

// Where a function with a frame pointer keeps its return address.
#ifdef __riscv
#define RETURN_ADDRESS_SLOT ((uintptr_t *)__builtin_frame_address(0) - 1)
#else
#define RETURN_ADDRESS_SLOT ((uintptr_t *)__builtin_frame_address(0) + 1)
#endif

static NOINLINE void write_over(uintptr_t *words, uint32_t count, uintptr_t value)
{
    for (uint32_t i = 0; i < count; i++) {
        words[i] += value;
    }
}

static NOINLINE uint32_t overwrite_return(uintptr_t skip)
{
    uintptr_t words[2] = {0, 0};
    LAUNDER(words);
    write_over(FAULTY ? RETURN_ADDRESS_SLOT : words, 1, skip);
    LAUNDER(words);
    return (uint32_t)words[0] + zero; // -> return-address
}

// By a loop that goes too far: all from the array to the return address is as it was.
static NOINLINE uint32_t count_over_return(uintptr_t skip)
{
    uintptr_t words[4] = {0, 0, 0, 0}, *link = RETURN_ADDRESS_SLOT, *at = words;
    write_over(words, 0, 0);
    LAUNDER(at);
    for (uintptr_t *end = FAULTY ? link : words + 3; at <= end; at++) {
        *at += at == link ? skip : 0;
    }
    LAUNDER(words);
    return (uint32_t)words[3] + zero; // -> return-address
}

#ifdef __thumb__
#define SKIPPED_NOP __asm__ volatile("nop.w")
#elif defined __x86_64__
#define SKIPPED_NOP __asm__ volatile("nopl 64(%rax)")
#elif defined __riscv
#define SKIPPED_NOP __asm__ volatile(".option push\n .option norvc\n nop\n .option pop")
#else
#define SKIPPED_NOP __asm__ volatile("nop")
#endif

static NOINLINE void return_overwritten(void)
{
    overwrite_return(FAULTY ? 4 : 0);
    SKIPPED_NOP;
}

static NOINLINE void return_counted_over(void)
{
    count_over_return(FAULTY ? 4 : 0);
    SKIPPED_NOP;
}

// --- A stack that is too small -------------------------------------------------------------------

static _Alignas(16) unsigned char below_stack[1024], small_stack[512];

static NOINLINE uint32_t use_stack(uint32_t depth)
{ // -> stack-overflow
    uint32_t local[16];
    local[depth & 15] = depth;
    LAUNDER(local);
    return depth ? use_stack(depth - 1) + local[depth & 15] : 0;
}

static NOINLINE void use_small_stack(void)
{
    sink = use_stack(FAULTY ? 7 : 2);
}

static NOINLINE void call_on_stack(void (*function)(void), unsigned char *top)
{
#if defined __aarch64__
    __asm__ volatile("mov x19, sp\n mov sp, %1\n blr %0\n mov sp, x19"
                     :
                     : "r"(function), "r"(top)
                     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
                       "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x30", "cc", "memory");
#elif defined __x86_64__
    (void)top; // Valgrind does not look at stacks
    function();
#elif defined __riscv
    __asm__ volatile("mv s1, sp\n mv sp, %1\n jalr %0\n mv sp, s1"
                     :
                     : "r"(function), "r"(top)
                     : "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4",
                       "t5", "t6", "ra", "s1", "memory");
#else
    __asm__ volatile("mov r4, sp\n mov sp, %1\n blx %0\n mov sp, r4"
                     :
                     : "r"(function), "r"(top)
                     : "r0", "r1", "r2", "r3", "r4", "r12", "lr", "cc", "memory");
#endif
}

static NOINLINE void stack_overflow(void)
{
    LAUNDER(below_stack);
    call_on_stack(use_small_stack, small_stack + sizeof small_stack);
}

static NOINLINE uint32_t use_block_as_stack(uint32_t depth)
{ // -> stack-overflow
    uint32_t local[12];
    local[depth & 7] = depth;
    LAUNDER(local);
    return depth ? use_block_as_stack(depth - 1) + local[depth & 7] : 0;
}

static NOINLINE void use_stack_of_block(void)
{
    sink = use_block_as_stack(FAULTY ? 7 : 2);
}

// A task's stack from the heap. Neither is freed, as what is between them is overwritten.
static unsigned char *spare_block, *stack_block;

static NOINLINE void stack_overflow_of_block(void)
{
    spare_block = malloc(512);
    stack_block = malloc(512);
    LAUNDER(spare_block);
    call_on_stack(use_stack_of_block, stack_block + 512);
}

// --- Blocks of the heap --------------------------------------------------------------------------

static NOINLINE void freed_read(void)
{
    uint32_t *block = malloc(24);
    block[1] = 3;
    if (FAULTY) {
        free(block);
    }
    LAUNDER(block);
    sink = block[1]; // -> use-after-free
    if (!FAULTY) {
        free(block);
    }
}

static NOINLINE void freed_write(void)
{
    uint32_t *block = malloc(40);
    if (FAULTY) {
        free(block);
    }
    LAUNDER(block);
    block[6] = 9; // -> use-after-free
    if (!FAULTY) {
        free(block);
    }
}

struct node {
    struct node *next;
    uint32_t value;
};

static NOINLINE struct node *push(struct node *list, uint32_t value)
{
    struct node *made = malloc(sizeof *made);
    made->next = list;
    made->value = value;
    return made;
}

static NOINLINE void free_list(struct node *list)
{
    while (list) {
        struct node *next = list->next;
        free(list);
        list = FAULTY ? list->next : next; // -> use-after-free
    }
}

static NOINLINE void freed_list(void)
{
    free_list(push(push(push(NULL, 1), 2), 3));
}

static NOINLINE void freed_twice(void)
{
    void *block = malloc(72), *other = malloc(72);
    free(block);
    free(other);
    if (FAULTY) {
        free(block); // -> double-free
    }
}

static NOINLINE void freed_inside(void)
{
    char *block = malloc(80);
    free(block + 8 * FAULTY); // -> bad-free
    if (FAULTY) {
        free(block);
    }
}

static NOINLINE void freed_static(void)
{
    static char object[32];
    if (FAULTY) {
        free(object); // -> bad-free
    }
    sink = (unsigned char)object[1];
}

static NOINLINE void past_end(void)
{
    char *block = malloc(32);
    for (int i = 0; i < 32 + FAULTY; i++) {
        block[i] = 'x'; // -> past-block
    }
    LAUNDER(block);
    free(block);
}

static NOINLINE void past_end_read(void)
{
    uint32_t *block = calloc(4, 4);
    uint32_t sum = 0;
    for (int i = 0; i < 4 + FAULTY; i++) {
        sum += block[i]; // -> past-block
    }
    sink = sum;
    free(block);
}

static NOINLINE void before_start(void)
{
    uint32_t *block = malloc(48);
    sink = FAULTY ? block[-1] : zero; // -> past-block
    free(block);
}

static NOINLINE void freed_by_other(void)
{
    void *block = operator_new(56);
    LAUNDER(block);
    if (FAULTY) {
        free(block); // -> wrong-free
    } else {
        operator_delete(block);
    }
}

static void *lost;

static NOINLINE void leak_one(void)
{
    lost = malloc(88); // -> leak
    if (!FAULTY) {
        free(lost);
    }
    lost = NULL;
}

static NOINLINE struct node *leak_node(struct node *next)
{
    struct node *made = malloc(96); // -> leak
    made->next = next;
    return made;
}

static NOINLINE void leak_list(void)
{
    struct node *list = leak_node(leak_node(NULL));
    while (!FAULTY && list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    LAUNDER(list);
}

static struct node *still_used; // no leak

// --- Locks ---------------------------------------------------------------------------------------

static struct lock lock_a, lock_b, lock_c, lock_d;

static NOINLINE void unlock_untaken(void)
{
    mutex_lock(&lock_a);
    mutex_unlock(&lock_a);
    if (FAULTY) {
        mutex_unlock(&lock_a); // -> unlock
    }
}

static NOINLINE void order_one(void)
{
    mutex_lock(&lock_a);
    mutex_lock(&lock_b);
    mutex_unlock(&lock_b);
    mutex_unlock(&lock_a);
}

static NOINLINE void order_two(void)
{
    mutex_lock(FAULTY ? &lock_b : &lock_a);
    mutex_lock(FAULTY ? &lock_a : &lock_b); // -> lock-order
    mutex_unlock(FAULTY ? &lock_a : &lock_b);
    mutex_unlock(FAULTY ? &lock_b : &lock_a);
}

static NOINLINE void order_circle(void)
{
    mutex_lock(&lock_b);
    mutex_lock(&lock_c);
    mutex_unlock(&lock_c);
    mutex_unlock(&lock_b);
    mutex_lock(&lock_c);
    mutex_lock(FAULTY ? &lock_a : &lock_d); // -> lock-order
    mutex_unlock(FAULTY ? &lock_a : &lock_d);
    mutex_unlock(&lock_c);
}

static NOINLINE void held_waiting(void)
{
    mutex_lock(&lock_d);
    if (!FAULTY) {
        mutex_unlock(&lock_d);
    }
    usleep(3); // -> held-waiting
    if (FAULTY) {
        mutex_unlock(&lock_d);
    }
}

static NOINLINE void still_held(void)
{
    mutex_lock(&lock_c); // -> still-held
    if (!FAULTY) {
        mutex_unlock(&lock_c);
    }
}

int main(void)
{
    fill_stack(0x12346);
    undefined_local();
    undefined_element();
    undefined_member();
    undefined_in_block();
    undefined_copy_of_block();
    undefined_index();
    undefined_result();
    undefined_byte();
    undefined_grown();
    fill_stack(0x12346);
    undefined_stale();
    undefined_switch();
    undefined_string();
    dead_read();
    dead_write();
    dead_deep();
    dead_text();
    dead_after_others();
    dead_argument();
    dead_handler();
    dead_store();
    return_overwritten();
    return_counted_over();
    stack_overflow();
    stack_overflow_of_block();
    freed_read();
    freed_write();
    freed_list();
    freed_twice();
    freed_inside();
    freed_static();
    past_end();
    past_end_read();
    before_start();
    freed_by_other();
    leak_one();
    leak_list();
    still_used = push(NULL, 1);
    LAUNDER(still_used);
    unlock_untaken();
    order_one();
    order_two();
    order_circle();
    held_waiting();
    still_held();
    print_number("done ", sink & zero);
    return 0;
}
