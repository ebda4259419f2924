#pragma once
#define configMTIME_BASE_ADDRESS 0x200BFF8UL
#define configMTIMECMP_BASE_ADDRESS 0x2004000UL
#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 1
#define configUSE_IDLE_HOOK 0
#define configUSE_TICK_HOOK 0
#define configCPU_CLOCK_HZ 150000
#define configTICK_RATE_HZ 1000
#define configMAX_PRIORITIES 5
#define configMINIMAL_STACK_SIZE 256
#define configTOTAL_HEAP_SIZE 65536
#define configMAX_TASK_NAME_LEN 12
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configUSE_MUTEXES 1
#define configUSE_TIMERS 1
#define configTIMER_TASK_PRIORITY 3
#define configTIMER_QUEUE_LENGTH 4
#define configTIMER_TASK_STACK_DEPTH 256
#define configISR_STACK_SIZE_WORDS 512
#define configCHECK_FOR_STACK_OVERFLOW 0
#define INCLUDE_vTaskDelay 1
#define INCLUDE_vTaskDelete 1
#define configUSE_16_BIT_DUMMY 0
#define configASSERT(x)                                                                            \
    if (!(x))                                                                                      \
        for (;;)
