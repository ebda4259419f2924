// A small program for FreeRTOS with five faults, one for each job of the tutorial: a deadline that
// is missed, a priority inversion, a deadlock, a stack that overflows, and an interrupt handler
// that once takes long.
#include "FreeRTOS.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

#define TIMER0 ((volatile unsigned *)0x40000000)
#define NVIC_ENABLE (*(volatile unsigned *)0xe000e100)
#define NVIC_PRIORITY ((volatile unsigned char *)0xe000e400)

SemaphoreHandle_t bus, config, display;
char *received; // below the stack of the parser, which overflows into it
static QueueHandle_t samples;
volatile unsigned checksum, events;

static unsigned compute(unsigned rounds)
{
    unsigned value = checksum;
    for (unsigned i = 0; i < rounds; i++)
        value = value * 33 + i;
    checksum = value;
    return value;
}

// Every fourth tick; once a sample takes longer than that.
static void __attribute__((noinline)) take_sample(unsigned number)
{
    unsigned value = compute(number == 5 ? 500 : 10);
    xQueueSend(samples, &value, 0);
}

static void sampler(void *unused)
{
    TickType_t last = xTaskGetTickCount();
    for (unsigned number = 0; number < 9; number++) {
        take_sample(number);
        xTaskDelayUntil(&last, 4);
    }
    vTaskSuspend(NULL);
}

// A binary semaphore has no owner, so the low task does not get the priority of the high one that
// waits.
static void __attribute__((noinline)) use_bus(unsigned rounds)
{
    xSemaphoreTake(bus, portMAX_DELAY);
    compute(rounds);
    xSemaphoreGive(bus);
}

static void logger(void *unused) // low
{
    for (;;) {
        use_bus(60);
        vTaskDelay(10);
    }
}

static void radio(void *unused) // high
{
    for (;;) {
        vTaskDelay(11);
        use_bus(5);
    }
}

static void filter(void *unused) // between them
{
    vTaskDelay(12);
    compute(700);
    vTaskSuspend(NULL);
}

static unsigned __attribute__((noinline)) depth_of(unsigned node)
{
    volatile unsigned path[6] = {node};
    return node ? depth_of(node - 1) + path[0] : 0;
}

static void parser(void *unused)
{
    vTaskDelay(30);
    for (unsigned i = 2; i < 14; i += 3)
        checksum += depth_of(i);
    vTaskSuspend(NULL);
}

static void menu(void *unused)
{
    vTaskDelay(45);
    xSemaphoreTake(display, portMAX_DELAY);
    vTaskDelay(4);
    xSemaphoreTake(config, portMAX_DELAY);
    for (;;)
        ;
}

static void settings(void *unused)
{
    vTaskDelay(43);
    xSemaphoreTake(config, portMAX_DELAY);
    vTaskDelay(4);
    xSemaphoreTake(display, portMAX_DELAY);
    for (;;)
        ;
}

static void drain(void *unused)
{
    unsigned value;
    for (;;)
        xQueueReceive(samples, &value, portMAX_DELAY);
}

void TIMER0_Handler(void)
{
    TIMER0[3] = 1;
    if (++events == 7)
        compute(150);
}

int main(void)
{
    bus = xSemaphoreCreateBinary();
    xSemaphoreGive(bus);
    config = xSemaphoreCreateMutex();
    display = xSemaphoreCreateMutex();
    samples = xQueueCreate(4, sizeof(unsigned));
    xTaskCreate(sampler, "sampler", 100, NULL, 5, NULL);
    xTaskCreate(radio, "radio", 100, NULL, 4, NULL);
    xTaskCreate(filter, "filter", 100, NULL, 3, NULL);
    xTaskCreate(logger, "logger", 100, NULL, 1, NULL);
    received = pvPortMalloc(160);
    xTaskCreate(parser, "parser", 76, NULL, 2, NULL);
    xTaskCreate(menu, "menu", 100, NULL, 2, NULL);
    xTaskCreate(settings, "settings", 100, NULL, 2, NULL);
    xTaskCreate(drain, "drain", 100, NULL, 2, NULL);
    TIMER0[2] = 13000;
    TIMER0[0] = 9;
    NVIC_PRIORITY[8] = 6 << 5;
    NVIC_ENABLE = 1 << 8;
    vTaskStartScheduler();
    for (;;)
        ;
}

void *memset(void *to, int value, unsigned size)
{
    for (char *at = to; size--;)
        *at++ = (char)value;
    return to;
}

void *memcpy(void *to, const void *from, unsigned size)
{
    for (char *at = to; size--;)
        *at++ = *(const char *)from, from = (const char *)from + 1;
    return to;
}

void Reset_Handler(void)
{
    main();
}

extern unsigned _estack;
void SVC_Handler(void), PendSV_Handler(void), SysTick_Handler(void);
static void fault(void)
{
    for (;;)
        ;
}
__attribute__((section(".isr_vector"))) void *const vectors[] = {&_estack,
                                                                 Reset_Handler,
                                                                 fault,
                                                                 fault,
                                                                 fault,
                                                                 fault,
                                                                 fault,
                                                                 0,
                                                                 0,
                                                                 0,
                                                                 0,
                                                                 SVC_Handler,
                                                                 fault,
                                                                 0,
                                                                 PendSV_Handler,
                                                                 SysTick_Handler,
                                                                 fault,
                                                                 fault,
                                                                 fault,
                                                                 fault,
                                                                 fault,
                                                                 fault,
                                                                 fault,
                                                                 fault,
                                                                 TIMER0_Handler};
