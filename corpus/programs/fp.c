// Floating point and NEON: single and double precision, comparisons, conversions both ways, and
// vectors of 16 bytes, of halfwords and of floats.
#include "lib.h"

typedef float float4 __attribute__((vector_size(16)));
typedef uint8_t byte16 __attribute__((vector_size(16)));
typedef uint16_t half8 __attribute__((vector_size(16)));
typedef int32_t int2 __attribute__((vector_size(8)));

static double coefficients[] = {1.0, -0.5, 0.25, -0.125, 0.0625};
static float4 vectors[8];
static byte16 bytes[6];
static half8 halves[6];

static NOINLINE double polynomial(double x)
{
    double y = 0;
    for (int i = 4; i >= 0; i--) {
        y = y * x + coefficients[i];
    }
    return y;
}

static NOINLINE double root(double (*f)(double), double low, double high)
{
    for (int i = 0; i < 12; i++) {
        double middle = (low + high) / 2;
        if (f(middle) > 0.5) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static NOINLINE float mean(const float *values, int count)
{
    float sum = 0;
    for (int i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum / (float)count;
}

static NOINLINE float largest(const float *values, int count)
{
    float best = values[0];
    for (int i = 1; i < count; i++) {
        best = values[i] > best ? values[i] : best;
    }
    return best;
}

static NOINLINE void scale(float4 *v, int count, float4 by)
{
    for (int i = 0; i < count; i++) {
        v[i] = v[i] * by + 1.0f;
    }
}

static NOINLINE void mix(uint8_t key)
{
    for (int i = 1; i < 6; i++) {
        bytes[i] = (bytes[i - 1] ^ key) + (bytes[i] >> 1);
        halves[i] = (half8)bytes[i] * 3 + halves[i - 1];
    }
}

static NOINLINE int2 narrow(int2 a, int2 b)
{
    return a * b - (a > b);
}

int main(void)
{
    float values[32];
    for (int i = 0; i < 32; i++) {
        values[i] = (float)(i * i % 17) - 7.5f;
    }
    for (int i = 0; i < 8; i++) {
        vectors[i] = (float4){values[i], values[i + 8], values[i + 16], values[i + 24]};
    }
    scale(vectors, 8, (float4){0.5f, 2.0f, -1.0f, 0.125f});
    bytes[0] = (byte16){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    mix(0x5a);
    int2 n = narrow((int2){3, 4}, (int2){5, 6});
    print_number("root ", (uint32_t)(root(polynomial, 0, 4) * 1000));
    print_number("mean ", (uint32_t)(int32_t)(mean(values, 32) * 100));
    print_number("largest ", (uint32_t)(int32_t)largest(values, 32));
    print_number("vector ", (uint32_t)(int32_t)(vectors[3][1] * 10));
    print_number("bytes ", bytes[5][3] + halves[5][2] + (uint32_t)n[1]);
    return 0;
}
