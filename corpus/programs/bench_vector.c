// Benchmark program: vectors of 16 bytes. A filter, a product of matrices, pictures that are
// blended, sums with carries. Half of the registers that are written have 128 bits. Runs until it
// is stopped.
#include "lib.h"

typedef float floats __attribute__((vector_size(16)));
typedef uint8_t bytes __attribute__((vector_size(16)));
typedef uint32_t words __attribute__((vector_size(16)));

enum { SAMPLES = 256, SIDE = 4, PIXELS = 128 };

static floats samples[SAMPLES], filtered[SAMPLES], left[SIDE], right[SIDE], product[SIDE];
static bytes picture[PIXELS], other[PIXELS], blended[PIXELS];
static words totals[4];
static uint64_t seed = 0x1d8e4e27c47d124f;

static NOINLINE void filter(const float *taps, unsigned count)
{
    for (unsigned i = count; i < SAMPLES; i++) {
        floats sum = {0, 0, 0, 0};
        for (unsigned k = 0; k < count; k++) {
            sum += samples[i - k] * taps[k];
        }
        filtered[i] = sum;
    }
}

static NOINLINE void multiply(void)
{
    for (unsigned row = 0; row < SIDE; row++) {
        floats sum = {0, 0, 0, 0};
        for (unsigned k = 0; k < SIDE; k++) {
            sum += right[k] * left[row][k];
        }
        product[row] = sum;
    }
}

static NOINLINE void blend(uint8_t weight)
{
    for (unsigned i = 0; i < PIXELS; i++) {
        bytes a = picture[i] >> 1, b = other[i] >> 1;
        blended[i] = (a + b) ^ weight;
    }
}

static NOINLINE void add_up(void)
{
    for (unsigned i = 0; i < PIXELS; i++) {
        words w = (words)blended[i];
        totals[i % 4] += w ^ (w >> 7) ^ (w << 9);
    }
}

int main(void)
{
    static const float taps[] = {0.25f, -0.5f, 1.0f, -0.5f, 0.25f};
    for (;;) {
        uint32_t r = (uint32_t)random_next(&seed);
        samples[r % SAMPLES] = (floats){(float)(r & 0xff), (float)(r >> 24), 1.5f, -2.0f};
        left[r % SIDE] = right[r / 4 % SIDE] + samples[r % SAMPLES] * 0.125f;
        right[r / 16 % SIDE] = (floats){(float)(r % 7), 0.5f, (float)(r % 3), 1};
        picture[r % PIXELS] += (uint8_t)r;
        other[r / 3 % PIXELS] ^= (uint8_t)(r >> 8);
        filter(taps, 5);
        multiply();
        blend((uint8_t)(r >> 16));
        add_up();
    }
}
