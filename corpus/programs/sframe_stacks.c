// Stacks for an unwinder: recursion, a stack of variable size, an aligned one, calls through
// pointers and from the middle of an argument list.
#include <stdio.h>
#include <stdlib.h>

static volatile int sink;

__attribute__((noinline)) static int leaf(int a)
{
    sink = a;
    return a * 3 + 1;
}

__attribute__((noinline)) static int down(int n)
{
    return n <= 0 ? leaf(n) : down(n - 1) + leaf(n);
}

__attribute__((noinline)) static int variable(int n)
{
    volatile char *bytes = __builtin_alloca((size_t)n * 8 + 16);
    bytes[n] = (char)n;
    return bytes[n] + down(n);
}

__attribute__((noinline)) static int aligned(int n)
{
    _Alignas(64) volatile char bytes[64];
    bytes[n & 63] = 1;
    return bytes[(n * 3) & 63] + variable(n);
}

__attribute__((noinline)) static int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
    return leaf(a + b + c + d) + aligned(e + f + g + h);
}

int main(int argc, char **argv)
{
    int (*volatile chosen)(int) = argc > 1 ? aligned : variable;
    (void)argv;
    sink = many(argc, 1, leaf(2), 0, 1, 1, leaf(0), 0) + chosen(3);
    return sink == 0;
}
