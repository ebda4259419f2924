#include "lib.h"

void *memcpy(void *to, const void *from, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    for (; size >= sizeof(uintptr_t) && (((uintptr_t)t | (uintptr_t)f) % sizeof(uintptr_t)) == 0;
         size -= sizeof(uintptr_t)) {
        *(uintptr_t *)(void *)t = *(const uintptr_t *)(const void *)f;
        t += sizeof(uintptr_t);
        f += sizeof(uintptr_t);
    }
    while (size-- != 0) {
        *t++ = *f++;
    }
    return to;
}

void *memset(void *to, int value, size_t size)
{
    unsigned char *t = to;
    while (size-- != 0) {
        *t++ = (unsigned char)value;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t <= f) {
        return memcpy(to, from, size);
    }
    while (size-- != 0) {
        t[size] = f[size];
    }
    return to;
}

size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n] != '\0') {
        n++;
    }
    return n;
}

void program_exit(int code)
{
    static long block[2];
    block[0] = 0x20026; // ADP_Stopped_ApplicationExit
    block[1] = code;
    // The 32-bit call takes the reason itself instead of a block.
    semihost(SYS_EXIT, sizeof(long) == 8 ? (void *)block : (void *)0x20026);
    for (;;) {
    }
}

void print(const char *text)
{
    semihost(SYS_WRITE0, text);
}

void print_number(const char *label, uint32_t value)
{
    char text[12];
    char *p = text + sizeof text - 1;
    *p = '\0';
    *--p = '\n';
    do {
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    print(label);
    print(p);
}
