#ifndef CC_H
#define CC_H
#include <stdint.h>
extern volatile unsigned failed_line;
#define LWIP_PLATFORM_DIAG(text)
#define LWIP_PLATFORM_ASSERT(text)                                                                 \
    do {                                                                                           \
        failed_line = __LINE__;                                                                    \
        for (;;)                                                                                   \
            ;                                                                                      \
    } while (0)
#define LWIP_RAND() 4u
#endif
