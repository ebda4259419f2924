// Custom events of any length and any bytes, and with -DTYPED events with a type, among calls. For
// -O0: from -O1 on the event sleds of clang 19 call the runtime with a misaligned stack.
#include "run.h"

#include <cstring>

TRACED static void custom(const char *text, size_t length)
{
    __xray_customevent(text, length);
}

#ifdef TYPED
TRACED static void typed(unsigned short type, const char *text, size_t length)
{
    __xray_typedevent(type, text, length);
}
#endif

TRACED static long leaf(long value)
{
    return value * 5;
}

TRACED long body(long size)
{
    static const char bytes[] = {'a', '\0', '\'', '"', '\\', '\n', '\x80', '\xff', '\x0f', '\x01'};
    long sum = 0;
    for (long i = 0; i < size; i++) {
        char text[32];
        int length = snprintf(text, sizeof text, "request %ld", i);
        custom(text, static_cast<size_t>(length));
        sum += leaf(i);
        custom(bytes, 1 + static_cast<size_t>(i) % sizeof bytes);
#ifdef TYPED
        typed(static_cast<unsigned short>(__xray_register_event_type("status")), text,
              static_cast<size_t>(length));
        sum += leaf(i);
#endif
    }
    return sum;
}
