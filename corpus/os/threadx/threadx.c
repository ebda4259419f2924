// Seven threads of ThreadX that sleep, wait for a semaphore, a mutex and a queue, and end: for the
// states that `trawl tasks` shows.
#include "tx_api.h"
static TX_THREAD worker, sleeper, owner, waiter, quitter, consumer;
static UCHAR stacks[6][1024] __attribute__((aligned(8)));
static TX_MUTEX config;
static TX_SEMAPHORE ready;
static TX_QUEUE jobs;
static TX_EVENT_FLAGS_GROUP flags;

static ULONG queue_words[8];
volatile ULONG counts[6];

static ULONG fib(ULONG n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void work(ULONG unused)
{
    for (;;) {
        counts[0] += fib(6 + counts[0] % 5);
        ULONG w = counts[0];
        if (w % 7 == 0)
            tx_queue_send(&jobs, &w, TX_NO_WAIT);
    }
}

static void sleeps(ULONG unused)
{
    for (;;) {
        tx_thread_sleep(3);
        counts[1]++;
        tx_semaphore_put(&ready);
    }
}

static void owns(ULONG unused)
{
    for (;;) {
        tx_mutex_get(&config, TX_WAIT_FOREVER);
        tx_thread_sleep(4);
        counts[2]++;
        tx_mutex_put(&config);
        tx_thread_sleep(1);
    }
}

static void waits(ULONG unused)
{
    for (;;) {
        tx_semaphore_get(&ready, TX_WAIT_FOREVER);
        tx_mutex_get(&config, TX_WAIT_FOREVER);
        counts[3]++;
        fib(4);
        tx_mutex_put(&config);
    }
}

static void quits(ULONG unused)
{
    for (int i = 0; i < 6; i++) {
        tx_thread_sleep(2);
        counts[4]++;
    }
}

static void consumes(ULONG unused)
{
    ULONG w;
    for (;;) {
        tx_queue_receive(&jobs, &w, TX_WAIT_FOREVER);
        counts[5] += w;
    }
}

void tx_application_define(void *m)
{
    tx_mutex_create(&config, "config", TX_INHERIT);
    tx_semaphore_create(&ready, "ready", 0);
    tx_queue_create(&jobs, "jobs", 1, queue_words, sizeof queue_words);
    tx_event_flags_create(&flags, "flags");
    tx_thread_create(&worker, "worker", work, 0, stacks[0], 1024, 10, 10, TX_NO_TIME_SLICE,
                     TX_AUTO_START);
    tx_thread_create(&sleeper, "sleeper", sleeps, 0, stacks[1], 1024, 5, 5, TX_NO_TIME_SLICE,
                     TX_AUTO_START);
    tx_thread_create(&owner, "owner", owns, 0, stacks[2], 1024, 6, 6, TX_NO_TIME_SLICE,
                     TX_AUTO_START);
    tx_thread_create(&waiter, "waiter", waits, 0, stacks[3], 1024, 4, 4, TX_NO_TIME_SLICE,
                     TX_AUTO_START);
    tx_thread_create(&quitter, "quitter", quits, 0, stacks[4], 1024, 7, 7, TX_NO_TIME_SLICE,
                     TX_AUTO_START);
    tx_thread_create(&consumer, "consumer", consumes, 0, stacks[5], 1024, 8, 8, TX_NO_TIME_SLICE,
                     TX_AUTO_START);
}

int main(void)
{
    tx_kernel_enter();
}
// What the port's tx_initialize_low_level.S wants: vectors, and where memory is unused.
extern void __tx_SysTickHandler(void), PendSV_Handler(void);
extern ULONG _estack;
ULONG __RAM_segment_used_end__[64];

static void stop(void)
{
    for (;;) {
    }
}

void Reset_Handler(void)
{
    main();
}

__attribute__((section(".isr_vector"), used)) const void *const _vectors[16] = {
    &_estack,       Reset_Handler,      stop, stop, stop, stop, stop, 0, 0, 0, 0, stop, stop, 0,
    PendSV_Handler, __tx_SysTickHandler};

void *memset(void *p, int c, unsigned n)
{
    unsigned char *q = p;
    while (n--)
        *q++ = c;
    return p;
}

void *memcpy(void *p, const void *s, unsigned n)
{
    unsigned char *q = p;
    const unsigned char *r = s;
    while (n--)
        *q++ = *r++;
    return p;
}
