// Functions that units share: one inline, one a template, one of another language.
#ifndef LINES_H
#define LINES_H

#define TRACED __attribute__((xray_always_instrument, noinline))

#ifdef __cplusplus
TRACED inline long doubled(long n)
{
    return 2 * n;
}

template <typename T> TRACED T sum(T a, T b)
{
    return a + b;
}

long other(long n);
extern "C"
#endif
    long
    leaf(long n);

#endif
