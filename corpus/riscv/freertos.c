#include "FreeRTOS.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"
#include "timers.h"
volatile unsigned long long tohost __attribute__((section(".tohost"), aligned(64)));
volatile unsigned long long fromhost __attribute__((section(".tohost"), aligned(64)));
#define NI __attribute__((noinline, noclone))
void *memset(void *p, int c, size_t n)
{
    char *d = p;
    while (n--)
        *d++ = (char)c;
    return p;
}
void *memcpy(void *p, const void *q, size_t n)
{
    char *d = p;
    const char *s = q;
    while (n--)
        *d++ = *s++;
    return p;
}
size_t strlen(const char *s)
{
    size_t n = 0;
    while (*s++)
        n++;
    return n;
}
static QueueHandle_t queue;
static SemaphoreHandle_t mutex;
volatile long sink, fired;
NI long fib(long n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
NI void compute(long n)
{
    sink += fib(n);
}
NI void send(long v)
{
    xQueueSend(queue, &v, portMAX_DELAY);
}
NI long receive(void)
{
    long v = 0;
    xQueueReceive(queue, &v, portMAX_DELAY);
    return v;
}
static void producer(void *p)
{
    for (long i = 0;; i++) {
        compute(8 + (i & 3));
        send(i);
        if (i % 5 == 4)
            vTaskDelay(1);
    }
}
static void consumer(void *p)
{
    for (;;) {
        long v = receive();
        xSemaphoreTake(mutex, portMAX_DELAY);
        compute(v % 9);
        xSemaphoreGive(mutex);
    }
}
static void worker(void *p)
{
    for (long i = 0;; i++) {
        xSemaphoreTake(mutex, portMAX_DELAY);
        compute(10);
        xSemaphoreGive(mutex);
        taskYIELD();
        compute(6);
    }
}
static void periodic(void *p)
{
    for (int i = 0; i < 9; i++) {
        vTaskDelay(2);
        compute(5);
    }
    tohost = 1;
    for (;;)
        ;
}
static void timer(TimerHandle_t t)
{
    fired++;
    compute(4);
}
int main(void)
{
    queue = xQueueCreate(3, sizeof(long));
    mutex = xSemaphoreCreateMutex();
    xTaskCreate(producer, "producer", 256, 0, 1, 0);
    xTaskCreate(consumer, "consumer", 256, 0, 2, 0);
    xTaskCreate(worker, "worker", 256, 0, 1, 0);
    xTaskCreate(periodic, "periodic", 256, 0, 3, 0);
    xTimerStart(xTimerCreate("tick", 3, 1, 0, timer), 0);
    vTaskStartScheduler();
    for (;;)
        ;
}
