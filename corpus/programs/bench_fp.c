// Benchmark program: floating point and NEON. Bodies under gravity, matrices, a Fourier transform,
// the Mandelbrot set, and vectors of four floats and sixteen bytes. Runs until it is stopped.
#include "lib.h"

typedef float float4 __attribute__((vector_size(16)));
typedef uint8_t byte16 __attribute__((vector_size(16)));
typedef uint32_t word4 __attribute__((vector_size(16)));

enum { BODIES = 6, SIDE = 12, POINTS = 64, PIXELS = 512 };

typedef struct {
    double x, y, z, vx, vy, vz, mass;
} body_t;

static body_t bodies[BODIES];
static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
static float re[POINTS], im[POINTS];
static float4 samples[PIXELS / 4], filtered[PIXELS / 4];
static byte16 image[PIXELS / 16], blended[PIXELS / 16];
static uint64_t seed = 0x853c49e6748fea9b;
static volatile double sink;

static NOINLINE double random_unit(void)
{
    return (double)(random_next(&seed) >> 11) * 0x1p-53;
}

static NOINLINE double square_root(double v)
{
    double x = v > 1 ? v : 1;
    for (int i = 0; i < 6; i++) {
        x = 0.5 * (x + v / x);
    }
    return x;
}

static NOINLINE void attract(body_t *p, body_t *q, double dt)
{
    double dx = p->x - q->x;
    double dy = p->y - q->y;
    double dz = p->z - q->z;
    double d2 = dx * dx + dy * dy + dz * dz + 0.01;
    double f = dt / (d2 * square_root(d2));
    p->vx -= dx * q->mass * f;
    p->vy -= dy * q->mass * f;
    p->vz -= dz * q->mass * f;
    q->vx += dx * p->mass * f;
    q->vy += dy * p->mass * f;
    q->vz += dz * p->mass * f;
}

static NOINLINE void move_bodies(double dt)
{
    for (int i = 0; i < BODIES; i++) {
        for (int j = i + 1; j < BODIES; j++) {
            attract(&bodies[i], &bodies[j], dt);
        }
    }
    for (int i = 0; i < BODIES; i++) {
        bodies[i].x += dt * bodies[i].vx;
        bodies[i].y += dt * bodies[i].vy;
        bodies[i].z += dt * bodies[i].vz;
    }
}

static NOINLINE void place_bodies(void)
{
    for (int i = 0; i < BODIES; i++) {
        bodies[i] = (body_t){random_unit(), random_unit(), random_unit(), 0, 0, 0, random_unit()};
    }
}

static NOINLINE void multiply(void)
{
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            double sum = 0;
            for (int k = 0; k < SIDE; k++) {
                sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum;
        }
    }
}

static NOINLINE void fill_matrices(void)
{
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            a[i][j] = random_unit() - c[j][i] * 0x1p-4;
            b[i][j] = random_unit();
        }
    }
}

static NOINLINE void butterfly(int i, int j, float wr, float wi)
{
    float tr = re[j] * wr - im[j] * wi;
    float ti = re[j] * wi + im[j] * wr;
    re[j] = re[i] - tr;
    im[j] = im[i] - ti;
    re[i] += tr;
    im[i] += ti;
}

// Decimation in time without the reordering: only the arithmetic matters here.
static NOINLINE void fourier(void)
{
    static const float cosines[] = {-1.0f,       0.0f,        0.70710678f,
                                    0.92387953f, 0.98078528f, 0.99518473f};
    static const float sines[] = {0.0f,         -1.0f,        -0.70710678f,
                                  -0.38268343f, -0.19509032f, -0.09801714f};
    for (int level = 0, half = 1; half < POINTS; level++, half *= 2) {
        float wr = 1;
        float wi = 0;
        for (int j = 0; j < half; j++) {
            for (int i = j; i < POINTS; i += 2 * half) {
                butterfly(i, i + half, wr, wi);
            }
            float t = wr * cosines[level] - wi * sines[level];
            wi = wr * sines[level] + wi * cosines[level];
            wr = t;
        }
    }
}

static NOINLINE int mandelbrot(float cr, float ci)
{
    float x = 0;
    float y = 0;
    int i = 0;
    for (; i < 40 && x * x + y * y < 4; i++) {
        float t = x * x - y * y + cr;
        y = 2 * x * y + ci;
        x = t;
    }
    return i;
}

static NOINLINE void filter(float4 gain)
{
    float4 last = {0, 0, 0, 0};
    for (int i = 0; i < PIXELS / 4; i++) {
        last = last * 0.75f + samples[i] * gain;
        filtered[i] = last;
    }
}

static NOINLINE void blend(uint8_t weight)
{
    byte16 w = {weight, weight, weight, weight, weight, weight, weight, weight,
                weight, weight, weight, weight, weight, weight, weight, weight};
    for (int i = 0; i < PIXELS / 16; i++) {
        blended[i] = (image[i] & w) + (blended[i] >> 1) + (image[i] > w);
    }
}

static NOINLINE void fill_vectors(void)
{
    for (int i = 0; i < PIXELS / 4; i += 4) {
        uint64_t r = random_next(&seed);
        word4 bits = {(uint32_t)r, (uint32_t)(r >> 32), (uint32_t)(r >> 16), (uint32_t)(r >> 48)};
        image[i / 4] = (byte16)bits;
        samples[i] = __builtin_convertvector(bits & 0xffff, float4);
        samples[i + 1] = samples[i] * 0.5f;
        samples[i + 2] = -samples[i];
        samples[i + 3] = samples[i + 1] + 1.0f;
    }
}

static NOINLINE void fractal_row(double y)
{
    int total = 0;
    for (int i = 0; i < 12; i++) {
        total += mandelbrot((float)(random_unit() * 3 - 2), (float)y);
    }
    sink += total;
}

int main(void)
{
    for (unsigned round = 0;; round++) {
        if (round % 50 == 0) {
            place_bodies();
        }
        move_bodies(0.01);
        fill_matrices();
        multiply();
        for (int i = 0; i < POINTS; i++) {
            re[i] = (float)random_unit();
            im[i] = re[i] * (float)bodies[i % BODIES].x;
        }
        fourier();
        fractal_row(random_unit() * 2 - 1);
        fill_vectors();
        filter((float4){1, 0.5f, 0.25f, (float)random_unit()});
        blend((uint8_t)seed);
    }
}
