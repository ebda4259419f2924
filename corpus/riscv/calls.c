__asm__(".option arch, +zicsr");
typedef unsigned long word;
typedef unsigned long long u64;
volatile u64 tohost __attribute__((section(".tohost"), aligned(64)));
volatile u64 fromhost __attribute__((section(".tohost"), aligned(64)));
#define NOINLINE __attribute__((noinline, noclone))
volatile int sink;
typedef word jump_buffer[32];
int set_jump(jump_buffer);
void long_jump(jump_buffer, int) __attribute__((noreturn));
static jump_buffer where;
static word seed = 12345;
static NOINLINE word rnd(void)
{
    seed = seed * 1103515245u + 12345u;
    return seed >> 8 & 0xffff;
}
NOINLINE int leaf(int a, int b)
{
    return a * 3 + b;
}
NOINLINE int odd(int n);
NOINLINE int even(int n)
{
    sink++;
    return n == 0 ? 1 : odd(n - 1);
}
NOINLINE int odd(int n)
{
    sink++;
    return n == 0 ? 0 : even(n - 1);
}
NOINLINE int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
NOINLINE int tail(int a)
{
    sink += a;
    return leaf(a, 2);
}
NOINLINE int pointer_tail(int (*f)(int, int), int a)
{
    sink += a;
    return f(a, 7);
}
NOINLINE int switched(int n)
{
    switch (n & 15) {
    case 0:
        return leaf(n, 1);
    case 1:
        return tail(n);
    case 2:
        return even(3) + 1;
    case 3:
        return n * 2;
    case 4:
        return leaf(leaf(n, 1), 2);
    case 5:
        return n ^ 77;
    case 6:
        return odd(2) + n;
    case 7:
        return 9;
    case 8:
        return tail(n) + 1;
    case 9:
        return n << 3;
    case 10:
        return -n;
    default:
        return n + 5;
    }
}
typedef int compare(const void *, const void *);
static NOINLINE void swap_bytes(char *a, char *b, word n)
{
    while (n--) {
        char c = *a;
        *a++ = *b;
        *b++ = c;
    }
}
NOINLINE void sort(char *base, int count, int size, compare *less)
{
    if (count < 2)
        return;
    int last = 0;
    for (int i = 1; i < count; i++)
        if (less(base + i * size, base) < 0) {
            last++;
            swap_bytes(base + last * size, base + i * size, (word)size);
        }
    swap_bytes(base, base + last * size, (word)size);
    sort(base, last, size, less);
    sort(base + (last + 1) * size, count - last - 1, size, less);
}
static NOINLINE int less_int(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
NOINLINE int deep_jump(int n)
{
    char room[40];
    room[n & 31] = (char)n;
    sink += room[3];
    if (n == 0)
        long_jump(where, 5);
    return deep_jump(n - 1) + room[n & 31];
}
NOINLINE int catches(int n)
{
    int r = set_jump(where);
    if (r == 0)
        return deep_jump(n);
    return leaf(r, n);
}
NOINLINE int big(int n)
{
    volatile int room[1200];
    for (int i = 0; i < 20; i++)
        room[i * 50] = i + n;
    return leaf(room[50], room[100]);
}
NOINLINE int dynamic(int n)
{
    volatile char *p = __builtin_alloca((word)n);
    p[0] = 1;
    p[n - 1] = 2;
    return leaf(p[0], p[n - 1]);
}
NOINLINE int many(int n, ...)
{
    __builtin_va_list l;
    __builtin_va_start(l, n);
    int s = 0;
    while (n--)
        s += __builtin_va_arg(l, int);
    __builtin_va_end(l);
    return leaf(s, 1);
}
NOINLINE double mean(const double *v, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += v[i];
    return s / n;
}
NOINLINE float single(float a, float b)
{
    float c = a * b + 1.5f;
    return c > 100 ? c / 3 : c;
}
void *unwinder_target, *unwinder_sp;
NOINLINE void thrower(long offset, void *handler)
{
    sink++;
    __builtin_eh_return(offset, handler);
}
NOINLINE int saver(int a, int b, int c, int d, int e, int f)
{
    int x[6] = {a, b, c, d, e, f}, s = 0;
    for (int i = 0; i < 6; i++) {
        s += leaf(x[i], s) + switched(x[i]);
        s ^= leaf(a, b) + leaf(c, d) + leaf(e, f);
    }
    return s;
}
extern int by_t0(int), swaps(int);
volatile int ticks;
#ifdef TRAPS
__attribute__((interrupt("machine"), aligned(64))) void trap(void)
{
    word cause, epc;
    __asm__ volatile("csrr %0, mcause; csrr %1, mepc" : "=r"(cause), "=r"(epc));
    ticks++;
    sink += leaf(ticks, 1);
    if (cause == 11 || cause == 2 || cause == 3)
        __asm__ volatile("csrw mepc, %0" ::"r"(epc + (cause == 3 ? 2 : 4)));
    else if (cause >> (8 * sizeof cause - 1)) {
        u64 next = *(volatile u64 *)0x200bff8 + 4;
        *(volatile u64 *)0x2004000 = next;
    }
}
NOINLINE int calls_system(int n)
{
    __asm__ volatile("ecall" ::: "memory");
    return leaf(n, 4);
}
#endif
int main(int hart)
{
    int numbers[40];
    double d[8];
    sink = hart;
    if (hart) {
        while (!ticks)
            sink++;
    }
#ifdef TRAPS
    __asm__ volatile("csrw mtvec, %0" ::"r"(trap));
    *(volatile u64 *)(0x2004000) = *(volatile u64 *)0x200bff8 + 4;
    __asm__ volatile("csrs mie, %0; csrsi mstatus, 8" ::"r"(0x80));
#endif
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 40; i++)
            numbers[i] = (int)rnd();
        sort((char *)numbers, 40, sizeof *numbers, less_int);
        sink += even(9) + odd(6) + ackermann(2, 3);
        for (int i = 0; i < 30; i++)
            sink += switched((int)rnd());
        sink += tail(3) + pointer_tail(leaf, 4) + catches(6) + big(2) +
                dynamic((int)(rnd() & 255) + 2) + many(3, 1, 2, 3);
        for (int i = 0; i < 8; i++)
            d[i] = (double)(int)rnd() / 3;
        sink += (int)mean(d, 8) + (int)single((float)d[0], 2.5f);
        sink += saver(1, 2, 3, 4, 5, round) + by_t0(round) + swaps(round);
#ifdef TRAPS
        sink += calls_system(3);
        __asm__ volatile(".word 0xffffffff");
#endif
#ifdef VECTOR
        int out[40];
        for (long n = 40, at = 0, got; n; n -= got, at += got)
            __asm__ volatile("vsetvli %0, %1, e32, m2, ta, ma; vle32.v v4, (%2); vadd.vi v8, v4, "
                             "5; vse32.v v8, (%3)"
                             : "=&r"(got)
                             : "r"(n), "r"(numbers + at), "r"(out + at)
                             : "memory");
        sink += out[3];
#endif
    }
    return 0;
}
