// What the C++ runtime asks of a C library, where there is none.
typedef unsigned long size_t;
static char heap[65536];
static size_t used;
void *malloc(size_t n)
{
    void *p = heap + used;
    used += (n + 15) & ~15UL;
    return p;
}
void *calloc(size_t a, size_t b)
{
    return malloc(a * b);
}
void *realloc(void *p, size_t n)
{
    (void)p;
    return malloc(n);
}
void free(void *p)
{
    (void)p;
}
void *memcpy(void *d, const void *s, size_t n)
{
    size_t i = 0;
    for (; ((size_t)d | (size_t)s) % 8 == 0 && i + 8 <= n; i += 8)
        *(size_t *)((char *)d + i) = *(const size_t *)((const char *)s + i);
    for (; i < n; i++)
        ((char *)d)[i] = ((const char *)s)[i];
    return d;
}
void *memmove(void *d, const void *s, size_t n)
{
    if (d < s)
        return memcpy(d, s, n);
    while (n--)
        ((char *)d)[n] = ((const char *)s)[n];
    return d;
}
void *memset(void *d, int c, size_t n)
{
    size_t i = 0;
    for (; c == 0 && (size_t)d % 8 == 0 && i + 8 <= n; i += 8)
        *(size_t *)((char *)d + i) = 0;
    for (; i < n; i++)
        ((char *)d)[i] = (char)c;
    return d;
}
size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}
int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}
int memcmp(const void *a, const void *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((char *)a)[i] != ((char *)b)[i])
            return ((unsigned char *)a)[i] - ((unsigned char *)b)[i];
    return 0;
}
void abort(void)
{
    for (;;)
        ;
}
extern void __register_frame(const void *);
extern const char __eh_frame_start[];
void begin_frames(void)
{
    __register_frame(__eh_frame_start);
}
int dl_iterate_phdr(void *f, void *d)
{
    (void)f, (void)d;
    return 0;
}
void *stderr;
int fputc(int c, void *f)
{
    (void)f;
    return c;
}
int fputs(const char *s, void *f)
{
    (void)s, (void)f;
    return 0;
}
size_t fwrite(const void *p, size_t a, size_t b, void *f)
{
    (void)p, (void)f, (void)a;
    return b;
}
int sprintf(char *s, const char *f, ...)
{
    (void)f;
    *s = 0;
    return 0;
}
int strncmp(const char *a, const char *b, size_t n)
{
    return n ? memcmp(a, b, n) : 0;
}
int pthread_mutex_lock(void *m)
{
    (void)m;
    return 0;
}
int pthread_mutex_unlock(void *m)
{
    (void)m;
    return 0;
}
int _dl_find_object(void *pc, void *o)
{
    (void)pc, (void)o;
    return -1;
}
static char thread_area[256];
void *__tls_get_addr(const size_t *index)
{
    return thread_area + index[1];
}
