#include "../FreeRTOSConfig.h"
#undef configTOTAL_HEAP_SIZE
#define configTOTAL_HEAP_SIZE 48000
#define configUSE_RECURSIVE_MUTEXES 1
#define INCLUDE_vTaskDelete 1
#define INCLUDE_xTaskGetSchedulerState 1
#define INCLUDE_xTaskGetCurrentTaskHandle 1
#undef configTICK_RATE_HZ
#define configTICK_RATE_HZ 1000
#define INCLUDE_vTaskPrioritySet 1
