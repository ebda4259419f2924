typedef unsigned long uint64_t;
volatile uint64_t tohost __attribute__((section(".tohost")));
volatile uint64_t fromhost __attribute__((section(".tohost")));
static int depth(int n)
{
    return n <= 1 ? 1 : n * depth(n - 1);
}
static volatile int sink;
int leaf(int a, int b)
{
    return a * 3 + b;
}
__attribute__((noinline)) int work(int (*f)(int, int), int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += f(i, n);
    return sum;
}
__attribute__((noinline)) void copy(char *to, const char *from, int n)
{
    while (n--)
        *to++ = *from++;
}
char buffer[64];
volatile int ticks;
__attribute__((interrupt("machine"), aligned(64))) void trap(void)
{
    uint64_t cause, epc;
    __asm__ volatile("csrr %0, mcause; csrr %1, mepc" : "=r"(cause), "=r"(epc));
    ticks++;
    if (cause == 11 || cause == 2 || cause == 3)
        __asm__ volatile("csrw mepc, %0" ::"r"(epc + 4));
    else if ((long)cause < 0)
        *(volatile uint64_t *)0x2004000 = ~0ull;
}
__attribute__((noinline)) int rec(int n)
{
    return n <= 1 ? 1 : n * rec(n - 1) + leaf(n, 1);
}
int main(void)
{
    __asm__ volatile("csrw mtvec, %0" ::"r"(trap));
    sink = work(leaf, 10);
    sink += rec(6);
    copy(buffer, "hello, spike", 12);
    __asm__ volatile("ecall");
    __asm__ volatile(".word 0xffffffff");
    *(volatile uint64_t *)0x2004000 = *(volatile uint64_t *)0x200bff8 + 3;
    __asm__ volatile("csrs mie, %0; csrsi mstatus, 8" ::"r"(0x80));
    while (ticks < 3)
        sink++;
    volatile double d = sink;
    d = d * 1.5 + 2;
    sink = (int)d;
    tohost = 1;
    for (;;)
        ;
}
