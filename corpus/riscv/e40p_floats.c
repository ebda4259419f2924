// Floats of every kind of instruction, calls with them, and traps: ecall.
#define NOINLINE __attribute__((noinline, noclone))
volatile float results[32];
static int at;
static const float values[] = {1.5f, -2.25f, 3.0f, 1e10f, 1e-10f, 0.1f, 7.0f, -0.0f};
NOINLINE void put(float value)
{
    results[at++ & 31] = value;
}
NOINLINE float scale(float a, float b)
{
    return a * b - a;
}
NOINLINE float larger(float a, float b)
{
    return __builtin_fmaxf(a, -b);
}
NOINLINE float horner(const float *c, int n, float x)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * x + c[i];
    return sum;
}
NOINLINE int convert(float a)
{
    return (int)a + (a < 0) + (a == 1.5f);
}
NOINLINE float fold(int n, float a)
{
    return n == 0 ? a : fold(n - 1, a * 0.5f + (float)n) + 1.0f;
}
NOINLINE int call_system(int n)
{
    register int a0 __asm__("a0") = n;
    __asm__ volatile("ecall" : "+r"(a0));
    return a0 + 1;
}
int main(void)
{
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        for (unsigned i = 0; i < 8; i++) {
            put(scale(values[i], values[(i + round) & 7] + 3.0f));
            put(larger(values[i], values[(i + 1) & 7]));
            put(horner(values, 8, 0.25f * (float)i));
            sum += convert(values[i] > 1e6f ? 5.0f : values[i]);
        }
        put(fold(6 + round, 1.0f));
        sum += call_system(sum);
    }
    return sum;
}
