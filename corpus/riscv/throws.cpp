// C++ exceptions through frames with destructors, rethrown, and caught by type, value and all.
#define N __attribute__((noinline))
volatile int sink;
struct Guard {
    int n;
    N Guard(int n) : n(n) { sink = sink + n; }
    N ~Guard() { sink = sink - n; }
};
struct Fault {
    int code;
};
struct Deep : Fault {
};
N int leaf(int a)
{
    sink = sink + 1;
    return a * 3;
}
N int thrower(int n)
{
    Guard g(n);
    if (n == 0)
        throw Deep{{7}};
    return thrower(n - 1) + leaf(n);
}
N int catches(int n)
{
    try {
        return thrower(n);
    } catch (const Fault &e) {
        return leaf(e.code);
    }
}
N int rethrows(int n)
{
    try {
        return thrower(n);
    } catch (...) {
        leaf(1);
        throw;
    }
}
N int outer(int n)
{
    try {
        Guard g(5);
        return rethrows(n);
    } catch (const Deep &) {
        return leaf(9);
    }
}
N int passes(int n)
{
    Guard a(1), b(2);
    return catches(n) + outer(n);
}
extern "C" int main()
{
    int s = 0;
    for (int i = 0; i < 2; i++)
        s += passes(i) + leaf(i);
    return s & 63;
}
