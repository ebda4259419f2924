// For SFrame: functions with a frame pointer and without, recursion, a stack of variable size, an
// aligned one, and a frame of more than 64 KB.
__attribute__((noinline)) int leaf(int a)
{
    return a * 3 + 1;
}

__attribute__((noinline)) int down(int n)
{
    return n <= 0 ? leaf(n) : down(n - 1) + leaf(n);
}

__attribute__((noinline)) int variable(int n)
{
    volatile char bytes[n + 64];
    for (int i = 0; i < n; i++)
        bytes[i] = (char)i;
    return bytes[n / 2] + down(n);
}

__attribute__((noinline)) int aligned(int n)
{
    _Alignas(64) volatile char bytes[256];
    bytes[n & 255] = 1;
    return bytes[(n * 3) & 255] + variable(n);
}

__attribute__((noinline)) int large(int n)
{
    volatile char bytes[70000];
    bytes[n] = 1;
    return bytes[n + 1] + aligned(n);
}

int main(int argc, char **argv)
{
    (void)argv;
    return large(argc + 5);
}
