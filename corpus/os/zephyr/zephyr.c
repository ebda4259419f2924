// Tasks that use what Zephyr has: mutexes, semaphores, message queues, FIFOs, sleep, suspend, poll,
// the heap, a work queue, a thread that ends.
#ifdef OLD
#include <sys/printk.h>
#include <zephyr.h>
#define k_work_delayable k_delayed_work
#define k_work_init_delayable k_delayed_work_init
#define k_work_schedule k_delayed_work_submit
#define RESULT void
#else
#include <zephyr/kernel.h>
#define RESULT int
#endif
#include <string.h>
K_MUTEX_DEFINE(first_mutex);
K_MUTEX_DEFINE(second_mutex);
K_SEM_DEFINE(ready_sem, 0, 4);
K_MSGQ_DEFINE(numbers, sizeof(uint32_t), 4, 4);
K_FIFO_DEFINE(blocks);
K_STACK_DEFINE(pile, 4);
struct block {
    void *reserved;
    uint32_t size;
    uint8_t bytes[];
};
volatile uint32_t total;
static void producer(void *a, void *b, void *c)
{
    for (uint32_t i = 0;; i++) {
        k_msgq_put(&numbers, &i, K_FOREVER);
        struct block *block = k_malloc(sizeof *block + (i & 31) + 1);
        if (block) {
            block->size = (i & 31) + 1;
            memset(block->bytes, (int)i, block->size);
            k_fifo_put(&blocks, block);
        }
        if (i % 3 == 0)
            k_sleep(K_MSEC(1));
    }
}
static void consumer(void *a, void *b, void *c)
{
    for (;;) {
        uint32_t number;
        k_msgq_get(&numbers, &number, K_FOREVER);
        k_mutex_lock(&first_mutex, K_FOREVER);
        total += number;
        k_mutex_unlock(&first_mutex);
        struct block *block = k_fifo_get(&blocks, K_MSEC(5));
        if (block) {
            for (uint32_t i = 0; i < block->size; i++)
                total ^= block->bytes[i];
            k_free(block);
        }
        if (number % 4 == 3)
            k_sem_give(&ready_sem);
    }
}
static void locker(void *a, void *b, void *c)
{
    for (;;) {
        k_mutex_lock(&first_mutex, K_FOREVER);
        k_mutex_lock(&second_mutex, K_FOREVER);
        for (volatile int i = 0; i < 300; i++)
            total += i;
        k_mutex_unlock(&second_mutex);
        k_mutex_unlock(&first_mutex);
        k_usleep(700);
    }
}
static void waiter(void *a, void *b, void *c)
{
    for (;;) {
        if (k_sem_take(&ready_sem, K_MSEC(3)) == 0)
            k_stack_push(&pile, total & 7 ? 1 : 2);
        k_mutex_lock(&second_mutex, K_FOREVER);
        total++;
        k_mutex_unlock(&second_mutex);
    }
}
static void popper(void *a, void *b, void *c)
{
    for (;;) {
        stack_data_t data;
        k_stack_pop(&pile, &data, K_FOREVER);
        total += data;
    }
}
static void sleeper(void *a, void *b, void *c)
{
    k_thread_suspend(k_current_get());
    for (int i = 0; i < 3; i++)
        k_sleep(K_MSEC(2));
}
static struct k_work_delayable work;
static void worked(struct k_work *w)
{
    total += 100;
    k_work_schedule(&work, K_MSEC(4));
}
#define T(name, priority) K_THREAD_DEFINE(name##_id, 1024, name, NULL, NULL, NULL, priority, 0, 0)
T(producer, 3);
T(consumer, 2);
T(locker, 4);
T(waiter, 1);
T(popper, 5);
T(sleeper, -1);
RESULT main(void)
{
    printk("begins\n");
    k_work_init_delayable(&work, worked);
    k_work_schedule(&work, K_MSEC(2));
    for (int i = 0;; i++) {
        k_sleep(K_MSEC(6));
        if (i == 1)
            k_thread_resume(sleeper_id);
        if (i == 6)
            k_thread_abort(popper_id);
        if (i == 3)
            k_thread_suspend(locker_id);
        if (i == 5)
            k_thread_resume(locker_id);
    }
}
