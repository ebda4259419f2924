// What compilers call in values.c where it is linked without a C library.
void *memcpy(void *restrict to, const void *restrict from, unsigned long size_bytes)
{
    char *out = to;
    for (const char *in = from; size_bytes; size_bytes--)
        *out++ = *in++;
    return to;
}
